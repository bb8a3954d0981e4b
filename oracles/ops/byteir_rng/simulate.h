/* SPDX-License-Identifier: Apache-2.0 */
/* What one concrete implementation of rng_uniform returns. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RNG_SIMULATE_H
#define ASSAY_ORACLES_OPS_BYTEIR_RNG_SIMULATE_H

#include "harness/model/implementation_model.h"
#include "oracles/ops/byteir_rng/byteir_rng.h"
#include "oracles/oracle_call.h"

/* The published generator; or one that nobody knows, where the schedule's tree is random or its
 * formula is `any`.  Sequential schedules and native ones compute in the operands' type, others in
 * f32 where that has 16 bits, from a u that is not rounded before if they go the other way. */
status_t byteir_rng_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                             tensor_t *inout_results);

#endif
