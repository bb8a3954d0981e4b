/* SPDX-License-Identifier: Apache-2.0 */
/* What one concrete implementation of a quantized or hybrid dot_general returns. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_QUANTIZED_SIMULATE_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_QUANTIZED_SIMULATE_H

#include "harness/model/case.h"
#include "harness/model/implementation_model.h"
#include "oracles/oracle_call.h"

/* As oracle_t.simulate.  In floats (schedule->formula "dequantize", or none), or in integers
 * ("integer"), as faults of integer arithmetic also are.  schedule->other_way: 16-bit floats are
 * computed with in f32, between which steps the seed says, but not by native models; integers are
 * accumulated in 32 bits, where they wrap, and the zero point is added to the rounded result. */
status_t dot_quantized_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                                tensor_t *inout_results);

#endif
