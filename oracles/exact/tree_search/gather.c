/* SPDX-License-Identifier: Apache-2.0 */
/* Grows a sum until it is large, so that its last place is, and then adds what is rounded most to
 * the side that is wanted: a leaf, or the sum of two.  Two of which neither is rounded well may be
 * together; each leaf has a price, so that pairs are worth it.  Attempts differ in how large the
 * sum is to grow, in its sign, in prices and in arithmetic. */
#include "oracles/exact/tree_search/gather.h"

#include <math.h>

#include "harness/base/rng.h"
#include "oracles/exact/any_order/ends.h"
#include "oracles/exact/tree_search/errors.h"

/* Additions tried in one search, some 20 ns each. */
enum { WORK_MAX = 1 << 25, ATTEMPTS_MAX = 400 };

typedef struct gathering {
  tree_arithmetic_t arithmetic;
  double direction; /* Of errors. */
  double wanted;    /* Of all errors together; infinite: as much as can be. */
  double sign;      /* Of the leaves that the sum grows by. */
  double large;     /* What the sum grows to, and is better not below later. */
  double price;     /* Of each leaf. */
  size_t reach;     /* Pairs of leaves so far from each other in the list are looked at. */
  tree_operand_t leaves[TREE_LEAVES_MAX];
  size_t count; /* Leaves that are left. */
  size_t all;
  size_t made; /* Nodes. */
  size_t work;
  double errors; /* So far, in that direction. */
  few_terms_tree_t *tree;
} gathering_t;

/* What is added next: one leaf, or two. */
typedef struct choice {
  size_t first, second;
  bool is_pair;
  double worth;
} choice_t;

static tree_operand_t add(gathering_t *gathering, const tree_operand_t *a, const tree_operand_t *b,
                          double *inout_error, tree_node_t *out_node) {
  tree_operand_t sum = tree_operand_add(&gathering->arithmetic, a, b, out_node);
  *inout_error +=
      gathering->direction * (tree_error_of_sum(a, b, sum.value) + tree_error_of_leaf(a));
  gathering->work++;
  return sum;
}

static double worth_of(const gathering_t *gathering, double error, double sum, size_t taken) {
  double missing = gathering->wanted - gathering->errors;
  double gained = isfinite(missing) ? missing - fabs(missing - error) : error;
  bool is_small = fabs(sum) < gathering->large && taken < gathering->count;
  return gained - (double)taken * gathering->price - (is_small ? 64 * gathering->price : 0);
}

/* Everything that the sum has lost is counted already. */
static void look_at(gathering_t *gathering, const tree_operand_t *total, const tree_operand_t *next,
                    double error, choice_t choice, choice_t *best) {
  tree_node_t node;
  const tree_operand_t plain = {.value = total->value};
  double sum = add(gathering, &plain, next, &error, &node).value;
  choice.worth = worth_of(gathering, error, sum, choice.is_pair ? 2 : 1);
  if (choice.worth > best->worth) *best = choice;
}

static choice_t choose(gathering_t *gathering, const tree_operand_t *total) {
  choice_t best = {.worth = -INFINITY};
  const tree_operand_t *leaves = gathering->leaves;
  for (size_t i = 0; i < gathering->count; i++) {
    look_at(gathering, total, &leaves[i], 0, (choice_t){.first = i}, &best);
    size_t end = i + gathering->reach;
    if (end > gathering->count) end = gathering->count;
    for (size_t j = i + 1; j < end; j++) {
      tree_node_t node;
      double error = 0;
      tree_operand_t pair = add(gathering, &leaves[i], &leaves[j], &error, &node);
      look_at(gathering, total, &pair, error, (choice_t){.first = i, .second = j, .is_pair = true},
              &best);
    }
  }
  return best;
}

static tree_operand_t join(gathering_t *gathering, const tree_operand_t *a,
                           const tree_operand_t *b) {
  size_t node = gathering->made++;
  tree_operand_t sum = add(gathering, a, b, &gathering->errors, &gathering->tree->nodes[node]);
  sum.number = (uint8_t)(gathering->all + node);
  return sum;
}

static tree_operand_t take(gathering_t *gathering, size_t place) {
  tree_operand_t leaf = gathering->leaves[place];
  gathering->leaves[place] = gathering->leaves[--gathering->count];
  return leaf;
}

/* Of the leaves of that sign one of the largest; or the largest of the others. */
static size_t next_to_grow(const gathering_t *gathering) {
  size_t best = 0;
  for (size_t i = 1; i < gathering->count; i++) {
    double value = gathering->sign * gathering->leaves[i].value;
    if (value > gathering->sign * gathering->leaves[best].value) best = i;
  }
  return best;
}

static double gather(gathering_t *gathering) {
  tree_operand_t total = take(gathering, next_to_grow(gathering));
  while (gathering->count > 0) {
    if (fabs(total.value) < gathering->large) {
      const tree_operand_t leaf = take(gathering, next_to_grow(gathering));
      total = join(gathering, &total, &leaf);
      continue;
    }
    const choice_t next = choose(gathering, &total);
    /* The later one first: the last one takes its place. */
    const tree_operand_t second = next.is_pair ? take(gathering, next.second) : (tree_operand_t){0};
    tree_operand_t leaf = take(gathering, next.first);
    if (next.is_pair) leaf = join(gathering, &leaf, &second);
    total = join(gathering, &total, &leaf);
  }
  return total.value;
}

