/* SPDX-License-Identifier: Apache-2.0 */
/* Adds pairs until one number is left, with the operations of one arithmetic: as loops do, and at
 * random. */
#include "oracles/exact/any_order/sample.h"

#include "harness/base/rng.h"
#include "oracles/exact/any_order/operands.h"

enum { TREES = 96 };

/* What is added next to what, among the numbers that are left. */
typedef enum shape { IN_TURN, REVERSED, IN_HALVES, SHUFFLED_LOOP, SHUFFLED_TREE } shape_t;

typedef struct pair {
  size_t kept; /* Where the sum goes. */
  size_t freed;
} pair_t;

static pair_t draw_pair(shape_t shape, size_t count, size_t last, rng_t *rng) {
  size_t i = shape == SHUFFLED_LOOP ? last : rng_below(rng, count);
  size_t j = rng_below(rng, count - 1);
  if (j >= i) j++;
  return (pair_t){.kept = i, .freed = j};
}

/* The number that was added goes; what lies behind it moves up, but where order is random anyway.
 */
static void remove_operand(tree_operand_t *operands, size_t place, size_t *count,
                           bool keeps_order) {
  --*count;
  if (!keeps_order) {
    operands[place] = operands[*count];
    return;
  }
  for (size_t k = place; k < *count; k++) operands[k] = operands[k + 1];
}

static double fold(const tree_arithmetic_t *tree, tree_operand_t *operands, size_t count,
                   shape_t shape, rng_t *rng, few_terms_tree_t *out_tree) {
  bool keeps_order = shape < SHUFFLED_LOOP;
  size_t made = 0;
  size_t last = keeps_order ? 0 : rng_below(rng, count);
  while (count > 1) {
    pair_t pair = {.kept = 0, .freed = 1};
    if (shape == REVERSED) pair = (pair_t){.kept = count - 2, .freed = count - 1};
    if (shape == IN_HALVES) pair = (pair_t){.kept = last, .freed = last + 1};
    if (!keeps_order) pair = draw_pair(shape, count, last, rng);
    tree_operand_t *kept = &operands[pair.kept];
    *kept = tree_operand_add(tree, kept, &operands[pair.freed], &out_tree->nodes[made]);
    kept->number = (uint8_t)(out_tree->leaf_count + made++);
    remove_operand(operands, pair.freed, &count, keeps_order);
    bool was_last = pair.kept == count;
    last = was_last ? pair.freed : pair.kept;
    if (shape == IN_HALVES) last = pair.kept + 2 <= count - 1 ? pair.kept + 1 : 0;
  }
  return operands[0].value;
}

/* The usual ones first, with every arithmetic. */
static shape_t shape_of(size_t tree, size_t arithmetics) {
  size_t round = tree / arithmetics;
  if (round < SHUFFLED_LOOP) return (shape_t)round;
  return round % 2 == 0 ? SHUFFLED_LOOP : SHUFFLED_TREE;
}

bool few_terms_sample(const few_terms_t *sum, double value, few_terms_tree_t *out_tree) {
  const tree_arithmetics_t arithmetics = tree_arithmetics_of(sum);
  tree_operand_t leaves[TREE_ARITHMETICS_MAX][TREE_LEAVES_MAX];
  size_t count = 0;
  if (sum->count + sum->init_count > TREE_LEAVES_MAX) return false;
  for (size_t i = 0; i < arithmetics.count; i++) {
    count = tree_operands_set(sum, &arithmetics.items[i], leaves[i]);
  }
  if (count == 0) return false;
  tree_name_leaves(sum, count, out_tree);
  rng_t rng = rng_make(count);
  for (size_t i = 0; i < TREES; i++) {
    size_t which = i % arithmetics.count;
    tree_operand_t operands[TREE_LEAVES_MAX];
    for (size_t k = 0; k < count; k++) operands[k] = leaves[which][k];
    out_tree->format = arithmetics.items[which].nodes.format;
    double given = fold(&arithmetics.items[which], operands, count, shape_of(i, arithmetics.count),
                        &rng, out_tree);
    if (tree_result(sum, given) == value) return true;
  }
  return false;
}
