/* SPDX-License-Identifier: Apache-2.0 */
/* The fast sets of convert: what rounding to nearest even and cutting off fractions give, for
 * numbers that binary64 carries exactly, which is all but integers of more than 53 bits.  Asked
 * about is whatever is NaN or too large, and where the contract permits more than one value and the
 * fast side cannot tell an exact one. */
#include <math.h>

#include "oracles/ops/element_conversion/parts.h"

#include "generated/element_conversion_permissions.h"

typedef struct fast {
  const element_t *from;
  const element_t *to;
  const contract_t *contract;
  const uint8_t *data;
  double smallest; /* Of an integer type: the ends between which numbers are certain to fit. */
  double largest;  /* Of a float type: its largest number. */
} fast_t;

/* False where binary64 does not hold the number. */
static inline bool load_double(const fast_t *fast, size_t index, double *out_value) {
  const element_t *from = fast->from;
  uint64_t bits = element_load(from, fast->data, index);
  if (from->format != NULL) {
    *out_value = format_to_double(from->format, bits);
    return true;
  }
  if (from->kind == ELEMENT_SIGNED) {
    int64_t value = element_signed_value(from, bits);
    *out_value = (double)value;
    return value >= -(INT64_C(1) << 53) && value <= INT64_C(1) << 53;
  }
  *out_value = (double)bits;
  return bits <= UINT64_C(1) << 53;
}

/* Whether `bits`, the nearest number, is all that may come, or one that may come and need not be
 * counted as weak. */
static inline bool is_certain_float(const fast_t *fast, double value, uint64_t bits) {
  const format_t *format = fast->to->format;
  double got = format_to_double(format, bits);
  if (got == value) return isfinite(value) || format_has_infinity(format);
  const contract_t *contract = fast->contract;
  bool is_open = PERMITTED(contract, convert_rounding) == CONVERT_ROUNDING_ANY || isnan(got) ||
                 (isinf(got) && PERMITTED(contract, convert_overflow) == CONVERT_OVERFLOW_ANY) ||
                 format->specials == FORMAT_EXPONENT_ONLY;
  return !is_open && fabs(got) != fast->largest; /* Which may have come of any larger number. */
}

static inline bool convert_float(const fast_t *fast, double value, uint64_t *out_bits) {
  *out_bits = format_from_double(fast->to->format, value);
  return is_certain_float(fast, value, *out_bits);
}

static inline bool convert_integer(const fast_t *fast, double value, uint64_t *out_bits) {
  const element_t *to = fast->to;
  if (to->kind == ELEMENT_BOOLEAN) {
    *out_bits = value != 0;
    return true;
  }
  bool fits = value > fast->smallest && value < fast->largest;
  int64_t integer = fits ? (int64_t)value : 0;
  *out_bits = (uint64_t)integer & element_mask(to);
  return fits;
}

/* Integers that integers are made of wrap, whatever their size. */
static inline bool convert_whole(const fast_t *fast, size_t index, uint64_t *out_bits) {
  const element_t *from = fast->from, *to = fast->to;
  uint64_t bits = element_load(from, fast->data, index);
  uint64_t value = from->kind == ELEMENT_SIGNED ? (uint64_t)element_signed_value(from, bits) : bits;
  *out_bits = to->kind == ELEMENT_BOOLEAN ? value != 0 : value & element_mask(to);
  bool is_same_sign = to->kind == ELEMENT_SIGNED || from->kind != ELEMENT_SIGNED;
  bool always_fits = to->kind == ELEMENT_BOOLEAN ||
                     (is_same_sign && from->bits + (to->kind != from->kind) <= to->bits);
  return always_fits || PERMITTED(fast->contract, convert_narrowing) == CONVERT_NARROWING_WRAP;
}

status_t convert_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const program_t *program = &call->instance->program;
  const element_t *from = program->operands[0].element, *to = program->results[0].element;
  size_t count = type_component_count(&program->results[0]);
  uint64_t *bits = ARENA_NEW_ARRAY(call->arena, uint64_t, count);
  uint8_t *decide = ARENA_NEW_ARRAY(call->arena, uint8_t, count);
  fast_t fast = {
      .from = from, .to = to, .contract = call->contract, .data = call->instance->operands[0].data};
  if (to->format != NULL) {
    fast.largest = format_to_double(to->format, to->format->largest_bits);
  } else { /* Both round outwards to powers of two, or are exact. */
    fast.smallest = (double)element_integer_min(to) - 1;
    fast.largest = fmin((double)element_integer_max(to) + 1, 0x1p63);
    fast.smallest = fmax(fast.smallest, -0x1p63);
  }
  bool is_plain = from->components == to->components;
  for (size_t i = 0; i < count; i++) {
    size_t index = i;
    double value = 0;
    bool is_certain = is_plain || convert_find_source(program, i, &index);
    if (!is_certain) {
      is_certain = convert_float(&fast, 0, &bits[i]);
    } else if (from->format == NULL && to->format == NULL) {
      is_certain = convert_whole(&fast, index, &bits[i]);
    } else {
      is_certain = load_double(&fast, index, &value);
      is_certain &= to->format != NULL ? convert_float(&fast, value, &bits[i])
                                       : convert_integer(&fast, value, &bits[i]);
    }
    decide[i] = !is_certain;
  }
  out_accepts[0] = (accept_t){.count = count, .bits = bits, .decide = decide};
  return STATUS_OK;
}
