/* SPDX-License-Identifier: Apache-2.0 */
/* Runs compensated loops over the terms of a sum, in all orders where these are few. */
#include "oracles/exact/tree_search/compensated.h"

#include <math.h>

#include "oracles/exact/any_order/operands.h"
#include "oracles/exact/tree_search/tree_text.h"

/* What a loop has after some leaves. */
typedef struct loop_state {
  double sum;
  double lost; /* By which the sum is too large. */
} loop_state_t;

typedef struct loop_search {
  const few_terms_t *sum;
  const tree_arithmetic_t *arithmetic;
  double value;               /* That is looked for; or, ... */
  const value_range_t *range; /* ... if not NULL, any finite one that this does not hold. */
  size_t inits;               /* Leaves that are initial values, the first ones; ... */
  size_t count;               /* ... and all leaves. */
  tree_operand_t leaves[TREE_LEAVES_MAX];
  bool is_taken[TREE_LEAVES_MAX];
  bool tries_all_orders;
  compensated_loop_t *out_loop; /* Its leaves are those that were taken, in their order. */
} loop_search_t;

/* theory.md, D25. */
static loop_state_t add_leaf(const tree_arithmetic_t *arithmetic, loop_state_t state,
                             const tree_operand_t *leaf) {
  const arithmetic_t *nodes = &arithmetic->nodes;
  bool is_fused = arithmetic->fuses && leaf->left != NULL;
  double term = is_fused ? arithmetic_fused(nodes, *leaf->left, *leaf->right, -state.lost)
                         : arithmetic_add(nodes, leaf->value, -state.lost);
  double sum = arithmetic_add(nodes, state.sum, term);
  double gained = arithmetic_add(nodes, sum, -state.sum);
  return (loop_state_t){.sum = sum, .lost = arithmetic_add(nodes, gained, -term)};
}

/* Of a zero that is asked about, and which no tree gives; of -0 trees have the last word. */
static bool leaves_range(const value_range_t *range, double given) {
  if (!isfinite(given)) return false;
  if (given == 0) return !signbit(given) && !range->positive_zero;
  return !(range->low <= given && given <= range->high);
}

static bool gives(const loop_search_t *search, double root) {
  double given = tree_result(search->sum, root);
  if (search->range != NULL) return leaves_range(search->range, given);
  bool is_negative_zero = given == 0 && (signbit(given) || signbit(search->value));
  return given == search->value && !is_negative_zero; /* Of these trees have the last word. */
}

/* Whether the loop ends in the value after these leaves: in its sum, or, of more than two, in that
 * less what it is too large by, which is another number where the last leaf is larger than all
 * before it. */
static bool ends_in_value(loop_search_t *search, loop_state_t state, bool has_inits) {
  const arithmetic_t *nodes = &search->arithmetic->nodes;
  const double roots[] = {state.sum, arithmetic_add(nodes, state.sum, -state.lost)};
  search->out_loop->ends_with_init = !has_inits && search->inits != 0;
  const size_t root_count = search->out_loop->leaf_count > 2 ? G_N_ELEMENTS(roots) : 1;
  for (size_t corrected = 0; corrected < root_count; corrected++) {
    double root = roots[corrected];
    for (size_t i = 0; !has_inits && i < search->inits; i++) {
      root = arithmetic_add(nodes, root, search->sum->init);
    }
    search->out_loop->is_corrected = corrected == 1;
    if (gives(search, root)) return true;
  }
  return false;
}

/* The first leaf is the sum: a loop that starts with +0 would lose the sign of -0. */
static loop_state_t take_leaf(loop_search_t *search, loop_state_t state, size_t leaf) {
  bool is_first = search->out_loop->leaf_count == 0;
  search->out_loop->leaves[search->out_loop->leaf_count++] = (uint8_t)leaf;
  if (is_first) return (loop_state_t){.sum = search->leaves[leaf].value};
  return add_leaf(search->arithmetic, state, &search->leaves[leaf]);
}

/* One order of the terms: from the first to the last, or the other way round. */
static bool find_in_turn(loop_search_t *search, bool has_inits, bool is_reversed) {
  loop_state_t state = {0};
  search->out_loop->leaf_count = 0;
  for (size_t i = 0; has_inits && i < search->inits; i++) state = take_leaf(search, state, i);
  for (size_t i = search->inits; i < search->count; i++) {
    state = take_leaf(search, state, is_reversed ? search->count - 1 - (i - search->inits) : i);
  }
  return ends_in_value(search, state, has_inits);
}

