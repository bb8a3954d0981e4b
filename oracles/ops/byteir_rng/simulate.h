/* SPDX-License-Identifier: Apache-2.0 */
/* What one concrete implementation of rng_uniform returns. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RNG_SIMULATE_H
#define ASSAY_ORACLES_OPS_BYTEIR_RNG_SIMULATE_H

#include "harness/model/implementation_model.h"
#include "oracles/formula/formula.h"
#include "oracles/ops/byteir_rng/byteir_rng.h"
#include "oracles/oracle_call.h"

/* The published generator; or one that nobody knows, where the schedule's tree is random or its
 * formula is `any`.  Sequential schedules and native ones compute in the operands' type, others in
 * f32 where that has 16 bits, from a u that is not rounded before if they go the other way. */
status_t byteir_rng_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                             tensor_t *inout_results);

/* Parts that the model of rng_normal shares: the working format; whether the generator is another
 * one; uniform numbers, of the first word of each block or of the first two; and results. */
const format_t *byteir_rng_simulated_format(const format_t *format,
                                            const implementation_model_t *schedule);
bool byteir_rng_is_unknown(const implementation_model_t *schedule);
void byteir_rng_simulate_uniform(const formula_t *formula, const case_t *instance,
                                 const tensor_t *result, size_t words, row_t out_uniform[]);
void byteir_rng_simulate_store(fault_t fault, row_t row, tensor_t *inout_result);

#endif
