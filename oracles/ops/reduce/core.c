/* SPDX-License-Identifier: Apache-2.0 */
/* Converts operands to the accumulation type once, so that the rest of the reduce oracle sees a
 * reduction in one type, and marks terms whose conversion has no defined value. */
#include "oracles/ops/reduce/core.h"

#include <math.h>
#include <string.h>

#include "harness/types/promotion.h"
#include "oracles/exact/sum/simd_result.h"

static status_t require_conversion(const reduction_types_t *types, uint32_t input,
                                   failure_t *error) {
  const element_t *accumulation = types->accumulations[input].element;
  /* The RFC says how to convert; today's specification, which has no output conversion, does not.
   */
  if (accumulation != types->results[input].element) return STATUS_OK;
  return element_require_exact_promotion(types->inputs[input].element, accumulation, error);
}

static bool convert_integer(const element_t *from, uint64_t bits, const element_t *to,
                            uint64_t *out_bits) {
  *out_bits = bits & element_mask(to);
  if (from->kind == ELEMENT_SIGNED) {
    int64_t value = element_signed_value(from, bits);
    *out_bits = (uint64_t)value & element_mask(to);
    if (value < 0) return to->kind == ELEMENT_SIGNED && value >= element_integer_min(to);
    return (uint64_t)value <= element_integer_max(to);
  }
  return bits <= element_integer_max(to);
}

bool reduce_convert_bits(const element_t *from, uint64_t bits, const element_t *to,
                         uint64_t *out_bits) {
  if (from->format == NULL) return convert_integer(from, bits, to, out_bits);
  double value = format_to_double(from->format, bits);
  *out_bits = format_from_double(to->format, value);
  return !isnan(value) || format_has_nan(to->format);
}

/* Marks what is open; NULL if nothing is. */
static const uint8_t *convert_operand(const tensor_t *from, const element_t *to, arena_t *arena,
                                      tensor_t *out) {
  size_t count = type_element_count(&from->type);
  type_t type = from->type;
  type.element = to;
  *out = tensor_make(arena, &type);
  uint8_t *open = arena_alloc_zeroed(arena, count);
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    uint64_t bits;
    bool is_known = reduce_convert_bits(from->type.element,
                                        element_load(from->type.element, from->data, i), to, &bits);
    element_store(to, out->data, i, bits);
    open[i] = !is_known;
    any |= !is_known;
  }
  return any ? open : NULL;
}

status_t reduce_core_make(const case_t *instance, arena_t *arena, reduce_core_t *out_core,
                          failure_t *error) {
  reduction_types_t types = reduce_types(&instance->program);
  *out_core = (reduce_core_t){.instance = *instance};
  program_t *program = &out_core->instance.program;
  for (uint32_t i = 0; i < types.count; i++) {
    STATUS_TRY(require_conversion(&types, i, error));
    const element_t *accumulation = types.accumulations[i].element;
    program->results[i].element = accumulation;
    if (element_promotion_is_exact(types.inputs[i].element, accumulation)) continue;
    const uint32_t operands[] = {i, reduce_init_operand(program, i)};
    for (size_t k = 0; k < G_N_ELEMENTS(operands); k++) {
      tensor_t *operand = &out_core->instance.operands[operands[k]];
      out_core->open[operands[k]] =
          convert_operand(&instance->operands[operands[k]], accumulation, arena, operand);
      program->operands[operands[k]].element = accumulation;
    }
  }
  return STATUS_OK;
}

bool reduce_core_has_open_term(const reduce_core_t *core, const reduce_slices_t *slices,
                               uint32_t result, size_t output) {
  if (reduce_core_is_open(core, reduce_init_operand(&core->instance.program, result), 0)) {
    return true;
  }
  if (core->open[result] == NULL) return false;
  for (size_t term = 0; term < slices->term_count; term++) {
    size_t index = slices->output_base[output] + slices->term_offset[term];
    if (reduce_core_is_open(core, result, index)) return true;
  }
  return false;
}

/* The patterns in the result type; what has none is asked about. */
static void convert_patterns(const element_t *from, const element_t *to, arena_t *arena,
                             uint8_t *decide, accept_t *accept) {
  uint64_t *bits = ARENA_NEW_ARRAY(arena, uint64_t, accept->count);
  for (size_t i = 0; i < accept->count; i++) {
    decide[i] |= !reduce_convert_bits(from, accept->bits[i], to, &bits[i]);
  }
  accept->bits = bits;
}

void reduce_core_convert_accept(const reduce_core_t *core, const reduce_slices_t *slices,
                                uint32_t input, const element_t *result, arena_t *arena,
                                accept_t *inout_accept) {
  const element_t *accumulation = core->instance.program.results[input].element;
  bool has_open = core->open[input] != NULL ||
                  core->open[reduce_init_operand(&core->instance.program, input)] != NULL;
  if (result == accumulation && !has_open) return;
  uint8_t *decide = arena_alloc_zeroed(arena, inout_accept->count);
  if (inout_accept->decide != NULL) memcpy(decide, inout_accept->decide, inout_accept->count);
  for (size_t i = 0; has_open && i < inout_accept->count; i++) {
    size_t output = i / accumulation->components;
    decide[i] |= reduce_core_has_open_term(core, slices, input, output);
  }
  inout_accept->decide = decide;
  if (result == accumulation) return;
  if (inout_accept->bits != NULL) {
    convert_patterns(accumulation, result, arena, decide, inout_accept);
  } else if (result->format != NULL) {
    fast_result_convert(inout_accept, accumulation->format, result->format, arena);
  }
}
