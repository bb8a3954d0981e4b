/* SPDX-License-Identifier: Apache-2.0 */
/* How the way of adding depends on a size: ranges of sizes within which one order explains every
 * size that was identified, with their boundaries found by bisection.
 *
 * Identified are both ends, the powers of two between them and their neighbours, what bisection
 * asks for, and a size at random in every gap that is left; a range that lies between two sizes of
 * one kind and is hit by none of these stays unseen. */
#ifndef ASSAY_IDENTIFY_ORDER_ORDER_BY_SIZE_H
#define ASSAY_IDENTIFY_ORDER_ORDER_BY_SIZE_H

#include "harness/identify/identify.h"
#include "harness/identify/order/sum_order_find.h"

/* One size. */
typedef struct size_point {
  int64_t size;
  bool is_refused;               /* The executor does not support the program. */
  char reason[ERROR_TEXT_BYTES]; /* Of a refusal, or why it was not identified. */
  identity_t identity;
  bool is_explained; /* Identified, and all that was checked was predicted. */
  bool has_profile;
  profile_t profile; /* In the map's arena. */
  const sum_order_t *order;
  size_t calls;
} size_point_t;

/* Identifies one size; `hint` may be NULL.  Sets all members but the order.  Failures end the map.
 */
typedef status_t (*size_identify_t)(void *context, int64_t size, const profile_t *hint,
                                    arena_t *arena, size_point_t *out_point, failure_t *error);

/* What identifies sizes, with its context. */
typedef struct size_identifier {
  size_identify_t identify;
  void *context;
} size_identifier_t;

/* Sizes of one kind. */
typedef struct size_range {
  int64_t first;
  int64_t last;
  size_t begin; /* Its points are points[begin..end). */
  size_t end;
  const sum_order_t *order; /* Explains them all; NULL if they are irregular. */
} size_range_t;

typedef struct order_by_size {
  GArray *points; /* Of size_point_t, ascending. */
  GArray *ranges; /* Of size_range_t, ascending. */
  size_t calls;
} order_by_size_t;

/* Maps first..last; freed with order_by_size_free(). */
status_t order_by_size_find(const size_identifier_t *identifier, int64_t first, int64_t last,
                            arena_t *arena, order_by_size_t *out_map, failure_t *error);
void order_by_size_free(order_by_size_t *map);

/* "a=f32/fused b=f64", the arithmetics of the nodes, sorted. */
void profile_print_arithmetics(const profile_t *profile, GString *out_text);

#endif
