/* SPDX-License-Identifier: Apache-2.0 */
/* The fast sets of uniform_quantize and uniform_dequantize. */
#include <string.h>

#include "generated/exact_permissions.h"
#include "oracles/exact/quantum/quantize_simd.h"
#include "oracles/exact/sum/simd.h"
#include "oracles/ops/element_conversion/parts.h"

enum { BLOCK = QUANTIZE_SIMD_BLOCK };

/* The value of PERMITTED(contract, quantize_ties) by which ties to even are not among the results.
 */

typedef struct fast {
  const case_t *instance;
  const format_t *arithmetic;
  uint64_t *bits;
  uint8_t *decide;
} fast_t;

/* ---- In f32 ---------------------------------------------------------------------------------- */

static void quantize_floats(void *context, size_t begin, size_t count) {
  const fast_t *fast = context;
  const tensor_t *operand = &fast->instance->operands[0];
  const fast_quantizer_t quantizer =
      fast_quantizer_make(&fast->instance->program.results[0], fast->arithmetic, begin);
  float values[BLOCK];
  if (operand->type.quantization == NULL) {
    memcpy(values, operand->data + begin * sizeof values[0], count * sizeof values[0]);
  } else {
    fast_dequantize_floats(operand, begin, count, values);
  }
  fast_quantize_floats(&quantizer, values, count, fast->bits + begin, fast->decide + begin);
}

static void dequantize_to_floats(void *context, size_t begin, size_t count) {
  const fast_t *fast = context;
  float values[BLOCK];
  uint32_t patterns[BLOCK];
  fast_dequantize_floats(&fast->instance->operands[0], begin, count, values);
  memcpy(patterns, values, count * sizeof values[0]);
  for (size_t i = 0; i < count; i++) fast->bits[begin + i] = patterns[i];
  memset(fast->decide + begin, 0, count);
}

/* ---- In any format --------------------------------------------------------------------------- */

static void quantize_any(void *context, size_t begin, size_t count) {
  const fast_t *fast = context;
  const tensor_t *operand = &fast->instance->operands[0];
  const element_t *from = operand->type.element;
  const fast_quantizer_t quantizer =
      fast_quantizer_make(&fast->instance->program.results[0], fast->arithmetic, begin);
  double values[BLOCK];
  if (operand->type.quantization != NULL) {
    fast_dequantize(operand, &quantizer.steps, begin, count, values);
  } else {
    for (size_t i = 0; i < count; i++) {
      values[i] = format_to_double(from->format, element_load(from, operand->data, begin + i));
    }
  }
  fast_quantize(&quantizer, values, count, fast->bits + begin, fast->decide + begin);
}

static void dequantize_any(void *context, size_t begin, size_t count) {
  const fast_t *fast = context;
  const format_t *format = fast->instance->program.results[0].element->format;
  const arithmetic_t steps = arithmetic_make(fast->arithmetic);
  double values[BLOCK];
  fast_dequantize(&fast->instance->operands[0], &steps, begin, count, values);
  for (size_t i = 0; i < count; i++) {
    fast->bits[begin + i] = format_from_double(format, values[i]);
    fast->decide[begin + i] = values[i] != values[i];
  }
}

/* ---- All elements ---------------------------------------------------------------------------- */

static bool is_quantized_or_f32(const type_t *type) {
  return type->quantization != NULL || type->element->format == &format_table[FORMAT_f32];
}

/* `quantized`: the type whose arithmetics count; `run_f32` for those of f32 among floats of f32. */
static status_t accept_runs(const oracle_call_t *call, const type_t *quantized,
                            quantize_simd_run_t *run_f32, quantize_simd_run_t *run_any,
                            accept_t out_accepts[CASE_RESULTS_MAX]) {
  const case_t *instance = call->instance;
  arena_t *arena = call->arena;
  STATUS_TRY(quantization_check(&instance->program, call->error));
  const type_t *types[] = {&instance->program.operands[0], &instance->program.results[0]};
  size_t count = type_element_count(types[1]);
  fast_t fast = {.instance = instance,
                 .arithmetic = quantum_first_arithmetic(quantized, call->contract),
                 .bits = ARENA_NEW_ARRAY(arena, uint64_t, count),
                 .decide = ARENA_NEW_ARRAY(arena, uint8_t, count)};
  bool is_f32 = fast.arithmetic == &format_table[FORMAT_f32] && is_quantized_or_f32(types[0]) &&
                is_quantized_or_f32(types[1]);
  quantize_simd_runs(types, G_N_ELEMENTS(types), is_f32 ? run_f32 : run_any, &fast);
  out_accepts[0] = (accept_t){.count = count, .bits = fast.bits, .decide = fast.decide};
  return STATUS_OK;
}

status_t uniform_quantize_accept(const oracle_call_t *call,
                                 accept_t out_accepts[CASE_RESULTS_MAX]) {
  const type_t *result = &call->instance->program.results[0];
  if (!quantize_permits_letter(call->contract)) {
    out_accepts[0] = accept_decide_all(type_element_count(result), call->arena);
    return quantization_check(&call->instance->program, call->error);
  }
  return accept_runs(call, result, quantize_floats, quantize_any, out_accepts);
}

status_t uniform_dequantize_accept(const oracle_call_t *call,
                                   accept_t out_accepts[CASE_RESULTS_MAX]) {
  return accept_runs(call, &call->instance->program.operands[0], dequantize_to_floats,
                     dequantize_any, out_accepts);
}
