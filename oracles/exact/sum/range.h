/* SPDX-License-Identifier: Apache-2.0 */
/* Every value that a float sum may have, as one range: what is made of it by monotone steps, such
 * as quantization, follows from the ends. */
#ifndef ASSAY_ORACLES_EXACT_SUM_RANGE_H
#define ASSAY_ORACLES_EXACT_SUM_RANGE_H

#include "oracles/exact/sum/problem.h"
#include "oracles/exact/value_range.h"

/* The set that sum_answer() decides, of a question without initial value: in any order; under an
 * in-order contract from the least to the largest that a schedule attains, where these are few
 * enough to tell. */
status_t sum_range(const sum_problem_t *question, const contract_t *contract, arena_t *arena,
                   value_range_t *out_range, failure_t *error);

/* The set that sum_answer() decides, where that is one range whatever pattern is asked about: in
 * any order, of more terms than trees decide, with one number of initial values (theory.md, T290).
 * False elsewhere. */
bool sum_decided_range(const sum_problem_t *question, const contract_t *contract, arena_t *arena,
                       value_range_t *out_range);

#endif
