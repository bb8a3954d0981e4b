/* SPDX-License-Identifier: Apache-2.0 */
/* Sharper permitted errors of sums of 9 to 64 terms in any order (theory.md, T122 and T123), and of
 * fewer the ends of what trees give. */
#ifndef ASSAY_ORACLES_EXACT_SUM_LEVELS_H
#define ASSAY_ORACLES_EXACT_SUM_LEVELS_H

#include "oracles/exact/any_order/terms.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/sum/bounds.h"

/* Makes the errors of `sum`, which are those of `bound`, as small as the sizes of its partial sums
 * permit, where that bound says that they may be made smaller. */
void sum_levels_sharpen(sum_bounds_t *sum, const sum_problem_t *question,
                        const sum_totals_t *totals, const contract_t *contract,
                        const error_bound_t *bound);

/* Likewise of more than IN_ORDER_INIT_COUNT_MAX initial values (theory.md, T166). */
void sum_repeated_sharpen(sum_bounds_t *sum, const sum_problem_t *question,
                          const sum_totals_t *totals, const contract_t *contract);

/* Whether all trees' ends (theory.md, T160 and T161) permit this value too, which lies in the range
 * of `sum`.  They are computed where they may say no, and the range is cut off at them. */
bool sum_ends_hold(sum_bounds_t *sum, const sum_problem_t *question, const few_terms_t *terms,
                   double value, arena_t *arena);

/* Cuts the range off at them whatever value is asked about: then it holds what sum_ends_hold()
 * permits of what it held, since samples of trees lie between their ends (theory.md, T290). */
void sum_ends_clip(sum_bounds_t *sum, const sum_problem_t *question, const few_terms_t *terms,
                   arena_t *arena);

/* Whether a tree as the contract has them is known that gives the value, which lies in the range of
 * `sum` (theory.md, T207); true too where no tree is looked for: of several sums, of what is not
 * finite, and of more than 64 terms that are neither truncated nor flushed.  `terms` are those of
 * the question.  Takes some milliseconds. */
bool sum_is_proven(const sum_bounds_t *sum, const sum_problem_t *question,
                   const contract_t *contract, const few_terms_t *terms, double value,
                   arena_t *arena);

#endif
