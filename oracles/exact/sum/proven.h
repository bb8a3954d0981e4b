/* SPDX-License-Identifier: Apache-2.0 */
/* Whether more than a bound says that a sum gives a number. */
#ifndef ASSAY_ORACLES_EXACT_SUM_PROVEN_H
#define ASSAY_ORACLES_EXACT_SUM_PROVEN_H

#include "oracles/exact/any_order/terms.h"
#include "oracles/exact/sum/bounds.h"

/* Whether a tree as the contract has them is known that gives the value, which lies in the range of
 * `sum` (theory.md, T207); true too where no tree is looked for: of more than 64 terms or several
 * sums, and of what is not finite.  `terms` are those of the question.  Takes some milliseconds. */
bool sum_is_proven(const sum_bounds_t *sum, const sum_problem_t *question,
                   const contract_t *contract, const few_terms_t *terms, double value,
                   arena_t *arena);

#endif
