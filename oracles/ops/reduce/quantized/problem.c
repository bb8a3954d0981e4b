/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized reductions: their types and scales, and conversions of inputs and results. */
#include "oracles/ops/reduce/quantized/problem.h"

#include <math.h>
#include <string.h>

#include "oracles/exact/error_bound.h"
#include "oracles/ops/reduce/gather.h"

static quantum_t quantum_of_scalar(const scalar_type_t *type) {
  return (quantum_t){.scale = type->scale,
                     .zero_point = type->zero_point,
                     .storage_min = type->storage_min,
                     .storage_max = type->storage_max,
                     .type_min = element_integer_min(type->element),
                     .type_max = (int64_t)element_integer_max(type->element)};
}

/* Those whose inverse is no normal number err otherwise by it: theory.md, T294. */
static bool have_inverses(const reduce_quanta_t *quanta) {
  bool have = true;
  for (size_t i = 0; i < quanta->chain_count; i++) {
    have &= quantum_chain_divides(&quanta->chains[i], &quanta->accumulation) &&
            quantum_chain_divides(&quanta->chains[i], &quanta->result);
  }
  return have;
}

static status_t require_scales(const reduce_quanta_t *quanta, bool multiplies,
                               const contract_t *contract, failure_t *error) {
  if (!have_inverses(quanta)) {
    return status_fail(error, STATUS_UNSUPPORTED,
                       "no oracle for quantized reductions by the inverse of a scale that is no "
                       "normal number");
  }
  if (PERMITTED(contract, ftz) == FTZ_NONE) return STATUS_OK;
  double least = fmin(quanta->accumulation.scale, fmin(quanta->input.scale, quanta->result.scale));
  double normal = format_smallest_normal(quanta->expressed);
  /* A product that is flushed is below a quarter of a quantum then: theory.md, T190. */
  if (least >= (multiplies ? 4 : 1) * normal) return STATUS_OK;
  return status_fail(
      error, STATUS_UNSUPPORTED,
      "no oracle for quantized reductions with subnormal scales (of products: scales near those) "
      "that may be flushed");
}

status_t reduce_quanta_make(const program_t *program, const contract_t *contract,
                            reduce_quanta_t *out_quanta, failure_t *error) {
  fold_body_t body = reduce_fold_body(program);
  if (body != FOLD_ADD && body != FOLD_MULTIPLY && body != FOLD_MAXIMUM && body != FOLD_MINIMUM) {
    return status_fail(error, STATUS_UNSUPPORTED,
                       "no oracle for quantized reductions with this body");
  }
  reduction_types_t types = reduce_types(program);
  const element_t *expressed = types.inputs[0].expressed;
  if (expressed->format->specials == FORMAT_EXPONENT_ONLY) {
    return status_fail(error, STATUS_UNSUPPORTED,
                       "no oracle for quantized values in %s, which has "
                       "neither zero nor sign",
                       expressed->name);
  }
  reduce_quanta_t quanta = {
      .input = quantum_of_scalar(&types.inputs[0]),
      .accumulation = quantum_of_scalar(&types.accumulations[0]),
      .result = quantum_of_scalar(&types.results[0]),
      .input_storage = types.inputs[0].element,
      .accumulation_storage = types.accumulations[0].element,
      .result_storage = types.results[0].element,
      .converts_inputs = !scalar_type_equal(&types.inputs[0], &types.accumulations[0]),
      .converts_results = !scalar_type_equal(&types.accumulations[0], &types.results[0]),
      .expressed = expressed->format,
  };
  const format_t *arithmetics[2];
  quanta.pure_chain_count = quantum_arithmetics(&program->operands[0], contract, arithmetics);
  quanta.chain_count = quantum_chains(
      &program->operands[0], MAX(quanta.input_storage->bits, quanta.accumulation_storage->bits),
      contract, body == FOLD_MULTIPLY, quanta.chains);
  *out_quanta = quanta;
  return require_scales(out_quanta, body == FOLD_MULTIPLY, contract, error);
}

bool reduce_convert_input(const reduce_quanta_t *quanta, size_t index, int64_t stored,
                          int64_t *out_stored) {
  *out_stored = stored;
  bool is_stored = stored >= quanta->input.storage_min && stored <= quanta->input.storage_max;
  if (!quanta->converts_inputs) return is_stored;
  const quantum_chain_t *chain = &quanta->chains[index];
  double value = quantum_chain_convert(chain, &quanta->input, stored);
  *out_stored = quantum_chain_quantize(chain, &quanta->accumulation, value);
  return is_stored && quantum_chain_is_decided(chain, &quanta->accumulation, value);
}

int64_t reduce_convert_result(const reduce_quanta_t *quanta, size_t index, int64_t stored) {
  if (!quanta->converts_results) return stored;
  const quantum_chain_t *chain = &quanta->chains[index];
  double value = quantum_chain_convert(chain, &quanta->accumulation, stored);
  return quantum_chain_quantize(chain, &quanta->result, value);
}
