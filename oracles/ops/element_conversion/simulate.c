/* SPDX-License-Identifier: Apache-2.0 */
/* What one concrete implementation of convert, uniform_quantize and uniform_dequantize returns. */
#include <math.h>

#include "generated/element_conversion_faults.h"
#include "generated/exact_permissions.h"
#include "harness/num/binary64.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/exact/quantum/quantize_faulty.h"
#include "oracles/formula/model.h"
#include "oracles/ops/element_conversion/parts.h"

/* ---- convert --------------------------------------------------------------------------------- */

static number_t integer_number(bool is_signed, const element_t *element, uint64_t bits) {
  unsigned unused = 64u - element->bits;
  int64_t value = is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
  bool negative = is_signed && value < 0;
  uint64_t magnitude = negative ? 0 - (uint64_t)value : (uint64_t)value;
  return (number_t){.kind = magnitude == 0 ? NUMBER_ZERO : NUMBER_FINITE,
                    .negative = negative,
                    .significand = magnitude};
}

static bool is_read_as_signed(const element_t *from, const element_t *to, fault_t fault) {
  bool is_wider = to->format == NULL && to->bits > from->bits;
  switch (fault) {
    case FAULT_convert_extends_with_zeros:
      return from->kind == ELEMENT_SIGNED && !is_wider;
    case FAULT_convert_large_unsigned_negative:
      return from->kind == ELEMENT_SIGNED || (from->bits == 64 && to->format != NULL);
    case FAULT_convert_boolean_as_minus_one:
      return from->kind == ELEMENT_SIGNED || from->kind == ELEMENT_BOOLEAN;
    case FAULT_unsigned_as_signed:
      return from->kind == ELEMENT_SIGNED || from->kind == ELEMENT_UNSIGNED;
    default:
      return from->kind == ELEMENT_SIGNED;
  }
}

static number_t load_number(const case_t *instance, fault_t fault, size_t component) {
  const tensor_t *operand = &instance->operands[0];
  const element_t *from = operand->type.element;
  size_t index;
  if (!convert_find_source(&instance->program, component, &index)) {
    return (number_t){.kind = NUMBER_ZERO};
  }
  bool is_narrowed = from->components > instance->program.results[0].element->components;
  if (is_narrowed && fault == FAULT_convert_takes_imaginary) index++;
  uint64_t bits = element_load(from, operand->data, index);
  if (from->format == NULL) {
    const element_t *to = instance->program.results[0].element;
    return integer_number(is_read_as_signed(from, to, fault), from, bits);
  }
  double value = fault_load_float(fault, from->format, bits);
  if (is_narrowed && fault == FAULT_convert_magnitude) value = fabs(value);
  bool is_doubled =
      fault == FAULT_convert_subnormals_doubled && format_is_subnormal(from->format, bits);
  if (is_doubled) value *= 2;
  return format_decode(&format_table[FORMAT_f64], binary64_bits(value));
}

