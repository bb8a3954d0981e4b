/* SPDX-License-Identifier: Apache-2.0 */
/* Integer reductions whose result is converted to another integer type. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_INTEGER_RESULT_H
#define ASSAY_ORACLES_OPS_REDUCE_INTEGER_RESULT_H

#include "oracles/exact/product/integer.h"

/* The last word on the pattern `bits` of the type `result`.  Values that this has not are converted
 * as the implementation likes: where a permitted one is such, everything conforms. */
void reduce_integer_answer(const integer_problem_t *question, const contract_t *contract,
                           const element_t *result, uint64_t bits, answer_t *out_answer);

#endif
