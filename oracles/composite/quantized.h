/* SPDX-License-Identifier: Apache-2.0 */
/* Composite ops on quantized tensors, by the specification's formula: operands are dequantized, the
 * formula is evaluated in the expressed type, and its results are quantized.  Quantizing is
 * monotone, so that the ends of what a formula gives tell which storage integers conform: these and
 * all between them.
 *
 * Operands are the numbers that dequantizing rounds to, in the expressed type or in f32, as the
 * contract permits intermediates, the latter rounded to the expressed type or not; and where it
 * permits fused products, (stored - zero point) * scale unrounded, since it is a factor of what
 * comes next.  Each place where an operand is used may have another of these. */
#ifndef ASSAY_ORACLES_COMPOSITE_QUANTIZED_H
#define ASSAY_ORACLES_COMPOSITE_QUANTIZED_H

#include "oracles/composite/composite.h"

/* Whether the operands are quantized; all or none are, and the results too, all per tensor and in
 * one expressed type. */
static inline bool composite_is_quantized(const program_t *program) {
  return program->operands[0].quantization != NULL;
}

/* The same case of floats: every operand dequantized in the expressed type. */
case_t composite_dequantized(const case_t *instance, arena_t *arena);

/* The functions of oracle_t of the same names, for such programs. */
status_t composite_quantized_accept(const oracle_call_t *call,
                                    accept_t out_accepts[CASE_RESULTS_MAX]);
status_t composite_quantized_decide(const oracle_call_t *call, uint32_t result, size_t component,
                                    answer_t *out_answer);
status_t composite_quantized_audit(const oracle_call_t *call, const accept_t *accepts,
                                   uint32_t result, size_t component);
status_t composite_quantized_find_formula(const oracle_call_t *call, uint8_t *out_formula,
                                          bool *out_found);

/* Simulates by `simulate`, the model of the op on floats. */
status_t composite_quantized_simulate(const oracle_call_t *call,
                                      const implementation_model_t *schedule,
                                      oracle_simulate_t *simulate, tensor_t *inout_results);

#endif