/* The number as another format has it. */
static number_t number_by_way_of(const number_t *number, const format_t *way) {
  uint64_t bits = format_encode(way, *number, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  return format_decode(way, bits);
}

static rounding_t rounding_of(fault_t fault, bool negative) {
  if (fault == FAULT_convert_half_up) {
    return negative ? ROUNDING_NEAREST_EVEN : ROUNDING_NEAREST_AWAY;
  }
  if (fault == FAULT_convert_truncates) return ROUNDING_TOWARD_ZERO;
  return fault == FAULT_convert_ties_away ? ROUNDING_NEAREST_AWAY : ROUNDING_NEAREST_EVEN;
}

static uint64_t make_float(const implementation_model_t *schedule, const element_t *from,
                           const format_t *to, number_t number, size_t component) {
  fault_t fault = schedule->fault;
  if (number.kind == NUMBER_NAN) number.negative = false; /* The sign of a NaN is the host's. */
  if (fault == FAULT_convert_by_f32 && from->bits == 64 && from->format == NULL) {
    number = number_by_way_of(&number, &format_table[FORMAT_f32]);
  }
  if (fault == FAULT_convert_rounds_twice && to->precision < 24) {
    number = number_by_way_of(&number, &format_table[FORMAT_f32]);
    if (to->bits <= 8) number = number_by_way_of(&number, &format_table[FORMAT_f16]);
  }
  bool saturates = fault == FAULT_convert_saturates ||
                   (schedule->other_way && !format_has_infinity(to)) ||
                   (schedule->saturates_casts && to->bits <= 8);
  uint64_t bits = format_encode(to, number, rounding_of(fault, number.negative),
                                saturates ? OVERFLOW_SATURATE : OVERFLOW_FORMAT);
  return fault_spoil_bits(fault, to, bits, component);
}

/* Rounds to an integer as the fault does; what is no finite number stays. */
static double round_whole(fault_t fault, double value) {
  if (fault == FAULT_convert_to_nearest_integer) return nearbyint(value);
  return fault == FAULT_convert_floors ? floor(value) : trunc(value);
}

/* Floats that do not fit: at the nearest end, NaN 0; or all as the smallest integer. */
static uint64_t make_integer_of_float(const implementation_model_t *schedule, const element_t *to,
                                      double value) {
  double whole = round_whole(schedule->fault, value);
  if (schedule->fault == FAULT_convert_by_i32 && to->bits == 64 && !isnan(whole)) {
    whole = CLAMP(whole, INT32_MIN, INT32_MAX);
  }
  if (schedule->fault == FAULT_convert_negative_lost && whole < 0) whole = 0;
  double smallest = (double)element_integer_min(to), largest = (double)element_integer_max(to);
  bool is_above = whole > largest || (whole == largest && to->bits == 64);
  if (isnan(whole) || is_above || whole < smallest) {
    uint64_t least = (uint64_t)element_integer_min(to);
    if (schedule->other_way) return least;
    return isnan(whole) ? 0 : is_above ? element_integer_max(to) : least;
  }
  return whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole;
}

static uint64_t make_integer(const implementation_model_t *schedule, const element_t *from,
                             const element_t *to, const number_t *number) {
  double value = binary64_value(
      format_encode(&format_table[FORMAT_f64], *number, ROUNDING_TOWARD_ZERO, OVERFLOW_FORMAT));
  bool is_boolean = to->kind == ELEMENT_BOOLEAN;
  if (is_boolean && schedule->fault == FAULT_convert_boolean_truncates) {
    return !isnan(value) && trunc(value) != 0;
  }
  if (is_boolean) return number->kind != NUMBER_ZERO;
  if (from->format != NULL) return make_integer_of_float(schedule, to, value);
  uint64_t magnitude = number->significand;
  bool clamps = schedule->fault == FAULT_convert_clamps_integers;
  uint64_t below = 0 - (uint64_t)element_integer_min(to);
  if (clamps && number->negative) magnitude = MIN(magnitude, below);
  if (clamps && !number->negative) magnitude = MIN(magnitude, element_integer_max(to));
  return number->negative ? 0 - magnitude : magnitude;
}

status_t convert_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                          tensor_t *inout_results) {
  tensor_t *result = &inout_results[0];
  const element_t *from = call->instance->program.operands[0].element, *to = result->type.element;
  for (size_t i = 0; i < type_component_count(&result->type); i++) {
    size_t element = i / to->components;
    if (fault_skips_store(schedule->fault, element, result)) continue;
    number_t number = load_number(call->instance, schedule->fault, i);
    uint64_t bits = to->format != NULL ? make_float(schedule, from, to->format, number, i)
                                       : make_integer(schedule, from, to, &number);
    element_store(to, result->data, i, bits & element_mask(to));
  }
  return STATUS_OK;
}

/* ---- Quantized elements ---------------------------------------------------------------------- */

static int64_t requantize_fixed(const implementation_model_t *schedule, const format_t *arithmetic,
                                const quantum_t *from, const quantum_t *to, int64_t stored) {
  fixed_multiplier_t multipliers[FIXED_MULTIPLIERS];
  fixed_multipliers_of(from->scale, 1, to->scale, arithmetic, multipliers);
  fixed_way_t way = (fixed_way_t)(schedule->fixed_point % FIXED_WAYS);
  return fixed_requantize(from, to, multipliers[schedule->seed % FIXED_MULTIPLIERS], way, stored);
}

