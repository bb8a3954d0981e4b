/* SPDX-License-Identifier: Apache-2.0 */
/* Prepares the leaves of a sum or product for the dynamic programs over its trees, and counts
 * ranges and splits so that the work can be limited beforehand. */
#include "oracles/exact/in_order/node.h"

#include <glib.h>

/* Products of formats of at most 24 bits are exact in binary64 (arithmetic.c). */
static bool product_is_exact(const schedules_t *schedules, size_t term, double rounded) {
  enum { EXACT_IN_BINARY64 = 24 };
  if (schedules->format->precision > EXACT_IN_BINARY64) return false;
  return schedules->left[term] * schedules->right[term] == rounded;
}

schedule_node_t schedule_node_make(const schedules_t *schedules, arena_t *arena) {
  g_assert(schedules->right == NULL || !schedules->multiplies);
  g_assert(schedules->count + schedules->init_max > 0);
  schedule_node_t node = {.schedules = schedules, .arithmetic = arithmetic_make(schedules->format)};
  if (schedules->right == NULL) {
    node.leaves = schedules->left;
    return node;
  }
  double *leaves = ARENA_NEW_ARRAY(arena, double, schedules->count);
  for (size_t i = 0; i < schedules->count; i++) {
    leaves[i] = arithmetic_multiply(&node.arithmetic, schedules->left[i], schedules->right[i]);
    node.fuses |= schedules->may_fuse && !product_is_exact(schedules, i, leaves[i]);
  }
  node.leaves = leaves;
  return node;
}

/* The ways to choose begin <= middle <= end, and inits on the left <= all inits. */
double schedule_split_count(const schedules_t *schedules) {
  double terms = (double)schedules->count;
  double inits = (double)schedules->init_max;
  return (terms + 1) * (terms + 2) * (terms + 3) / 6 * ((inits + 1) * (inits + 2) / 2);
}

size_t schedule_range_count(const schedules_t *schedules) {
  size_t side = schedules->count + 1;
  return side * side * ((size_t)schedules->init_max + 1);
}