/* The sum of the leaves of one sign, and what is rounded away in numbers so large. */
static void draw_attempt(gathering_t *gathering, size_t attempt, rng_t *rng) {
  double sums[2] = {0, 0};
  for (size_t i = 0; i < gathering->count; i++) {
    double value = gathering->leaves[i].value;
    sums[value < 0] += fabs(value);
  }
  bool is_negative = sums[1] > sums[0];
  if (attempt % 3 == 2) is_negative = !is_negative;
  double sum = sums[is_negative] == 0 ? sums[!is_negative] : sums[is_negative];
  gathering->sign = is_negative ? -1 : 1;
  bool has_size = sum > 0 && isfinite(sum); /* Not of zeros, nor where a leaf is NaN or infinite. */
  gathering->large = has_size ? ldexp(1, ilogb(sum) - (int)(attempt / 2 % 3)) : 0;
  double half = ldexp(gathering->large, -gathering->arithmetic.nodes.format->precision);
  gathering->price = half * (0.1 + ldexp((double)rng_below(rng, 1 << 10), -10));
  for (size_t i = gathering->count; i > 1; i--) { /* Pairs are of neighbours. */
    size_t place = rng_below(rng, i);
    tree_operand_t moved = gathering->leaves[i - 1];
    gathering->leaves[i - 1] = gathering->leaves[place];
    gathering->leaves[place] = moved;
  }
  static const size_t reaches[] = {TREE_LEAVES_MAX, 12, 1};
  gathering->reach = reaches[attempt / 6 % 3];
}

typedef struct search {
  const few_terms_t *sum;
  double direction;
  double wanted; /* Of all errors, in that direction. */
  double value;  /* To be given, or NaN: the farthest one is kept. */
} search_t;

static bool run(const search_t *search, double *out_value, few_terms_tree_t *out_tree) {
  const few_terms_t *sum = search->sum;
  if (sum->count + sum->init_count > TREE_LEAVES_MAX) return false;
  const tree_arithmetics_t arithmetics = tree_arithmetics_of(sum);
  rng_t rng = rng_make(sum->count);
  size_t work = 0;
  bool is_found = false;
  for (size_t i = 0; i < ATTEMPTS_MAX && work < WORK_MAX; i++) {
    few_terms_tree_t tree;
    gathering_t gathering = {.arithmetic = arithmetics.items[i % arithmetics.count],
                             .direction = search->direction,
                             .wanted = search->wanted,
                             .tree = &tree};
    gathering.count = tree_operands_set(sum, &gathering.arithmetic, gathering.leaves);
    if (gathering.count < 2) return false;
    gathering.all = gathering.count;
    tree_name_leaves(sum, gathering.count, &tree);
    tree.format = gathering.arithmetic.nodes.format;
    draw_attempt(&gathering, i / arithmetics.count, &rng);
    double given = tree_result(sum, gather(&gathering));
    work += gathering.work;
    if (given == search->value) {
      *out_tree = tree;
      return true;
    }
    bool is_farther = isnan(search->value) && isfinite(given) &&
                      (!is_found || search->direction * given > search->direction * *out_value);
    if (!is_farther) continue;
    is_found = true;
    *out_value = given;
    *out_tree = tree;
  }
  return is_found;
}

/* Of few leaves the end of all plain and fused trees is known, with its tree. */
static bool take_end(const search_t *search, arena_t *arena, double *inout_value,
                     few_terms_tree_t *inout_tree) {
  few_terms_tree_t tree;
  double end;
  int direction = search->direction < 0 ? -1 : 1;
  if (!any_order_end_tree(search->sum, direction, arena, &end, &tree)) return false;
  double given = tree_result(search->sum, end);
  bool is_taken = isnan(search->value) ? !(direction * given <= direction * *inout_value)
                                       : given == search->value;
  if (!is_taken) return false;
  *inout_value = given;
  *inout_tree = tree;
  return true;
}

bool few_terms_farthest(const few_terms_t *sum, int direction, arena_t *arena, double *out_value,
                        few_terms_tree_t *out_tree) {
  const search_t search = {sum, direction, INFINITY, NAN};
  *out_value = NAN;
  bool is_found = run(&search, out_value, out_tree);
  return take_end(&search, arena, out_value, out_tree) || is_found;
}

bool few_terms_gather(const few_terms_t *sum, double value, arena_t *arena,
                      few_terms_tree_t *out_tree) {
  real_t exact = tree_exact_sum(sum);
  double wanted = (value - exact.high) - exact.low, given;
  if (!isfinite(wanted)) return false;
  const search_t search = {sum, wanted < 0 ? -1 : 1, fabs(wanted), value};
  return run(&search, &given, out_tree) || take_end(&search, arena, &given, out_tree);
}
