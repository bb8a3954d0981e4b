/* SPDX-License-Identifier: Apache-2.0 */
/* Planted faults of quantized elements, at each point where one can act: reading scales and zero
 * points, loading storage, dequantizing, rounding and clamping. */
#include "oracles/exact/quantum/quantize_faulty.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "generated/exact_faults.h"
#include "oracles/exact/arithmetic.h"

/* The scale behind the first one that is equal to that of an element. */
static double next_scale(const quantization_t *quantization, const quantum_t *quantum) {
  uint32_t channel = 0;
  while (channel + 1 < quantization->count && quantization->scales[channel] != quantum->scale) {
    channel++;
  }
  return quantization->scales[(channel + 1) % MAX(quantization->count, 1)];
}

quantum_t quantize_faulty_of(const type_t *type, fault_t fault, size_t element) {
  const quantization_t *quantization = type->quantization;
  type_t seen = *type;
  quantization_t last = *quantization;
  if (fault == FAULT_channels_along_last && quantization->axis != -1) {
    last.axis = (int32_t)type->rank - 1;
    seen.quantization = &last;
  }
  quantum_t quantum = quantum_of(&seen, element);
  if (fault == FAULT_first_scale_for_all) quantum.scale = quantization->scales[0];
  if (fault == FAULT_scale_in_bf16) {
    quantum.scale = format_round_double(&format_table[FORMAT_bf16], quantum.scale);
  }
  if (fault == FAULT_zero_point_forgotten) quantum.zero_point = 0;
  if (fault == FAULT_zero_point_negated) quantum.zero_point = -quantum.zero_point;
  if (fault == FAULT_first_zero_point) quantum.zero_point = quantization->zero_points[0];
  if (fault == FAULT_next_scale_for_channel) quantum.scale = next_scale(quantization, &quantum);
  return quantum;
}

int64_t quantize_faulty_load(const tensor_t *tensor, fault_t fault, size_t element) {
  const element_t *storage = tensor->type.element;
  uint64_t bits = element_load(storage, tensor->data, element);
  unsigned unused = 64u - storage->bits;
  if (fault == FAULT_storage_as_signed) return (int64_t)(bits << unused) >> unused;
  return element_signed_value(storage, bits);
}

double fault_dequantize(const type_t *type, const quantum_t *quantum, const format_t *arithmetic,
                        fault_t fault, int64_t stored) {
  quantum_t seen = *quantum;
  if (fault == FAULT_difference_wraps) {
    unsigned unused = 64u - type->element->bits;
    uint64_t difference = (uint64_t)(stored - seen.zero_point) << unused;
    bool is_signed = type->element->kind == ELEMENT_SIGNED;
    stored = is_signed ? (int64_t)difference >> unused : (int64_t)(difference >> unused);
    seen.zero_point = 0;
  }
  return quantum_dequantize(&seen, arithmetic, stored);
}

/* A float rounded to an integer that 64 bits hold; NaN is 0. */
static int64_t whole_of(fault_t fault, double value) {
  if (isnan(value)) return 0;
  double whole = nearbyint(value);
  if (fault == FAULT_quotients_truncated) whole = trunc(value);
  if (fault == FAULT_quotient_ties_away) whole = round(value);
  if (fault == FAULT_quotient_half_up) whole = floor(value + 0.5);
  return (int64_t)CLAMP(whole, -0x1p40, 0x1p40);
}

/* Faulty ways of quantizing. */
static int64_t quantize_wrongly(const type_t *type, const quantum_t *quantum,
                                const format_t *arithmetic, fault_t fault, double value) {
  const arithmetic_t steps = arithmetic_make(arithmetic);
  double quotient = arithmetic_divide(&steps, value, quantum->scale);
  if (fault == FAULT_scale_by_inverse) {
    quotient = arithmetic_multiply(&steps, value, arithmetic_divide(&steps, 1, quantum->scale));
  }
  double zero_point = arithmetic_round(&steps, (double)quantum->zero_point);
  double sum = arithmetic_add(&steps, quotient, zero_point);
  int64_t smallest = quantum->storage_min, largest = quantum->storage_max;
  if (fault == FAULT_storage_range_ignored) {
    smallest = element_integer_min(type->element);
    largest = (int64_t)element_integer_max(type->element);
  }
  if (fault == FAULT_zero_point_unclamped) {
    return CLAMP(whole_of(fault, quotient), smallest, largest) + quantum->zero_point;
  }
  int64_t whole = fault == FAULT_zero_point_after_rounding
                      ? whole_of(fault, quotient) + quantum->zero_point
                      : whole_of(fault, sum);
  return fault == FAULT_quantized_unclamped ? whole : CLAMP(whole, smallest, largest);
}

static bool is_fault_of_quantizing(fault_t fault) {
  return fault == FAULT_quotients_truncated || fault == FAULT_quotient_ties_away ||
         fault == FAULT_quotient_half_up || fault == FAULT_zero_point_unclamped ||
         fault == FAULT_scale_by_inverse || fault == FAULT_storage_range_ignored ||
         fault == FAULT_zero_point_after_rounding || fault == FAULT_quantized_unclamped;
}

static bool is_formula(const implementation_model_t *schedule, const char *name) {
  return schedule->formula != NULL && strcmp(schedule->formula, name) == 0;
}

quantize_way_t quantize_faulty_way(const implementation_model_t *schedule) {
  bool by_reciprocal = is_formula(schedule, "reciprocal");
  return (quantize_way_t){
      .width = is_formula(schedule, "wider") ? QUANTIZE_IN_F64 : QUANTIZE_ROUNDED,
      .by_reciprocal = by_reciprocal,
      .is_fused = by_reciprocal && schedule->fused && !schedule->zero_point_last,
      .zero_point_last = schedule->zero_point_last,
      .ties_away = schedule->ties_away};
}

int64_t fault_quantize(const type_t *type, const quantum_t *quantum, const format_t *arithmetic,
                       const implementation_model_t *schedule, double value) {
  const fault_t fault = schedule->fault;
  if (is_fault_of_quantizing(fault)) {
    return quantize_wrongly(type, quantum, arithmetic, fault, value);
  }
  const quantize_way_t way = quantize_faulty_way(schedule);
  int64_t stored = quantum_quantize_by(quantum, arithmetic, way, value);
  if (fault != FAULT_zero_point_twice) return stored;
  return CLAMP(stored + quantum->zero_point, quantum->storage_min, quantum->storage_max);
}

const format_t *quantize_faulty_arithmetic(const type_t *type,
                                           const implementation_model_t *schedule) {
  const element_t *expressed = type->quantization->expressed;
  bool is_wide = expressed->bits <= 16 && !schedule->native;
  return is_wide ? &format_table[FORMAT_f32] : expressed->format;
}
