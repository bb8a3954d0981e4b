/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a black box questions: few leaves hold numbers, all others zero. */
#ifndef ASSAY_IDENTIFY_PROBE_MASK_PROBE_H
#define ASSAY_IDENTIFY_PROBE_MASK_PROBE_H

#include "harness/identify/probe/black_box_sum.h"

/* A mask is a term so large that a unit is lost beside it: mask + capacity * unit rounds to mask.
 * Up to `capacity` units can be counted in the result. */
typedef struct mask_scale {
  double mask;
  double unit;
  size_t capacity;
} mask_scale_t;

enum { MASK_SCALES_MAX = 6 };

/* The scales worth trying, best first; returns how many, 0 if the types leave no room.  The first
 * holds for accumulators in the result's format, the others for wider ones and for small units. */
size_t mask_scales(const black_box_sum_t *black_box, mask_scale_t out_scales[MASK_SCALES_MAX]);

/* The largest exponent of a term or product that all formats hold; the least, normal or subnormal.
 */
int black_box_sum_largest_exponent(const black_box_sum_t *black_box);
int black_box_sum_least_exponent(const black_box_sum_t *black_box, bool subnormal);

typedef struct mask_probe {
  black_box_sum_t *black_box;
  double *left; /* By term; all 0 between probes. */
  double *right;
  double init;
  bool has_unfit; /* A value that was set is no term of the type. */
} mask_probe_t;

mask_probe_t mask_probe_make(black_box_sum_t *black_box, arena_t *arena);

/* Sets leaf `leaf` to a value, which a product splits over its factors. */
void mask_probe_set(mask_probe_t *probe, size_t leaf, double value);

/* Sets both factors of a product. */
void mask_probe_set_factors(mask_probe_t *probe, size_t leaf, double left, double right);

/* Evaluates, and sets all leaves back to zero.  STATUS_UNSUPPORTED if a value did not fit. */
status_t mask_probe_run(mask_probe_t *probe, double *out_value, failure_t *error);

#endif
