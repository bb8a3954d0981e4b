/* SPDX-License-Identifier: Apache-2.0 */
/* Folds in the order of a schedule: the items of sum_order_build() are places among the leaves, and
 * the place of a sum is that of its first item. */
#include "oracles/exact/fold/parts.h"

typedef struct folding {
  const fold_t *fold;
  fold_value_t *leaves;
} folding_t;

static uint32_t combine(void *context, const uint32_t *items, uint32_t count) {
  const folding_t *folding = context;
  fold_value_t *sum = &folding->leaves[items[0]];
  g_assert(count == 2); /* builtin_parse() refuses orders with wider nodes. */
  *sum = folding->fold->combine(folding->fold, *sum, folding->leaves[items[1]]);
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
  if (order->kind == SUM_SEQUENTIAL) return fold_forward(fold, leaves, count);
  uint64_t seed = fold->schedule->seed;
  rng_t rng = rng_make(rng_splitmix(&seed) ^ output);
  folding_t folding = {fold, leaves};
  const sum_builder_t builder = {
      .add = combine, .context = &folding, .front = SUM_NO_ITEM, .rng = &rng};
  uint32_t *places = g_new(uint32_t, count);
  for (size_t i = 0; i < count; i++) places[i] = (uint32_t)i;
  uint32_t sum;
  bool has_tree = sum_order_build(order, &builder, places, (uint32_t)count, &sum);
  g_assert(has_tree); /* All orders of models have one: builtin_parse(). */
  g_free(places);
  return leaves[sum];
}
