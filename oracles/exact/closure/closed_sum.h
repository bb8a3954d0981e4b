/* SPDX-License-Identifier: Apache-2.0 */
/* Sums in formats of at most 8 bits with any number of initial values: what plain nodes give at
 * all, and with how many of them (theory.md, T120). */
#ifndef ASSAY_ORACLES_EXACT_CLOSURE_CLOSED_SUM_H
#define ASSAY_ORACLES_EXACT_CLOSURE_CLOSED_SUM_H

#include "harness/model/contract.h"
#include "oracles/exact/closure/closure.h"

typedef struct closed_sum {
  const format_t *format;
  size_t count;
  const double *terms; /* Binary64 carriers of numbers of the format, infinities or NaN. */
  double init;
  const contract_t *contract;
} closed_sum_t;

/* Sets the least number of initial values with which some tree gives the value; CLOSURE_NEVER if
 * the contract permits no such number.  False if it cannot be told: the format is longer, other
 * nodes are permitted, or there are too many terms. */
bool closed_sum_least_inits(const closed_sum_t *sum, double value, arena_t *arena,
                            uint32_t *out_inits);

#endif
