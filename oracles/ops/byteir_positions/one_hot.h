/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.one_hot: what it returns. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_POSITIONS_ONE_HOT_H
#define ASSAY_ORACLES_OPS_BYTEIR_POSITIONS_ONE_HOT_H

#include "harness/model/accept.h"
#include "harness/model/implementation_model.h"
#include "oracles/oracle_call.h"

/* The functions of oracle_t of the same names. */
status_t byteir_one_hot_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]);
status_t byteir_one_hot_decide(const oracle_call_t *call, uint32_t result, size_t component,
                               answer_t *out_answer);
status_t byteir_one_hot_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                                 tensor_t *inout_results);

#endif
