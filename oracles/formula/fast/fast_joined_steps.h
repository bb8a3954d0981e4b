/* SPDX-License-Identifier: Apache-2.0 */
/* Several steps of a formula in one loop: each gives the numbers that they give one by one. Private
 * to fast_kernels.c. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_FAST_JOINED_STEPS_H
#define ASSAY_ORACLES_FORMULA_FAST_FAST_JOINED_STEPS_H

#include <float.h>
#include <math.h>

#include "oracles/formula/fast/fast_numbers.h"
#include "oracles/formula/fast/fast_steps.h"

/* One number of a row. */
typedef struct interval {
  double low, high, point;
} interval_t;

/* Gives up what has no order, or may be infinite, but for what is -infinity for sure. */
KERNEL_INLINE interval_t kept(double low, double high, double point) {
  bool is_good = (low <= high) & (high <= DBL_MAX) & ((low >= -DBL_MAX) | (high < -DBL_MAX));
  return (interval_t){is_good ? low : not_a_number(), is_good ? high : not_a_number(), point};
}

/* The interval of what a step that rounds makes of the ends of another; nothing if one is NaN. */
KERNEL_INLINE interval_t between(double p, double q, double point) {
  double low = to_f32(least(p, q)), high = to_f32(most(p, q)), total = p + q;
  return kept(total == total ? low : not_a_number(), high, point);
}

/* The hull, or the one that is known. */
KERNEL_INLINE interval_t hull(interval_t a, interval_t b) {
  bool is_unknown = !(fabs(a.low) <= DBL_MAX), is_told = fabs(b.low) <= DBL_MAX;
  bool is_low = is_unknown | (is_told & (b.low < a.low));
  bool is_high = is_unknown | (is_told & (b.high > a.high));
  return (interval_t){is_low ? b.low : a.low, is_high ? b.high : a.high,
                      is_unknown ? b.point : a.point};
}

/* Halved, such a number of binary32 is one again. */
KERNEL_INLINE int has_half(double x) {
  return (x == 0) | ((fabs(x) >= 0x1p-125) & (fabs(x) <= DBL_MAX));
}

/* a * b / 2 of a point and an interval, either of which is halved first. */
KERNEL_INLINE interval_t half_product_of(double a, interval_t b) {
  interval_t half_a = between(a * 0.5, a * 0.5, a * 0.5);
  interval_t half_b = between(b.low * 0.5, b.high * 0.5, b.point * 0.5);
  return hull(between(half_a.low * b.low, half_a.low * b.high, half_a.point * b.point),
              between(a * half_b.low, a * half_b.high, a * half_b.point));
}

/* The same where all have halves: products are exact in binary64, and so both are one. */
KERNEL_INLINE interval_t exact_half_product_of(double a, interval_t b) {
  double half = a * 0.5, p = half * b.low, q = half * b.high;
  return kept(to_f32(least(p, q)), to_f32(most(p, q)), half * b.point);
}

/* `have_halves` is a constant of the loop. */
KERNEL_INLINE void half_products(const double *a, const fast_numbers_t *b, fast_numbers_t *out,
                                 size_t first, size_t last, bool have_halves) {
  const double *b_low = b->low, *b_high = b->high, *b_point = b->point;
  double *restrict low = out->low, *restrict high = out->high, *restrict point = out->point;
  for (size_t i = first; i < last; i++) {
    const interval_t factor = {b_low[i], b_high[i], b_point[i]};
    const interval_t product =
        have_halves ? exact_half_product_of(a[i], factor) : half_product_of(a[i], factor);
    low[i] = product.low;
    high[i] = product.high;
    point[i] = product.point;
  }
}

static void half_product(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out) {
  enum { SPAN = 64 };
  const size_t count = out->count;
  const double *points = a->point, *b_low = b->low, *b_high = b->high;
  for (size_t first = 0; first < count; first += SPAN) {
    const size_t last = count - first < SPAN ? count : first + SPAN;
    uint64_t lacks = 0;
    for (size_t i = first; i < last; i++) {
      lacks |= (has_half(points[i]) & has_half(b_low[i]) & has_half(b_high[i])) != 0 ? 0 : 1;
    }
    if (lacks == 0) half_products(points, b, out, first, last, true);
    if (lacks != 0) half_products(points, b, out, first, last, false);
  }
}

/* Points times a number of at most 1, or divided by one of at least 1: neither overflows. */
static void scaled(const fast_numbers_t *a, const fast_numbers_t *factor,
                   const fast_numbers_t *divisor, fast_numbers_t *out) {
  const size_t count = out->count;
  const double times = factor->low[0], times_point = factor->point[0], by = divisor->low[0];
  const double *points = a->point;
  double *restrict low = out->low, *restrict high = out->high, *restrict point = out->point;
  for (size_t i = 0; i < count; i++) {
    double p = points[i] * times, q = points[i] / by;
    const interval_t number =
        kept(to_f32(least(p, q)), to_f32(most(p, q)), points[i] * times_point);
    low[i] = number.low;
    high[i] = number.high;
    point[i] = number.point;
  }
}

#endif
