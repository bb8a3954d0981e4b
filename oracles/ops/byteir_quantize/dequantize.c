/* SPDX-License-Identifier: Apache-2.0 */
/* dequantize: the difference from the zero point, which is exact, times the scale. */
#include <glib.h>

#include "generated/byteir_quantize_faults.h"
#include "generated/exact_faults.h"
#include "oracles/ops/byteir_quantize/parts.h"

enum { DIFFERENCE = QUANTIZE_OPERANDS }; /* The operand that comes of input and zero point. */

static composite_layout_t layout(const program_t *program, arena_t *arena) {
  composite_layout_t elements =
      composite_layout_elements(&program->operands[QUANTIZE_INPUT], arena);
  byteir_quantize_channels_t channels = byteir_quantize_channels(program);
  elements.channel_stride = channels.stride;
  elements.channel_count = channels.count;
  return elements;
}

static double load_integer(const case_t *instance, const composite_layout_t *elements,
                           uint32_t operand, size_t index) {
  const tensor_t *zero_point = &instance->operands[QUANTIZE_ZERO_POINT];
  if (operand != DIFFERENCE) return (double)storage_load(&instance->operands[operand], index);
  const byteir_quantize_channels_t channels = {elements->channel_stride, elements->channel_count};
  return (double)(storage_load(&instance->operands[QUANTIZE_INPUT], index) -
                  storage_load(zero_point, byteir_quantize_channel(&channels, index)));
}

/* ---- Faults ---------------------------------------------------------------------------------- */

/* A number as `element` would hold it, or its signed twin. */
static double wrap(const element_t *element, bool is_signed, double number) {
  unsigned unused = 64u - element->bits;
  uint64_t bits = (uint64_t)(int64_t)number << unused;
  return is_signed ? (double)((int64_t)bits >> unused) : (double)(bits >> unused);
}

static double spoil_difference(const formula_t *formula, double input, double zero_point) {
  const element_t *element = formula->program->operands[QUANTIZE_INPUT].element;
  bool is_signed = element->kind == ELEMENT_SIGNED;
  switch (formula->schedule->fault) {
    case FAULT_zero_point_forgotten:
      return input;
    case FAULT_storage_as_signed:
      return wrap(element, true, input) - wrap(element, true, zero_point);
    case FAULT_difference_wraps:
      return wrap(element, is_signed, input - zero_point);
    default:
      g_assert_not_reached();
  }
}

static row_t find_difference(formula_t *formula, const row_t operands[]) {
  row_t difference = operands[DIFFERENCE];
  bool is_spoilt = formula_has_fault(formula, FAULT_zero_point_forgotten) ||
                   formula_has_fault(formula, FAULT_storage_as_signed) ||
                   formula_has_fault(formula, FAULT_difference_wraps);
  for (size_t i = 0; is_spoilt && i < difference.count; i++) {
    difference.values[i] = spoil_difference(formula, operands[QUANTIZE_INPUT].values[i],
                                            operands[QUANTIZE_ZERO_POINT].values[i]);
  }
  return difference;
}

/* ---- The formulas ---------------------------------------------------------------------------- */

static void subtract(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t scale = quantize_spoil_scale(formula, operands[QUANTIZE_SCALE]);
  row_t difference = find_difference(formula, operands);
  results[0] = formula_has_fault(formula, FAULT_dequantized_scale_divided)
                   ? formula_divide(formula, difference, scale)
                   : formula_multiply(formula, difference, scale);
  bool is_short = formula_has_fault(formula, FAULT_dequantized_in_f16);
  for (size_t i = 0; is_short && i < results[0].count; i++) {
    results[0].values[i] = format_round_double(&format_table[FORMAT_f16], results[0].values[i]);
  }
}

static void distribute(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t scale = operands[QUANTIZE_SCALE];
  row_t offset = formula_multiply(formula, operands[QUANTIZE_ZERO_POINT], scale);
  results[0] = formula_multiply_add(formula, operands[QUANTIZE_INPUT], scale,
                                    formula_negate(formula, offset));
}

static const composite_formula_t formulas[] = {{.evaluate = subtract}, {.evaluate = distribute}};

static const composite_formula_t *find_formulas(const program_t *program) {
  (void)program;
  return formulas;
}

const composite_t dequantize_composite = {
    .layout = layout,
    .operand_roles = {[QUANTIZE_INPUT] = COMPOSITE_ELEMENT,
                      [QUANTIZE_SCALE] = COMPOSITE_CHANNEL,
                      [QUANTIZE_ZERO_POINT] = COMPOSITE_CHANNEL,
                      [DIFFERENCE] = COMPOSITE_ELEMENT},
    .result_roles = {COMPOSITE_ELEMENT},
    .formulas = find_formulas,
    .load_integer = load_integer,
    .derived_count = 1,
};

status_t dequantize_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                             tensor_t *inout_results) {
  const case_t seen = quantize_spoil_case(call->instance, schedule->fault, call->arena);
  const oracle_call_t seen_call = oracle_call_about(call, &seen, NULL);
  return composite_simulate(&seen_call, schedule, inout_results);
}
