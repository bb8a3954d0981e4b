/* SPDX-License-Identifier: Apache-2.0 */
/* Loads operands into a simulated reduction and stores its results, conversions included. Faults
 * that misread an operand, spoil a stored pattern or skip a store act here. */
#include <math.h>
#include <string.h>

#include "harness/model/fault.h"
#include "oracles/exact/fold/parts.h"
#include "oracles/exact/quantum/fault_values.h"

const format_t *fold_narrower_format(const format_t *format) {
  if (format == &format_table[FORMAT_f64]) return &format_table[FORMAT_f32];
  if (format == &format_table[FORMAT_f32]) return &format_table[FORMAT_f16];
  if (format->bits == 16) return &format_table[FORMAT_f8E5M2];
  return format;
}

double fold_narrow(const fold_t *fold, double value) {
  const arithmetic_t narrow = arithmetic_make(fold_narrower_format(fold->element->format));
  return arithmetic_round(&narrow, value);
}

/* What FAULT_narrow_operands rounds to, or NULL. */
static const format_t *narrow_operand_format(const format_t *format) {
  const format_t *bf16 = &format_table[FORMAT_bf16];
  if (format == &format_table[FORMAT_f64]) return &format_table[FORMAT_f32];
  return format->precision > bf16->precision ? bf16 : NULL;
}

double fault_load_float(fault_t fault, const format_t *format, uint64_t bits) {
  double value = format_to_double(format, bits);
  if (fault == FAULT_flush_inputs && format_is_subnormal(format, bits)) return copysign(0, value);
  if (fault == FAULT_narrow_operands) {
    const format_t *narrow = narrow_operand_format(format);
    if (narrow != NULL) return format_round_double(narrow, value);
  }
  return value;
}

static uint64_t load_integer(const fold_t *fold, const element_t *from, uint64_t bits) {
  bool is_misread =
      from->kind == ELEMENT_UNSIGNED && fold->schedule->fault == FAULT_unsigned_as_signed;
  unsigned unused = 64u - from->bits;
  uint64_t value = is_misread ? (uint64_t)((int64_t)(bits << unused) >> unused)
                              : fold_extend(from, from->bits, bits);
  return fold_extend(fold->element, fold->element->bits, value);
}

fold_value_t fold_load(const fold_t *fold, const element_t *from, const uint8_t *data,
                       size_t index) {
  if (from->kind == ELEMENT_COMPLEX) {
    fault_t fault = fold->schedule->fault;
    uint64_t real = element_load(from, data, 2 * index);
    uint64_t imaginary = element_load(from, data, 2 * index + 1);
    return fold_complex(fault_load_float(fault, from->format, real),
                        fault_load_float(fault, from->format, imaginary));
  }
  uint64_t bits = element_load(from, data, index);
  if (from->kind == ELEMENT_FLOAT) {
    return fold_real(fault_load_float(fold->schedule->fault, from->format, bits));
  }
  return fold_integer(load_integer(fold, from, bits));
}

uint64_t fold_load_index(const fold_t *fold, const uint8_t *data, size_t index) {
  const element_t *element = fold->index_element;
  return fold_extend(element, element->bits, element_load(element, data, index));
}

/* Rounds the value of a node to the result's format. */
static double round_result(const fold_t *fold, double value) {
  const arithmetic_t result = arithmetic_make(fold->element->format);
  if (fold->schedule->fault == FAULT_truncate_result) return arithmetic_truncate(&result, value);
  if (fold->schedule->fault == FAULT_narrow_result) value = fold_narrow(fold, value);
  return arithmetic_round(&result, value);
}

static uint64_t signed_bits(const format_t *format, uint64_t magnitude_bits, bool negative) {
  return magnitude_bits | (negative ? (uint64_t)1 << (format->bits - 1) : 0);
}

uint64_t fault_spoil_bits(fault_t fault, const format_t *format, uint64_t bits, size_t output) {
  enum { EVERY_SEVENTH = 7 };
  bool is_number = !format_is_nan(format, bits) && !format_is_infinity(format, bits);
  bool negative = format_is_negative(format, bits);
  number_t infinity = {.kind = NUMBER_INFINITY};
  switch (fault) {
    case FAULT_flush_outputs:
      if (!format_is_subnormal(format, bits)) return bits;
      return format_from_double(format, negative ? -0.0 : 0.0);
    case FAULT_nan_as_infinity:
      if (!format_is_nan(format, bits)) return bits;
      return format_has_infinity(format)
                 ? format_encode(format, infinity, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT)
                 : format->largest_bits;
    case FAULT_infinity_as_largest:
      if (!format_is_infinity(format, bits)) return bits;
      return signed_bits(format, format->largest_bits, negative);
    case FAULT_lose_negative_zero:
      return format_is_zero(format, bits) ? format_from_double(format, 0.0) : bits;
    case FAULT_negate_zero:
      return format_is_zero(format, bits) ? format_from_double(format, -0.0) : bits;
    case FAULT_off_by_one_ulp:
      if (!is_number || output % EVERY_SEVENTH != EVERY_SEVENTH - 1) return bits;
      return format_next_up(format, bits);
    default:
      return bits;
  }
}

/* The sign of a NaN depends on the host: it is dropped. */
static uint64_t result_bits(const fold_t *fold, double value, size_t output) {
  double rounded = isnan(value) ? (double)NAN : round_result(fold, value);
  uint64_t bits = format_from_double(fold->element->format, rounded);
  fault_t fault = fold->schedule->fault;
  return fault == FAULT_NONE ? bits : fault_spoil_bits(fault, fold->element->format, bits, output);
}

static void store_value(const fold_t *fold, fold_value_t value, size_t output, uint8_t *data) {
  const element_t *element = fold->element;
  switch (element->kind) {
    case ELEMENT_FLOAT:
      element_store(element, data, output, result_bits(fold, value.real, output));
      break;
    case ELEMENT_COMPLEX:
      element_store(element, data, 2 * output, result_bits(fold, value.real, output));
      element_store(element, data, 2 * output + 1, result_bits(fold, value.imaginary, output));
      break;
    default:
      element_store(element, data, output, value.integer & element_mask(element));
  }
}

bool fault_skips_store(fault_t fault, size_t output, tensor_t *result) {
  if (fault != FAULT_last_row_stale && fault != FAULT_unwritten_tail) return false;
  if (output + 1 != type_element_count(&result->type)) return false;
  if (fault == FAULT_unwritten_tail) return true;
  size_t bytes = element_bytes(result->type.element);
  if (output == 0) return false;
  memcpy(result->data + output * bytes, result->data + (output - 1) * bytes, bytes);
  return true;
}

void fold_store(const fold_t *fold, fold_value_t value, size_t output, tensor_t *results) {
  if (!fault_skips_store(fold->schedule->fault, output, &results[0])) {
    store_value(fold, value, output, results[0].data);
  }
  const element_t *index = fold->index_element;
  if (index != NULL && !fault_skips_store(fold->schedule->fault, output, &results[1])) {
    element_store(index, results[1].data, output, value.index & element_mask(index));
  }
}
