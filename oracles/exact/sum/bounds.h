/* SPDX-License-Identifier: Apache-2.0 */
/* The sum with one number of initial values: exact totals, permitted errors, and the set of values
 * that follows from them in any order.  (sum_problem.h has what is asked.) */
#ifndef ASSAY_ORACLES_EXACT_SUM_BOUNDS_H
#define ASSAY_ORACLES_EXACT_SUM_BOUNDS_H

#include <mpfr.h>

#include "harness/model/contract.h"
#include "oracles/exact/any_order/terms.h"
#include "oracles/exact/sum/totals.h"
#include "oracles/exact/value_range.h"

typedef struct sum_bounds {
  uint32_t init_count;
  size_t terms;               /* Leaves, initial values included unless they are zeros. */
  mpfr_t reference;           /* x*: the exact sum. */
  mpfr_t magnitude;           /* Sum of absolute values. */
  mpfr_t error;               /* E': permitted before the last rounding. */
  mpfr_t total_error;         /* E: the last rounding included. */
  bool is_levelled;           /* Few terms in any order, of which more may be known; but ... */
  mpfr_t sure_error;          /* ... so much of E' stands in any case (theory.md, T123). */
  bool stays_small;           /* No partial sum is near the largest number. */
  bool outwards;              /* The last rounding may be directed. */
  bool may_stop;              /* A partial sum may stop at the largest number. */
  value_range_t range;        /* In the accumulation type. */
  value_range_t result_range; /* In the type of the result, which may be another. */
} sum_bounds_t;

/* Whether no initial value takes part, or one of zero, which changes nothing but signs of zero. */
bool sum_init_is_zero(const sum_problem_t *question);

void sum_bounds_init(sum_bounds_t *sum, const sum_problem_t *question, uint32_t init_count);
void sum_bounds_deinit(sum_bounds_t *sum);

/* Sets all that follows from the totals: numbers and range. */
void sum_bounds_set_range(sum_bounds_t *sum, const sum_problem_t *question,
                          const sum_totals_t *totals, const contract_t *contract);

/* Adds the initial values, if they have that sign; and how many numbers of that sign there are,
 * initial values included. */
void sum_bounds_add_inits(mpfr_ptr inout, const sum_bounds_t *sum, const sum_problem_t *question,
                          bool positive);
size_t sum_bounds_terms_of_sign(const sum_bounds_t *sum, const sum_problem_t *question,
                                const sum_totals_t *totals, bool positive);

/* How many terms, initial values included, are not zero. */
size_t sum_bounds_nonzero(const sum_bounds_t *sum, const sum_problem_t *question,
                          const sum_totals_t *totals);

/* Whether no operation of any schedule rounds: then x* alone conforms, or what comes of it where a
 * partial sum may be subnormal, and is flushed. */
bool sum_bounds_are_exact(const sum_bounds_t *sum, const sum_problem_t *question,
                          const sum_totals_t *totals);
bool sum_bounds_may_flush(const sum_bounds_t *sum, const sum_problem_t *question,
                          const sum_totals_t *totals, const contract_t *contract);

/* At least the largest, and at most the least, quotient of a computed sum of so many positive
 * numbers of the format and the exact one, nodes being plain (theory.md, T128); infinite if none is
 * known. */
double sum_one_sign_growth(const format_t *format, uint64_t count);
double sum_one_sign_decline(const format_t *format, uint64_t count);

/* Cuts off of the range in the accumulation type what no plain tree with so many initial values
 * gives by that.  Of few of them T10 says as much, and the fast side relies on it. */
void sum_bounds_clip_inits(sum_bounds_t *sum, const sum_problem_t *question,
                           const sum_totals_t *totals, const contract_t *contract);

/* Whether the sum may be subnormal in the format before it is rounded to that. */
bool sum_may_be_subnormal(const sum_bounds_t *sum, const format_t *format);

/* ---- What trees are asked about -------------------------------------------------------------- */

/* Where nothing can be subnormal, permission to flush permits nothing, and is left out (theory.md,
 * T105); but where schedules would decide then, of which the fast side knows nothing. */
contract_t sum_effective_contract(const sum_problem_t *question, const contract_t *contract);

/* The terms of the question, under what that gives. */
few_terms_t sum_few_terms(const sum_bounds_t *sum, const sum_problem_t *question,
                          const contract_t *contract);

/* Whether what no tree gives may come of a compensated loop (theory.md, T248) of these terms, with
 * the initial value once. */
bool sum_may_be_compensated(const sum_problem_t *question, const contract_t *contract,
                            few_terms_t *out_terms);

/* ---- How often the initial value may have entered, judging by the result --------------------- */

enum { INIT_COUNTS_TRIED = 8 };

typedef struct init_counts {
  size_t count;
  uint32_t tried[INIT_COUNTS_TRIED];
  uint32_t least; /* The least number of those above IN_ORDER_INIT_COUNT_MAX that gets as far in
                    any order; else 0. */
} init_counts_t;

/* The numbers to be tried: where none of them explains the pattern, no number does. */
init_counts_t init_counts_make(const sum_problem_t *question, const sum_totals_t *totals,
                               const contract_t *contract, uint64_t bits, arena_t *arena);

/* Cuts off of the range of a result what fewer initial values surely get beyond. */
void init_counts_push(sum_bounds_t *sum, const init_counts_t *counts, const sum_problem_t *question,
                      const sum_totals_t *totals, const contract_t *contract);

#endif
