/* Composite ops on quantized tensors, by the specification's formula: operands are dequantized, the
 * formula is evaluated in the expressed type, and its results are quantized.  Quantizing is
 * monotone, so that the ends of what a formula gives tell which storage integers conform: these and
 * all between them.
 *
 * Operands are the numbers that dequantizing rounds to, in the expressed type or, where the
 * contract permits wide intermediates, in f32; and where it permits fused products, (stored - zero
 * point) * scale unrounded, since it is a factor of what comes next.  Each place where an operand
 * is used may have another of these. */
#ifndef ASSAY_ORACLES_COMPOSITE_QUANTIZED_H
#define ASSAY_ORACLES_COMPOSITE_QUANTIZED_H

#include "oracles/composite.h"

/* Whether the operands are quantized; all or none are, and the results too, all per tensor and in
 * one expressed type. */
static inline bool composite_is_quantized(const program_t *program) {
  return program->operands[0].quantization != NULL;
}

/* The same case of floats: every operand dequantized in the expressed type. */
case_t composite_dequantized(const case_t *instance, arena_t *arena);

/* The functions of oracle_t of the same names, for such programs. */
status_t composite_quantized_accept(const case_t *instance, const contract_t *contract,
                                    arena_t *arena, accept_t out_accepts[CASE_RESULTS_MAX],
                                    failure_t *error);
status_t composite_quantized_ask(const case_t *instance, const contract_t *contract,
                                 uint32_t result, size_t component, const tensor_t *results,
                                 ask_memo_t *memo, arena_t *arena, answer_t *out_answer,
                                 failure_t *error); /* The memo may be NULL. */
status_t composite_quantized_audit(const case_t *instance, const contract_t *contract,
                                   const accept_t *accepts, uint32_t result, size_t component,
                                   arena_t *arena, failure_t *error);
status_t composite_quantized_find_formula(const case_t *instance, const contract_t *contract,
                                          const tensor_t *results, arena_t *arena,
                                          uint8_t *out_formula, bool *out_found);

/* Simulates by `simulate`, the model of the op on floats. */
typedef status_t composite_simulate_t(const case_t *instance, const schedule_t *schedule,
                                      arena_t *arena, tensor_t *inout_results, failure_t *error);
status_t composite_quantized_simulate(const case_t *instance, const schedule_t *schedule,
                                      composite_simulate_t *simulate, arena_t *arena,
                                      tensor_t *inout_results, failure_t *error);

#endif
