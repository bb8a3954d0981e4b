/* SPDX-License-Identifier: Apache-2.0 */
/* Totals over the terms of a sum in integers of 128 bits. */
#ifndef ASSAY_ORACLES_EXACT_SUM_QUICK_FIXED_TOTALS_H
#define ASSAY_ORACLES_EXACT_SUM_QUICK_FIXED_TOTALS_H

#include "harness/num/int128.h"
#include "oracles/exact/sum/problem.h"

enum { FIXED_BITS = 126 };

/* What sum_totals_t has of the terms of a sum (totals.h), the numbers as multiples of 2^unit. */
typedef struct fixed_totals {
  int unit;
  bool has_nan, has_positive_infinity, has_negative_infinity;
  bool can_be_minus_zero, must_be_minus_zero;
  size_t positive_count, negative_count;
  int128_t positive, negative; /* Of negative terms, at most 0. */
  int128_t flushable;
  int128_t highest, lowest;
} fixed_totals_t;

/* All terms are multiples of 2^unit (sum_lowest_bit()).  False, and nothing there is to be used,
 * where the totals may not fit: theory.md, T249. */
bool fixed_totals_make(const sum_problem_t *question, int unit, fixed_totals_t *out_fixed);

/* A finite number as a multiple of 2^unit.  False if it is none, or has more than so many bits
 * there. */
bool fixed_of(double value, int unit, int bits, int128_t *out_fixed);

/* How many bits it has, without leading zeros. */
int fixed_length(uint128_t magnitude);

#endif
