/* SPDX-License-Identifier: Apache-2.0 */
/* Least and greatest value of all trees that keep the order of terms, by dynamic programming over
 * contiguous ranges. Tries the vector implementation for finite sums first; the general one also
 * handles infinities, NaN and fused products. */
#include "oracles/exact/in_order/hull.h"

#include <glib.h>
#include <math.h>

#include "oracles/exact/in_order/hull_parts.h"

/* The exact way: any operation, any number of initial values, infinities and NaN. */
typedef struct hull_builder {
  schedule_node_t node;
  schedule_hull_t *hulls; /* By schedule_range_index(). */
} hull_builder_t;

static const schedule_hull_t nothing = {.low = INFINITY, .high = -INFINITY};

static bool has_values(const schedule_hull_t *hull) { return hull->low <= hull->high; }
static bool has_infinity(const schedule_hull_t *hull) {
  return has_values(hull) && (isinf(hull->low) || isinf(hull->high));
}
static bool holds_zero(const schedule_hull_t *hull) { return hull->low <= 0 && hull->high >= 0; }

/* Takes in one value that a node may give: `in_binary64` rounded is `value`.  Of a sum that
 * overflowed to NaN only the largest number of its sign is sure to bound what is left. */
static void include(const schedule_node_t *node, double value, double in_binary64,
                    schedule_hull_t *inout_hull) {
  if (isnan(value)) {
    inout_hull->has_nan = true;
    if (!isfinite(in_binary64)) return;
    const format_t *format = node->schedules->format;
    value = copysign(format_to_double(format, format->largest_bits), in_binary64);
  }
  inout_hull->low = MIN(inout_hull->low, value);
  inout_hull->high = MAX(inout_hull->high, value);
}

static void include_combination(const schedule_node_t *node, double a, double b,
                                schedule_hull_t *inout_hull) {
  double in_binary64 = node->schedules->multiplies ? a * b : a + b;
  include(node, schedule_combine(node, a, b), in_binary64, inout_hull);
}

static void include_fused(const schedule_node_t *node, size_t term, const schedule_hull_t *other,
                          schedule_hull_t *inout_hull) {
  if (!has_values(other)) return;
  double ends[] = {other->low, other->high};
  for (int i = 0; i < 2; i++) {
    double product = node->schedules->left[term] * node->schedules->right[term];
    include(node, schedule_fuse(node, term, ends[i]), product + ends[i], inout_hull);
  }
}

/* Operations are monotone in each operand, so the corners hold the extremes. */
static void include_split(const hull_builder_t *builder, schedule_split_t split,
                          schedule_hull_t *inout_hull) {
  const schedules_t *schedules = builder->node.schedules;
  const schedule_hull_t *left = &builder->hulls[schedule_range_index(schedules, split.left)];
  const schedule_hull_t *right = &builder->hulls[schedule_range_index(schedules, split.right)];
  inout_hull->has_nan |= left->has_nan || right->has_nan;
  if (!has_values(left) || !has_values(right)) return;
  if (schedules->multiplies) {
    inout_hull->has_nan |=
        (has_infinity(left) && holds_zero(right)) || (holds_zero(left) && has_infinity(right));
  }
  double lefts[] = {left->low, left->high};
  double rights[] = {right->low, right->high};
  for (int i = 0; i < 4; i++) {
    include_combination(&builder->node, lefts[i / 2], rights[i % 2], inout_hull);
  }
  if (split.fuses_left) include_fused(&builder->node, split.left.begin, right, inout_hull);
  if (split.fuses_right) include_fused(&builder->node, split.right.begin, left, inout_hull);
}

static schedule_hull_t single_value(double value) {
  if (!isnan(value)) return (schedule_hull_t){.low = value, .high = value};
  schedule_hull_t hull = nothing;
  hull.has_nan = true;
  return hull;
}

static schedule_hull_t range_hull(const hull_builder_t *builder, schedule_range_t range) {
  const schedule_node_t *node = &builder->node;
  if (range.length + range.inits == 1) {
    return single_value(range.length == 1 ? node->leaves[range.begin] : node->schedules->init);
  }
  schedule_hull_t hull = nothing;
  for (size_t length = 0; length <= range.length; length++) {
    for (uint32_t inits = 0; inits <= range.inits; inits++) {
      schedule_split_t split = schedule_split_at(node, range, length, inits);
      if (schedule_range_is_empty(split.left) || schedule_range_is_empty(split.right)) continue;
      include_split(builder, split, &hull);
    }
  }
  return hull;
}

static schedule_hull_t hull_exactly(const schedule_node_t *node, arena_t *arena) {
  const schedules_t *schedules = node->schedules;
  hull_builder_t builder = {
      .node = *node,
      .hulls = ARENA_NEW_ARRAY(arena, schedule_hull_t, schedule_range_count(schedules))};
  schedule_hull_t all = nothing;
  for (size_t length = 0; length <= schedules->count; length++) {
    size_t last_begin = length == 0 ? 0 : schedules->count - length;
    for (uint32_t inits = 0; inits <= schedules->init_max; inits++) {
      for (size_t begin = 0; begin <= last_begin; begin++) {
        schedule_range_t range = {.inits = inits, .begin = begin, .length = length};
        if (schedule_range_is_empty(range)) continue;
        schedule_hull_t hull = range_hull(&builder, range);
        builder.hulls[schedule_range_index(schedules, range)] = hull;
        if (length < schedules->count || inits < schedules->init_min) continue;
        all.low = MIN(all.low, hull.low);
        all.high = MAX(all.high, hull.high);
        all.has_nan |= hull.has_nan;
      }
    }
  }
  return all;
}

/* Adding zero changes nothing but the sign of zero. */
static schedules_t without_neutral_inits(const schedules_t *schedules) {
  schedules_t plain = *schedules;
  if (schedules->init == 0 && !schedules->multiplies && schedules->count > 0) {
    plain.init_min = plain.init_max = 0;
  }
  return plain;
}

status_t schedule_hull_make(const schedules_t *schedules, uint64_t work, arena_t *arena,
                            schedule_hull_t *out_hull, failure_t *error) {
  schedules_t plain = without_neutral_inits(schedules);
  if (schedule_split_count(&plain) > (double)work) {
    return status_fail(error, STATUS_UNDECIDED,
                       "the schedules of %zu terms and up to %u initial values are too many",
                       plain.count, plain.init_max);
  }
  schedule_node_t node = schedule_node_make(&plain, arena);
  if (!schedule_hull_dense(&node, arena, out_hull)) *out_hull = hull_exactly(&node, arena);
  return STATUS_OK;
}
