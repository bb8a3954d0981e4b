/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle functions of declared ops with results of integers or booleans, which come after those of
 * floats: these are a composite op's.  Private to this folder. */
#ifndef ASSAY_ORACLES_OPS_DECLARED_INTEGER_RESULTS_H
#define ASSAY_ORACLES_OPS_DECLARED_INTEGER_RESULTS_H

#include "oracles/composite/composite.h"

/* As in oracle_t. */
status_t declared_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]);
status_t declared_decide(const oracle_call_t *call, uint32_t result, size_t component,
                         answer_t *out_answer);
status_t declared_find_formula(const oracle_call_t *call, const accept_t *accepts,
                               uint8_t *out_formula, bool *out_found);

#endif
