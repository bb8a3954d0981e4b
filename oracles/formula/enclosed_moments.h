/* SPDX-License-Identifier: Apache-2.0 */
/* Exact moments of rows, from both sides: what the bounds on computed ones start from.  Private to
 * oracles/formula. */
#ifndef ASSAY_ORACLES_FORMULA_ENCLOSED_MOMENTS_H
#define ASSAY_ORACLES_FORMULA_ENCLOSED_MOMENTS_H

#include "oracles/formula/enclosed_set.h"

enum { MOMENT_PRECISION = 320 };

/* Of a row of points; of intervals, those of their lower ends. */
typedef struct moments {
  mpfr_t mean; /* Within mean_error of the exact one. */
  mpfr_t mean_error;
  mpfr_t squares_low; /* The sum of squared deviations from the exact mean lies between them. */
  mpfr_t squares_high;
  double largest; /* Of |x|, rounded up. */
  double range;   /* max x - min x, rounded up: theory.md, T8. */
  double width;   /* Of the widest interval, rounded up: 0 for points. */
} moments_t;

/* One number at least, all with finite ends. */
void moments_init(moments_t *moments, row_t a);
void moments_deinit(moments_t *moments);

/* What the sum of squared deviations from the mean is at the least, of numbers anywhere in their
 * intervals: theory.md, T214. */
double moments_least_squares(row_t a);

/* Whether each set is one finite number. */
bool enclosed_are_finite_points(row_t a);

#endif
