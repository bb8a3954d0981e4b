/* SPDX-License-Identifier: Apache-2.0 */
/* What a step of the fast evaluator makes of a number.  Private to fast_kernels.c and
 * fast_pair_kernels.c. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_FAST_STEPS_H
#define ASSAY_ORACLES_FORMULA_FAST_FAST_STEPS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "oracles/formula/elementary_kernels.h"

KERNEL_INLINE double to_f32(double x) { return (double)(float)x; }

KERNEL_INLINE double least(double a, double b) { return a < b ? a : b; }
KERNEL_INLINE double most(double a, double b) { return a > b ? a : b; }

KERNEL_INLINE double not_a_number(void) { return binary64_value(UINT64_C(0x7ff8) << 48); }

enum { LANES = 8 }; /* Independent sums, so that they can live in vector registers. */

/* NaN if one is. */
KERNEL_INLINE double greatest_of(const double *a, size_t count) {
  double maxima[LANES];
  uint64_t is_nan = 0;
  for (size_t lane = 0; lane < LANES; lane++) maxima[lane] = -(double)INFINITY;
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    for (size_t lane = 0; lane < LANES; lane++) {
      maxima[lane] = most(a[i + lane], maxima[lane]);
      is_nan |= a[i + lane] != a[i + lane];
    }
  }
  for (; i < count; i++) {
    maxima[0] = most(a[i], maxima[0]);
    is_nan |= a[i] != a[i];
  }
  for (size_t lane = 1; lane < LANES; lane++) maxima[0] = most(maxima[0], maxima[lane]);
  return is_nan != 0 ? not_a_number() : maxima[0];
}

/* A number that an operation gave, rounded to binary64, and whether that rounded nothing, or its
 * operands are binary32 numbers: then it may be rounded to binary32. */
typedef struct step_value {
  double value;
  int is_sure; /* No bool, so that & is no surprise. */
} step_value_t;

KERNEL_INLINE int is_f32(double x) { return to_f32(x) == x; }

/* Whether to_f32() may round otherwise than one rounding would: in the middle between two binary32
 * numbers, and below the normal ones. */
KERNEL_INLINE int is_unsure(double x) {
  bool is_tie = (binary64_bits(x) & 0x1fffffff) == 0x10000000;
  return is_tie | (fabs(x) < 0x1p-126);
}

/* The ends of what a step makes of that: what it rounds to in binary32; and where steps may stay
 * unrounded (theory.md, T125) also the number itself, and that alone if its rounding is not sure or
 * is zero. */
KERNEL_INLINE double low_end(step_value_t x, bool is_wide) {
  double near = to_f32(x.value);
  bool is_alone = is_wide & ((near == 0) | ((x.is_sure == 0) & is_unsure(x.value)));
  near = is_alone ? x.value : near;
  return (is_wide & (x.value < near)) ? x.value : near;
}

KERNEL_INLINE double high_end(step_value_t x, bool is_wide) {
  return -low_end((step_value_t){-x.value, x.is_sure}, is_wide);
}

/* a + b; it is exact if what is lost is 0 [Knuth 1969, TwoSum]. */
KERNEL_INLINE step_value_t add_values(double a, double b) {
  double sum = a + b, of_b = sum - a;
  double lost = (a - (sum - of_b)) + (b - of_b);
  return (step_value_t){sum, (lost == 0) | (is_f32(a) & is_f32(b))};
}

#endif