/* All orders of the leaves that are left. */
static bool find_in_any_order(loop_search_t *search, loop_state_t state, bool has_inits) {
  bool is_end = true;
  for (size_t i = has_inits ? 0 : search->inits; i < search->count; i++) {
    if (search->is_taken[i]) continue;
    is_end = false;
    search->is_taken[i] = true;
    loop_state_t next = take_leaf(search, state, i);
    if (find_in_any_order(search, next, has_inits)) return true;
    search->out_loop->leaf_count--;
    search->is_taken[i] = false;
  }
  return is_end && ends_in_value(search, state, has_inits);
}

/* With the initial values in the loop, or added plainly behind. */
static bool find_from(loop_search_t *search, bool has_inits) {
  if (find_in_turn(search, has_inits, false)) return true;
  if (find_in_turn(search, has_inits, true)) return true;
  if (!search->tries_all_orders) return false;
  search->out_loop->leaf_count = 0;
  return find_in_any_order(search, (loop_state_t){0}, has_inits);
}

/* Whether all orders are tried: of so many sums with so many leaves in one case, which alone
 * decides, so that a verdict is the same wherever it is made. */
static bool tries_all_orders(const few_terms_t *sum, size_t leaves, size_t sums_of_case) {
  size_t orders = MAX(sums_of_case, 1);
  if (sum->count > FEW_TERMS_MAX) return false;
  for (size_t i = 2; i <= leaves && orders <= COMPENSATED_ORDERS_MAX; i++) orders *= i;
  return orders <= COMPENSATED_ORDERS_MAX;
}

/* As compensated_loop_find(), of what `looked_for` says. */
static bool find_loop(const few_terms_t *sum, size_t sums_of_case, const loop_search_t *looked_for,
                      compensated_loop_t *out_loop) {
  bool is_asked = sum->count + sum->init_count > 2 && sum->count <= TREE_TERMS_MAX &&
                  sum->count + sum->init_count <= TREE_LEAVES_MAX;
  if (!is_asked) return false;
  const tree_arithmetics_t arithmetics = tree_arithmetics_of(sum);
  for (size_t i = 0; i < arithmetics.count; i++) {
    const tree_arithmetic_t *arithmetic = &arithmetics.items[i];
    loop_search_t search = *looked_for;
    search.sum = sum;
    search.arithmetic = arithmetic;
    search.out_loop = out_loop;
    search.count = tree_operands_set(sum, arithmetic, search.leaves);
    search.inits = search.count - sum->count;
    search.tries_all_orders = tries_all_orders(sum, search.count, sums_of_case);
    *out_loop =
        (compensated_loop_t){.format = arithmetic->nodes.format, .is_fused = arithmetic->fuses};
    bool is_found = find_from(&search, true) || (search.inits != 0 && find_from(&search, false));
    if (is_found) return true;
  }
  return false;
}

bool compensated_loop_find(const few_terms_t *sum, size_t sums_of_case, double value,
                           compensated_loop_t *out_loop) {
  const loop_search_t looked_for = {.value = value};
  return find_loop(sum, sums_of_case, &looked_for, out_loop);
}

bool compensated_loops_stay(const few_terms_t *sum, size_t sums_of_case,
                            const value_range_t *range) {
  const loop_search_t looked_for = {.range = range};
  compensated_loop_t loop;
  return !find_loop(sum, sums_of_case, &looked_for, &loop);
}

void compensated_loop_print(const few_terms_t *sum, const compensated_loop_t *loop,
                            GString *out_text) {
  size_t inits = sum->init == 0 ? 0 : sum->init_count;
  few_terms_tree_t leaves = {.format = loop->format};
  tree_name_leaves(sum, sum->count + inits, &leaves);
  g_string_append(out_text, "compensated (");
  for (size_t i = 0; i < loop->leaf_count; i++) {
    if (i != 0) g_string_append(out_text, ", ");
    few_terms_print_leaf(sum, leaves.leaves[loop->leaves[i]], out_text);
  }
  g_string_append(out_text, loop->is_fused ? ", products fused)" : ")");
  if (loop->is_corrected) g_string_append(out_text, " less what is left over");
  if (loop->ends_with_init) g_string_append(out_text, " + init");
  few_terms_print_leaves(sum, &leaves, out_text);
}
