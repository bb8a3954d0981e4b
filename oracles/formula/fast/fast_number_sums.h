/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over a row in binary64: those of its low ends, its high ends and its points, and those of
 * squares.  Private to fast_kernels.c. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_FAST_NUMBER_SUMS_H
#define ASSAY_ORACLES_FORMULA_FAST_FAST_NUMBER_SUMS_H

#include "oracles/formula/fast/fast_numbers.h"
#include "oracles/formula/fast/fast_steps.h"

KERNEL_INLINE double sum_of_lanes(const double lanes[LANES]) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

static double sum_of(const double *numbers, size_t count, double *out_magnitude) {
  double sums[LANES] = {0}, magnitudes[LANES] = {0};
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    for (size_t lane = 0; lane < LANES; lane++) {
      sums[lane] += numbers[i + lane];
      magnitudes[lane] += fabs(numbers[i + lane]);
    }
  }
  for (size_t lane = 0; i + lane < count; lane++) {
    sums[lane] += numbers[i + lane];
    magnitudes[lane] += fabs(numbers[i + lane]);
  }
  *out_magnitude = sum_of_lanes(magnitudes);
  return sum_of_lanes(sums);
}

static void sum(const fast_numbers_t *a, fast_totals_t *out) {
  double unused;
  *out = (fast_totals_t){.low = 0};
  out->low = sum_of(a->low, a->count, &out->low_magnitude);
  if (a->are_points) {
    out->high = out->point = out->low;
    out->high_magnitude = out->low_magnitude;
    return;
  }
  out->high = sum_of(a->high, a->count, &out->high_magnitude);
  out->point = sum_of(a->point, a->count, &unused);
}

static double sum_of_squares(const double *a, size_t count, double mean) {
  double sums[LANES] = {0};
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    for (size_t lane = 0; lane < LANES; lane++) {
      double deviation = a[i + lane] - mean;
      sums[lane] += deviation * deviation;
    }
  }
  for (size_t lane = 0; i + lane < count; lane++) {
    double deviation = a[i + lane] - mean;
    sums[lane] += deviation * deviation;
  }
  return sum_of_lanes(sums);
}

static void squared_deviations(const fast_numbers_t *a, const fast_numbers_t *mean,
                               fast_totals_t *out) {
  *out = (fast_totals_t){.point = sum_of_squares(a->point, a->count, mean->point[0])};
}

#endif
