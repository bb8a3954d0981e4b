/* SPDX-License-Identifier: Apache-2.0 */
/* Folds in the order of a schedule: the items of sum_order_build() are places among the leaves, and
 * the place of a sum is that of its first item. */
#include <math.h>

#include "oracles/exact/fold/parts.h"

typedef struct folding {
  const fold_t *fold;
  fold_value_t *leaves;
  uint32_t sum; /* Of compensated loops: where the sum is, SUM_NO_ITEM at first, ... */
  double lost;  /* ... and by how much it is too large. */
} folding_t;

static uint32_t combine(void *context, const uint32_t *items, uint32_t count) {
  const folding_t *folding = context;
  fold_value_t *sum = &folding->leaves[items[0]];
  g_assert(count == 2); /* builtin_parse() refuses orders with wider nodes. */
  *sum = folding->fold->combine(folding->fold, *sum, folding->leaves[items[1]]);
  return items[0];
}

/* A leaf is added to what a compensated loop has (theory.md, D25); what is not finite carries
 * nothing on. */
static double add_compensated(folding_t *folding, double sum, fold_value_t leaf) {
  const fold_t *fold = folding->fold;
  const arithmetic_t *nodes = &fold->arithmetic;
  bool is_fused = fold->fused && leaf.factor != 1;
  double term = is_fused ? arithmetic_fused(nodes, leaf.real, leaf.factor, -folding->lost)
                         : arithmetic_add(nodes, fold_settle(fold, leaf).real, -folding->lost);
  double next = arithmetic_add(nodes, sum, term);
  double gained = arithmetic_add(nodes, next, -sum);
  folding->lost = isfinite(next) ? arithmetic_add(nodes, gained, -term) : 0;
  return next;
}

static uint32_t compensate(void *context, const uint32_t *items, uint32_t count) {
  folding_t *folding = context;
  g_assert(count == 2);
  bool is_behind = items[1] == folding->sum;
  uint32_t from = items[is_behind ? 1 : 0], place = items[is_behind ? 0 : 1];
  double sum = fold_settle(folding->fold, folding->leaves[from]).real;
  fold_value_t leaf = folding->leaves[place];
  /* Where an initial value of zero is the last leaf there is nothing to be added. */
  bool is_nothing = place < folding->fold->init_count && leaf.real == 0;
  folding->sum = items[0];
  folding->leaves[items[0]] =
      fold_real(is_nothing ? sum + leaf.real : add_compensated(folding, sum, leaf));
  return items[0];
}

/* What most models do: without a list of places. */
static fold_value_t fold_forward(const fold_t *fold, const fold_value_t *leaves, size_t count) {
  fold_value_t sum = leaves[0];
  for (size_t i = 1; i < count; i++) sum = fold->combine(fold, sum, leaves[i]);
  return sum;
}

fold_value_t fold_tree(const fold_t *fold, fold_value_t *leaves, size_t count, size_t output) {
  const sum_order_t *order = &fold->schedule->order;
  bool is_float_sum = fold->body == FOLD_ADD && fold->element->kind == ELEMENT_FLOAT;
  bool is_compensated = fold->schedule->compensated && is_float_sum;
  if (order->kind == SUM_SEQUENTIAL && !is_compensated) return fold_forward(fold, leaves, count);
  uint64_t seed = fold->schedule->seed;
  rng_t rng = rng_make(rng_splitmix(&seed) ^ output);
  folding_t folding = {.fold = fold, .leaves = leaves, .sum = SUM_NO_ITEM};
  const sum_builder_t builder = {.add = is_compensated ? compensate : combine,
                                 .context = &folding,
                                 .front = SUM_NO_ITEM,
                                 .rng = &rng};
  uint32_t *places = g_new(uint32_t, count);
  for (size_t i = 0; i < count; i++) places[i] = (uint32_t)i;
  uint32_t sum;
  bool has_tree = sum_order_build(order, &builder, places, (uint32_t)count, &sum);
  g_assert(has_tree); /* All orders of models have one: builtin_parse(). */
  g_free(places);
  return leaves[sum];
}
