/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized reductions (theory.md, D9 and T42).  A node of the sum adds two values of the
 * accumulation type, and its result is quantized to that type again: it is rounded and clamped at
 * every node.  An implementation may do that by the specification's formula, in one of the ways of
 * quantum_chains(), or on storage integers: clamp(a + b - zero point).  maximum and minimum
 * likewise.  Nodes of products: product_node.h.  The conversions of inputs and results follow the
 * formula. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_QUANTIZED_PROBLEM_H
#define ASSAY_ORACLES_OPS_REDUCE_QUANTIZED_PROBLEM_H

#include "harness/model/accept.h"
#include "harness/model/implementation_model.h"
#include "oracles/exact/quantum/chain.h"
#include "oracles/ops/reduce/reduce.h"
#include "oracles/oracle_call.h"

/* The types of a quantized reduce with one input. */
typedef struct reduce_quanta {
  quantum_t input, accumulation, result;
  const element_t *input_storage, *accumulation_storage, *result_storage;
  bool converts_inputs;
  bool converts_results;
  const format_t *expressed;
  size_t chain_count;
  size_t pure_chain_count;                    /* So many of the first are in one arithmetic each. */
  quantum_chain_t chains[QUANTUM_CHAINS_MAX]; /* The ways to compute the formulas. */
} reduce_quanta_t;

/* Of a valid program.  STATUS_UNSUPPORTED for bodies that nobody has an oracle for on quantized
 * values, and where subnormal scales may be flushed. */
status_t reduce_quanta_make(const program_t *program, const contract_t *contract,
                            reduce_quanta_t *out_quanta, failure_t *error);

/* An input's storage value in the accumulation type, by the chain of that index; false if the
 * specification gives it none in the range of a type: it is out of that of its own, or the formula
 * gives NaN or what lies beyond that of the accumulation (quantum_is_decided()). */
bool reduce_convert_input(const reduce_quanta_t *quanta, size_t index, int64_t stored,
                          int64_t *out_stored);

/* A storage value of the accumulation in the result's type. */
int64_t reduce_convert_result(const reduce_quanta_t *quanta, size_t index, int64_t stored);

/* clamp(a + b - zero point). */
static inline int64_t reduce_add_stored(const quantum_t *quantum, int64_t a, int64_t b) {
  int64_t sum = a + b - quantum->zero_point;
  return CLAMP(sum, quantum->storage_min, quantum->storage_max);
}

/* As the members of oracle_t of these names, of quantized programs. */
status_t reduce_quantized_accept(const oracle_call_t *call, accept_t *out_accept);
status_t reduce_quantized_decide(const oracle_call_t *call, size_t component,
                                 const tensor_t *result, answer_t *out_answer);
status_t reduce_quantized_simulate(const oracle_call_t *call,
                                   const implementation_model_t *schedule, tensor_t *inout_result);

#endif
