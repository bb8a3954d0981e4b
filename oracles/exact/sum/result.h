/* SPDX-License-Identifier: Apache-2.0 */
/* Sums that are converted to another type at last: the accumulation type of a dot algorithm is
 * independent of the type of its result. */
#ifndef ASSAY_ORACLES_EXACT_SUM_RESULT_H
#define ASSAY_ORACLES_EXACT_SUM_RESULT_H

#include "oracles/exact/sum/bounds.h"

/* Whether a result type holds all that the accumulation type does, infinities, NaN and -0 included,
 * so that the conversion changes nothing. */
bool sum_result_is_widening(const format_t *accumulation, const format_t *result);

/* Sets sum->result_range from sum->range, and adds what the conversion may err to
 * sum->total_error. */
void sum_result_convert(sum_bounds_t *sum, const sum_problem_t *question,
                        const contract_t *contract);

/* Whether the sum's range holds that pattern of the result type, and some number of the
 * accumulation type becomes it: a type with bits that the accumulation type has not shows whether a
 * result has been rounded to that at all. */
bool sum_result_holds(const sum_bounds_t *sum, const sum_problem_t *question,
                      const contract_t *contract, uint64_t bits);

#endif
