/* SPDX-License-Identifier: Apache-2.0 */
/* What one concrete implementation of quantize returns. */
#include <math.h>

#include "generated/byteir_quantize_faults.h"
#include "generated/exact_faults.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/formula/model.h"
#include "oracles/ops/byteir_quantize/parts.h"

enum { BLOCK = 256 }; /* Elements whose quotients are computed at once. */

/* ---- Faults of scales ------------------------------------------------------------------------ */

case_t quantize_spoil_case(const case_t *instance, fault_t fault, arena_t *arena) {
  case_t spoilt = *instance;
  bool is_of_scales = fault == FAULT_first_scale_for_all || fault == FAULT_scale_of_next_channel;
  if (!is_of_scales && fault != FAULT_first_zero_point_for_all) return spoilt;
  uint32_t operand = is_of_scales ? QUANTIZE_SCALE : QUANTIZE_ZERO_POINT;
  const tensor_t *present = &instance->operands[operand];
  const element_t *element = present->type.element;
  tensor_t copy = tensor_make(arena, &present->type);
  size_t count = type_element_count(&present->type);
  for (size_t i = 0; i < count; i++) {
    size_t from = fault == FAULT_scale_of_next_channel ? (i + 1) % count : 0;
    element_store(element, copy.data, i, element_load(element, present->data, from));
  }
  spoilt.operands[operand] = copy;
  return spoilt;
}

static row_t round_to_bf16(formula_t *formula, row_t numbers) {
  row_t row = {.count = numbers.count,
               .values = ARENA_NEW_ARRAY(formula->arena, double, numbers.count)};
  for (size_t i = 0; i < row.count; i++) {
    row.values[i] = format_round_double(&format_table[FORMAT_bf16], numbers.values[i]);
  }
  return row;
}

row_t quantize_spoil_scale(formula_t *formula, row_t scale) {
  bool is_spoilt = formula_has_fault(formula, FAULT_scale_in_bf16);
  return is_spoilt ? round_to_bf16(formula, scale) : scale;
}

static row_t multiply_by_short_inverse(formula_t *formula, const row_t operands[]) {
  row_t one = formula_number(formula, 1);
  row_t inverse = formula_divide(formula, one, operands[QUANTIZE_SCALE]);
  return formula_multiply(formula, operands[QUANTIZE_INPUT], round_to_bf16(formula, inverse));
}

/* ---- Integers -------------------------------------------------------------------------------- */

static double round_whole(fault_t fault, double quotient) {
  if (fault == FAULT_quotients_truncated) return trunc(quotient);
  if (fault == FAULT_quotients_half_up) return floor(quotient + 0.5);
  if (fault == FAULT_quotients_floored) return floor(quotient);
  return fault == FAULT_quotient_ties_away ? round(quotient) : nearbyint(quotient);
}

/* NaN becomes the smallest integer, as where integers are converted by x86. */
static int64_t quantize(fault_t fault, double quotient, int64_t zero_point, storage_t storage) {
  if (isnan(quotient)) return storage.smallest;
  double whole = round_whole(fault, quotient);
  switch (fault) {
    case FAULT_zero_point_before_rounding:
      return quantize_double(quotient + (double)zero_point, false, 0, storage);
    case FAULT_zero_point_forgotten:
      return quantize_double(whole, false, 0, storage);
    case FAULT_quantized_unclamped:
      return fabs(whole) < 0x1p31 ? (int64_t)whole + zero_point : zero_point;
    case FAULT_clamped_before_zero_point:
      return quantize_double(whole, false, 0, storage) + zero_point;
    case FAULT_quantized_symmetrically:
      if (storage.smallest < 0) storage.smallest++;
      break;
    case FAULT_quotients_of_16_bits:
      if (fabs(whole) < 0x1p31) whole = (int16_t)(uint16_t)(int64_t)whole;
      break;
    case FAULT_zero_point_subtracted:
      zero_point = -zero_point;
      break;
    case FAULT_infinities_quantized_zero:
      if (isinf(whole)) return zero_point;
      break;
    case FAULT_large_quotients_smallest:
      if (fabs(whole) >= 0x1p31) return storage.smallest;
      break;
    default:
      break;
  }
  return quantize_double(whole, false, zero_point, storage);
}

