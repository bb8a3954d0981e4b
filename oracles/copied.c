/* SPDX-License-Identifier: Apache-2.0 */
/* Holds copies of elements against what they were copied from. */
#include "oracles/copied.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "oracles/exact/quantum/fault_values.h"

bool copied_conforms(const element_t *element, const contract_t *contract, uint64_t from,
                     uint64_t bits) {
  const format_t *format = element->format;
  if (bits == from) return true;
  if (format == NULL) return false;
  if (format_is_nan(format, from)) return format_is_nan(format, bits);
  if (!format_is_zero(format, bits)) return false;
  bool is_flushed = format_is_subnormal(format, from) && PERMITTED(contract, ftz) != FTZ_NONE;
  if (!format_is_zero(format, from) && !is_flushed) return false;
  bool has_sign = format_zero_has_sign(format, bits, format_is_negative(format, from));
  return has_sign || PERMITTED(contract, zero_sign) == ZERO_SIGN_ANY;
}

void copied_print(const element_t *element, uint64_t bits, char *inout_text, size_t bytes) {
  size_t used = strlen(inout_text);
  char *end = inout_text + used;
  if (element->format != NULL) {
    snprintf(end, bytes - used, "%a", format_to_double(element->format, bits));
  } else if (element->kind == ELEMENT_SIGNED) {
    snprintf(end, bytes - used, "%" PRId64, element_signed_value(element, bits));
  } else {
    snprintf(end, bytes - used, "%" PRIu64, bits);
  }
}

answer_t copied_answer(const element_t *element, const contract_t *contract, uint64_t from,
                       uint64_t bits) {
  answer_t answer = {.conforms = copied_conforms(element, contract, from, bits)};
  answer.nan_expected = element->format != NULL && format_is_nan(element->format, from);
  answer.infinity_expected = element->format != NULL && format_is_infinity(element->format, from);
  copied_print(element, from, answer.expected, sizeof answer.expected);
  return answer;
}

uint64_t copied_spoil(fault_t fault, const element_t *element, uint64_t bits, size_t output) {
  const format_t *format = element->format;
  if (fault == FAULT_NONE || format == NULL) return bits;
  double value = fault_load_float(fault, format, bits);
  uint64_t read = isnan(value) ? bits : format_from_double(format, value);
  return fault_spoil_bits(fault, format, read, output);
}
