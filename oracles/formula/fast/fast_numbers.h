/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the fast evaluator. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_FAST_NUMBERS_H
#define ASSAY_ORACLES_FORMULA_FAST_FAST_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

/* For each of `count` values an interval within the set that the enclosed evaluator finds, its ends
 * being numbers of the working format, and the exact value, nearly.  Both ends are NaN where
 * nothing is known.  Both may be infinite, and then equal. */
typedef struct fast_numbers {
  size_t count;
  bool are_points; /* low = high = point throughout. */
  bool is_wide;    /* Of a result: steps may stay unrounded (theory.md, T125), and so ends may be no
                    * binary32 numbers. */
  double *low;
  double *high;
  double *point;
  double *tail; /* In binary64: what is to be added to the points; NULL in binary32. */
} fast_numbers_t;

/* Sums over a row, each within count * 2^-53 of its magnitude, or in binary64 with its tail within
 * count * 2^-103. */
typedef struct fast_totals {
  double low, low_tail; /* Tails are 0 in binary32. */
  double high, high_tail;
  double point, point_tail;
  double low_magnitude; /* Of |low|, and of |high|. */
  double high_magnitude;
} fast_totals_t;

#endif
