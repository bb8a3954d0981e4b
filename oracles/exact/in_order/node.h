/* SPDX-License-Identifier: Apache-2.0 */
/* What set.c and make_hull.c share: ranges, their splits, and the operation of a node. */
#ifndef ASSAY_ORACLES_EXACT_IN_ORDER_NODE_H
#define ASSAY_ORACLES_EXACT_IN_ORDER_NODE_H

#include "harness/base/arena.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/in_order/trees.h"

/* The leaves under a node: `length` terms from `begin`, and `inits` initial values among them. */
typedef struct schedule_range {
  uint32_t inits;
  size_t begin;
  size_t length;
} schedule_range_t;

static inline bool schedule_range_is_empty(schedule_range_t range) {
  return range.inits == 0 && range.length == 0;
}

/* Two parts of a range; a part that is a single product may stay unrounded. */
typedef struct schedule_split {
  schedule_range_t left;
  schedule_range_t right;
  bool fuses_left;
  bool fuses_right;
} schedule_split_t;

typedef struct schedule_node {
  const schedules_t *schedules;
  arithmetic_t arithmetic;
  bool fuses;           /* Fusing is permitted and can make a difference. */
  const double *leaves; /* The rounded terms. */
} schedule_node_t;

/* Rounds the terms; `leaves` live in the arena. */
schedule_node_t schedule_node_make(const schedules_t *schedules, arena_t *arena);

static inline double schedule_combine(const schedule_node_t *node, double a, double b) {
  return node->schedules->multiplies ? arithmetic_multiply(&node->arithmetic, a, b)
                                     : arithmetic_add(&node->arithmetic, a, b);
}

/* Adds product `term`, unrounded. */
static inline double schedule_fuse(const schedule_node_t *node, size_t term, double value) {
  const schedules_t *schedules = node->schedules;
  return arithmetic_fused(&node->arithmetic, schedules->left[term], schedules->right[term], value);
}

static inline bool schedule_range_is_single_term(schedule_range_t range) {
  return range.length == 1 && range.inits == 0;
}

/* The split after `length` terms and `inits` initial values. */
static inline schedule_split_t schedule_split_at(const schedule_node_t *node,
                                                 schedule_range_t range, size_t length,
                                                 uint32_t inits) {
  schedule_split_t split = {
      .left = {.inits = inits, .begin = range.begin, .length = length},
      .right = {.inits = range.inits - inits,
                .begin = range.begin + length,
                .length = range.length - length},
  };
  split.fuses_left = node->fuses && schedule_range_is_single_term(split.left);
  split.fuses_right = node->fuses && schedule_range_is_single_term(split.right);
  return split;
}

/* What a value of the accumulation becomes as a result, rounded to nearest (theory.md, T129). */
static inline double schedule_convert(const schedules_t *schedules, double value) {
  const format_t *result = schedules->result;
  if (result == NULL) return value;
  return format_to_double(result, format_from_double(result, value));
}

/* Number of splits of all ranges: what dynamic programming over them takes at the least. */
double schedule_split_count(const schedules_t *schedules);

/* Ranges are numbered so that those with the same begin and inits are neighbours, by length; all
 * that hold no term are one. */
size_t schedule_range_count(const schedules_t *schedules);
static inline size_t schedule_range_index(const schedules_t *schedules, schedule_range_t range) {
  size_t side = schedules->count + 1;
  size_t begin = range.length == 0 ? 0 : range.begin;
  return (range.inits * side + begin) * side + range.length;
}

#endif