static int64_t requantize(const case_t *instance, const implementation_model_t *schedule,
                          const format_t *arithmetic, const quantum_t *to, size_t element) {
  const tensor_t *operand = &instance->operands[0];
  fault_t fault = schedule->fault;
  quantum_t from = quantize_faulty_of(&operand->type, fault, element);
  int64_t stored = quantize_faulty_load(operand, fault, element);
  if (fault == FAULT_requantized_as_stored) return CLAMP(stored, to->storage_min, to->storage_max);
  uint8_t formula = model_formula("requantize", schedule);
  if (formula == REQUANTIZE_FIXED_8) return fixed_8_requantize(&from, to, stored);
  if (formula == REQUANTIZE_FIXED) {
    return requantize_fixed(schedule, arithmetic, &from, to, stored);
  }
  if (formula == REQUANTIZE_MERGED || fault == FAULT_requantized_at_once) {
    const merged_scale_t merged = merged_scale_of(&from, to, arithmetic);
    return merged_requantize(&merged, &from, to, arithmetic, schedule->fused, stored);
  }
  bool is_wider = quantize_faulty_way(schedule).width != QUANTIZE_ROUNDED && fault == FAULT_NONE;
  const format_t *first = is_wider ? &format_table[FORMAT_f64] : arithmetic;
  double value = fault_dequantize(&operand->type, &from, first, fault, stored);
  const format_t *between = operand->type.quantization->expressed->format;
  if (schedule->other_way) value = format_round_double(between, value);
  return fault_quantize(&instance->program.results[0], to, arithmetic, schedule, value);
}

status_t uniform_quantize_simulate(const oracle_call_t *call,
                                   const implementation_model_t *schedule,
                                   tensor_t *inout_results) {
  const case_t *instance = call->instance;
  STATUS_TRY(quantization_check(&instance->program, call->error));
  tensor_t *result = &inout_results[0];
  const tensor_t *operand = &instance->operands[0];
  const element_t *storage = result->type.element;
  const format_t *arithmetic = quantize_faulty_arithmetic(&result->type, schedule);
  fault_t fault = schedule->fault;
  for (size_t i = 0; i < type_element_count(&result->type); i++) {
    if (fault_skips_store(fault, i, result)) continue;
    quantum_t to = quantize_faulty_of(&result->type, fault, i);
    int64_t stored;
    if (operand->type.quantization != NULL) {
      stored = requantize(instance, schedule, arithmetic, &to, i);
    } else {
      const element_t *from = operand->type.element;
      double value = fault_load_float(fault, from->format, element_load(from, operand->data, i));
      stored = fault_quantize(&result->type, &to, arithmetic, schedule, value);
    }
    element_store(storage, result->data, i, (uint64_t)stored & element_mask(storage));
  }
  return STATUS_OK;
}

static double dequantize_distributed(const quantum_t *quantum, const format_t *arithmetic,
                                     bool is_fused, int64_t stored) {
  const arithmetic_t steps = arithmetic_make(arithmetic);
  double zero_point = arithmetic_round(&steps, -(double)quantum->zero_point);
  double addend = arithmetic_multiply(&steps, zero_point, quantum->scale);
  double whole = arithmetic_round(&steps, (double)stored);
  if (is_fused) return arithmetic_fused(&steps, whole, quantum->scale, addend);
  return arithmetic_add(&steps, arithmetic_multiply(&steps, whole, quantum->scale), addend);
}

status_t uniform_dequantize_simulate(const oracle_call_t *call,
                                     const implementation_model_t *schedule,
                                     tensor_t *inout_results) {
  STATUS_TRY(quantization_check(&call->instance->program, call->error));
  tensor_t *result = &inout_results[0];
  const tensor_t *operand = &call->instance->operands[0];
  const element_t *element = result->type.element;
  const format_t *arithmetic = quantize_faulty_arithmetic(&operand->type, schedule);
  fault_t fault = schedule->fault;
  for (size_t i = 0; i < type_element_count(&result->type); i++) {
    if (fault_skips_store(fault, i, result)) continue;
    quantum_t quantum = quantize_faulty_of(&operand->type, fault, i);
    int64_t stored = quantize_faulty_load(operand, fault, i);
    double value = fault_dequantize(&operand->type, &quantum, arithmetic, fault, stored);
    if (model_formula("dequantize", schedule) != 0 && fault == FAULT_NONE) {
      value = dequantize_distributed(&quantum, arithmetic, schedule->fused, stored);
    }
    uint64_t bits = format_from_double(element->format, value);
    element_store(element, result->data, i, fault_spoil_bits(fault, element->format, bits, i));
  }
  return STATUS_OK;
}
