/* SPDX-License-Identifier: Apache-2.0 */
/* Sums in formats of at most 16 bits with any number of initial values: what plain nodes give at
 * all, and with how many of them (theory.md, T120 and T126). */
#ifndef ASSAY_ORACLES_EXACT_CLOSURE_CLOSED_SUM_H
#define ASSAY_ORACLES_EXACT_CLOSURE_CLOSED_SUM_H

#include "harness/model/contract.h"
#include "oracles/exact/closure/closure.h"

typedef struct closed_sum {
  const format_t *format;
  const format_t *result; /* What the sum is converted to at last; NULL: it stays as it is. */
  size_t count;
  const double *terms; /* Binary64 carriers of numbers of the format, infinities or NaN. */
  double init;
  const contract_t *contract;
  size_t sums_of_case; /* So many share what a case may cost (share.h); 0: this one is alone. */
} closed_sum_t;

/* Sets for each pattern of the format the least number of initial values with which some tree gives
 * it, CLOSURE_NEVER if the contract permits no such number; all NaNs are one pattern, that of NAN.
 * Of values above `wanted`, if the initial value is positive (below, if it is negative), nothing is
 * told; infinite or NaN: all are wanted.  `out_least` has 2^format->bits elements; `work` is
 * closure_question_t's.  False if it cannot be told: the format is longer, other nodes are
 * permitted, there are too many terms, or it takes too much work. */
bool closed_sum_make(const closed_sum_t *sum, double wanted, size_t work, arena_t *arena,
                     uint32_t *out_least);

/* Likewise of one pattern of the result's type, for as much work as the sums of a case may take.
 * False also if the sum is none of those of its case that are judged so. */
bool closed_sum_least_inits(const closed_sum_t *sum, uint64_t bits, arena_t *arena,
                            uint32_t *out_inits);

#endif
