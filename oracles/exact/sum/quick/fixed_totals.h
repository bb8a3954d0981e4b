/* SPDX-License-Identifier: Apache-2.0 */
/* Totals over the terms of a sum in integers of 128 bits. */
#ifndef ASSAY_ORACLES_EXACT_SUM_QUICK_FIXED_TOTALS_H
#define ASSAY_ORACLES_EXACT_SUM_QUICK_FIXED_TOTALS_H

#include "harness/num/int128.h"
#include "oracles/exact/sum/totals.h"

enum { FIXED_BITS = 126 };

/* All are multiples of 2^lowest_bit of the totals, and count these. */
typedef struct fixed_totals {
  int128_t positive, negative; /* Of negative terms, at most 0. */
  int128_t flushable;
  int128_t highest, lowest;
} fixed_totals_t;

/* Sets counts, signs of zeros and special values in `totals`, whose lowest_bit is set, and touches
 * no number there.  False, and nothing in either is to be used, where the totals may not fit:
 * theory.md, T249. */
bool fixed_totals_add(const sum_problem_t *question, sum_totals_t *inout_totals,
                      fixed_totals_t *out_fixed);

/* A finite number as a multiple of 2^unit.  False if it is none, or has more than so many bits
 * there. */
bool fixed_of(double value, int unit, int bits, int128_t *out_fixed);

/* How many bits it has, without leading zeros. */
int fixed_length(uint128_t magnitude);

#endif
