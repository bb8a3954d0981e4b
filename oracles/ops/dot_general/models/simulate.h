/* SPDX-License-Identifier: Apache-2.0 */
/* What one concrete implementation of stablehlo.dot_general returns. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_SIMULATE_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_SIMULATE_H

#include "harness/model/case.h"
#include "harness/model/implementation_model.h"
#include "oracles/oracle_call.h"

/* For oracle_t.simulate: see oracles/oracle.h. */
status_t dot_general_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                              tensor_t *inout_results);

#endif