/* ---- Elements -------------------------------------------------------------------------------- */

static byteir_quantize_channels_t channels_of(const program_t *program, fault_t fault) {
  byteir_quantize_channels_t channels = byteir_quantize_channels(program);
  if (fault == FAULT_channels_along_last) channels.stride = 1;
  return channels;
}

/* Elements `first` and so on. */
static row_t load_inputs(formula_t *formula, const tensor_t *input, size_t first, size_t count) {
  uint64_t bits[BLOCK];
  for (size_t i = 0; i < count; i++) {
    bits[i] = element_load(input->type.element, input->data, first + i);
  }
  return model_load(formula, input->type.element->format, bits, count);
}

static row_t load_scales(formula_t *formula, const tensor_t *scale,
                         const byteir_quantize_channels_t *channels, size_t first, size_t count) {
  uint64_t bits[BLOCK];
  for (size_t i = 0; i < count; i++) {
    size_t channel = byteir_quantize_channel(channels, first + i);
    bits[i] = element_load(scale->type.element, scale->data, channel);
  }
  return model_load(formula, scale->type.element->format, bits, count);
}

static row_t find_quotients(formula_t *formula, const case_t *instance,
                            const byteir_quantize_channels_t *channels, size_t first,
                            size_t count) {
  const tensor_t *scale = &instance->operands[QUANTIZE_SCALE];
  const row_t operands[] = {
      [QUANTIZE_INPUT] = load_inputs(formula, &instance->operands[QUANTIZE_INPUT], first, count),
      [QUANTIZE_SCALE] = load_scales(formula, scale, channels, first, count)};
  row_t quotients;
  if (formula_has_fault(formula, FAULT_scale_multiplied)) {
    return formula_multiply(formula, operands[QUANTIZE_INPUT], operands[QUANTIZE_SCALE]);
  }
  if (formula_has_fault(formula, FAULT_inverse_scale_in_bf16)) {
    return multiply_by_short_inverse(formula, operands);
  }
  uint8_t which = model_formula(formula->program->op->formulas, formula->schedule);
  quotient_formulas[which](formula, operands, &quotients);
  return quotients;
}

status_t quantize_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                           tensor_t *inout_results) {
  const contract_t contract = contract_backend();
  const case_t seen = quantize_spoil_case(call->instance, schedule->fault, call->arena);
  const tensor_t *zero_point = &seen.operands[QUANTIZE_ZERO_POINT];
  const format_t *format = seen.operands[QUANTIZE_INPUT].type.element->format;
  byteir_quantize_channels_t channels = channels_of(&seen.program, schedule->fault);
  storage_t storage = storage_of(zero_point->type.element);
  formula_t formula = {.evaluator = &model_evaluator,
                       .program = &seen.program,
                       .format = model_working_format(format, schedule),
                       .contract = &contract,
                       .schedule = schedule,
                       .arena = call->arena};
  size_t elements = type_element_count(&inout_results[0].type);
  for (size_t first = 0; first < elements; first += BLOCK, formula.group++) {
    arena_mark_t mark = arena_mark(call->arena);
    size_t count = MIN(elements - first, (size_t)BLOCK);
    row_t quotients = find_quotients(&formula, &seen, &channels, first, count);
    for (size_t i = 0; i < count; i++) {
      if (fault_skips_store(schedule->fault, first + i, &inout_results[0])) continue;
      int64_t addend = storage_load(zero_point, byteir_quantize_channel(&channels, first + i));
      int64_t quantum = quantize(schedule->fault, quotients.values[i], addend, storage);
      storage_store(&inout_results[0], first + i, quantum);
    }
    arena_rewind(call->arena, mark);
  }
  return STATUS_OK;
}
