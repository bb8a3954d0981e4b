/* SPDX-License-Identifier: Apache-2.0 */
/* The exact oracle of convert: numbers are decoded to integers and encoded again, exactly. */
#include <glib.h>
#include <math.h>

#include "oracles/ops/element_conversion/parts.h"

#include "generated/element_conversion_permissions.h"

/* ---- Sources --------------------------------------------------------------------------------- */

bool convert_find_source(const program_t *program, size_t component, size_t *out_index) {
  size_t from = program->operands[0].element->components;
  size_t to = program->results[0].element->components;
  *out_index = from == to ? component : component / to * from;
  return component % to == 0 || from == to;
}

static number_t integer_number(const element_t *element, uint64_t bits) {
  int64_t value = element_signed_value(element, bits);
  bool negative = element->kind == ELEMENT_SIGNED && value < 0;
  uint64_t magnitude = negative ? 0 - (uint64_t)value : (uint64_t)value;
  return (number_t){.kind = magnitude == 0 ? NUMBER_ZERO : NUMBER_FINITE,
                    .negative = negative,
                    .significand = magnitude};
}

static number_t load_number(const case_t *instance, size_t component) {
  const element_t *element = instance->operands[0].type.element;
  size_t index;
  bool is_there = convert_find_source(&instance->program, component, &index);
  if (!is_there) return (number_t){.kind = NUMBER_ZERO};
  uint64_t bits = element_load(element, instance->operands[0].data, index);
  return element->format != NULL ? format_decode(element->format, bits)
                                 : integer_number(element, bits);
}

/* ---- To floats ------------------------------------------------------------------------------- */

/* Halfway between two powers of two, of which neither is the even one. */
static bool is_tie_of_powers(const number_t *number) {
  return number->significand >> __builtin_ctzll(number->significand) == 3;
}

static bool is_largest_or_not_finite(const format_t *format, uint64_t bits) {
  bool is_number = !format_is_nan(format, bits) && !format_is_infinity(format, bits);
  uint64_t sign = format->specials == FORMAT_EXPONENT_ONLY ? 0 : UINT64_C(1) << (format->bits - 1);
  return !is_number || (bits & ~sign) == format->largest_bits;
}

/* Types of 8 bits and less that have infinities. */
static void add_saturated_infinity(choice_set_t *set, const format_t *format,
                                   const number_t *number, const contract_t *contract) {
  bool is_permitted = PERMITTED(contract, convert_infinity) == CONVERT_INFINITY_SATURATE;
  if (!is_permitted || format->bits > 8 || !format_has_infinity(format)) return;
  uint64_t largest = format_encode(format, *number, ROUNDING_NEAREST_EVEN, OVERFLOW_SATURATE);
  choice_set_add(set, largest, "convert_infinity=saturate");
}

static void add_overflow(choice_set_t *set, const format_t *format, const number_t *number,
                         const contract_t *contract) {
  uint64_t bits = format_encode(format, *number, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  bool is_nan = format_has_nan(format) && format_is_nan(format, bits);
  set->any |= PERMITTED(contract, convert_overflow) == CONVERT_OVERFLOW_ANY;
  set->nan |= is_nan;
  if (!is_nan) choice_set_add(set, bits, "");
  add_saturated_infinity(set, format, number, contract);
  if (PERMITTED(contract, convert_overflow) == CONVERT_OVERFLOW_FORMAT ||
      format_has_infinity(format))
    return;
  uint64_t largest = format_encode(format, *number, ROUNDING_NEAREST_EVEN, OVERFLOW_SATURATE);
  choice_set_add(set, largest, is_nan ? "saturated" : "");
}

/* A finite number that is not one of the format. */
static void add_rounded(choice_set_t *set, const format_t *format, const number_t *number,
                        const contract_t *contract) {
  uint64_t bits = format_encode(format, *number, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  uint64_t inward = format_encode(format, *number, ROUNDING_TOWARD_ZERO, OVERFLOW_SATURATE);
  bool is_faithful = PERMITTED(contract, convert_rounding) >= CONVERT_ROUNDING_FAITHFUL;
  /* The nearest number in a format without bounds may be beyond the largest one. */
  bool overflows = is_largest_or_not_finite(format, inward) && bits != inward;
  set->any |= PERMITTED(contract, convert_rounding) == CONVERT_ROUNDING_ANY;
  if (overflows) {
    add_overflow(set, format, number, contract);
  } else {
    choice_set_add(set, bits, "");
  }
  /* Hardware that flushes may tell that a number is subnormal before it rounds it. */
  bool flushes = PERMITTED(contract, ftz) == FTZ_OUTPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
  if (flushes && format_is_subnormal(format, inward)) {
    uint64_t zero = format_from_double(format, number->negative ? -0.0 : 0.0);
    choice_set_add(set, zero, "subnormal result flushed");
  }
  bool is_tie = format->specials == FORMAT_EXPONENT_ONLY && is_tie_of_powers(number);
  if (!is_faithful && !is_tie) return;
  choice_set_add(set, inward, "the neighbour toward zero");
  rounding_t outward = number->negative ? ROUNDING_DOWN : ROUNDING_UP;
  uint64_t away = format_encode(format, *number, outward, OVERFLOW_FORMAT);
  bool is_number = !format_has_nan(format) || !format_is_nan(format, away);
  if (is_number) choice_set_add(set, away, "the neighbour away from zero");
}

static bool is_number_of(const format_t *format, const number_t *number) {
  uint64_t inward = format_encode(format, *number, ROUNDING_TOWARD_ZERO, OVERFLOW_SATURATE);
  number_t back = format_decode(format, inward);
  if (back.kind != NUMBER_FINITE) return false;
  int spare = __builtin_ctzll(back.significand), given = __builtin_ctzll(number->significand);
  return back.negative == number->negative &&
         back.significand >> spare == number->significand >> given &&
         back.exponent + spare == number->exponent + given;
}

/* f8E8M0FNU has neither zero nor sign: the specification says nothing of what becomes of those, and
 * implementations differ; nor of NaN and infinities in formats that have none. */
static void add_float(choice_set_t *set, const format_t *format, const number_t *number,
                      const contract_t *contract) {
  bool is_positive = number->kind != NUMBER_ZERO && !number->negative;
  if (number->kind == NUMBER_NAN) {
    set->nan = format_has_nan(format);
    set->any |= !set->nan;
  } else if (format->specials == FORMAT_EXPONENT_ONLY && !is_positive) {
    set->any = true;
  } else if (number->kind == NUMBER_INFINITY && !format_has_infinity(format)) {
    set->any |= !format_has_nan(format);
    add_overflow(set, format, number, contract);
  } else if (number->kind == NUMBER_FINITE && !is_number_of(format, number)) {
    add_rounded(set, format, number, contract);
  } else {
    uint64_t bits = format_encode(format, *number, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
    choice_set_add(set, bits, "");
    if (number->kind == NUMBER_INFINITY) add_saturated_infinity(set, format, number, contract);
  }
}

/* ---- To integers ----------------------------------------------------------------------------- */

/* The integer part, as a magnitude; false if it has more than 64 bits. */
static bool truncate_number(const number_t *number, uint64_t *out_magnitude) {
  int exponent = number->exponent;
  *out_magnitude = 0;
  if (number->kind == NUMBER_ZERO || exponent <= -64) return true;
  if (exponent > __builtin_clzll(number->significand)) return false;
  *out_magnitude =
      exponent < 0 ? number->significand >> -exponent : number->significand << exponent;
  return true;
}

static bool is_in_range(const element_t *element, bool negative, uint64_t magnitude) {
  if (!negative || magnitude == 0) return magnitude <= element_integer_max(element);
  return magnitude <= 0 - (uint64_t)element_integer_min(element);
}

static uint64_t end_bits(const element_t *element, bool negative) {
  uint64_t end = negative ? (uint64_t)element_integer_min(element) : element_integer_max(element);
  return end & element_mask(element);
}

static void add_integer(choice_set_t *set, const element_t *from, const element_t *to,
                        const number_t *number, const contract_t *contract) {
  if (to->kind == ELEMENT_BOOLEAN) {
    choice_set_add(set, number->kind != NUMBER_ZERO, "");
    return;
  }
  uint64_t magnitude = 0;
  bool is_number = number->kind == NUMBER_ZERO || number->kind == NUMBER_FINITE;
  bool fits = is_number && truncate_number(number, &magnitude) &&
              is_in_range(to, number->negative, magnitude);
  uint64_t wrapped = (number->negative ? 0 - magnitude : magnitude) & element_mask(to);
  if (fits) {
    choice_set_add(set, wrapped, "");
  } else if (from->format == NULL) {
    set->any |= PERMITTED(contract, convert_narrowing) == CONVERT_NARROWING_ANY;
    choice_set_add(set, wrapped, "");
  } else {
    set->any |= PERMITTED(contract, convert_truncation) == CONVERT_TRUNCATION_ANY;
    bool is_nan = number->kind == NUMBER_NAN;
    choice_set_add(set, is_nan ? 0 : end_bits(to, number->negative), "");
  }
}

/* ---- Exact ----------------------------------------------------------------------------------- */

static choice_set_t find_set(const case_t *instance, const contract_t *contract, size_t component,
                             number_t *out_number) {
  const element_t *from = instance->program.operands[0].element;
  const element_t *to = instance->program.results[0].element;
  number_t number = load_number(instance, component);
  *out_number = number;
  choice_set_t set = {.count = 0};
  bool flushes = PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
  int length = number.kind == NUMBER_FINITE ? 64 - __builtin_clzll(number.significand) : 0;
  bool is_subnormal = length > 0 && from->format != NULL &&
                      from->format->specials != FORMAT_EXPONENT_ONLY &&
                      number.exponent + length - 1 < from->format->exponent_min;
  for (int pass = 0; pass < (flushes && is_subnormal ? 2 : 1); pass++) {
    if (pass == 1) number.kind = NUMBER_ZERO;
    if (to->format != NULL) {
      add_float(&set, to->format, &number, contract);
    } else {
      add_integer(&set, from, to, &number, contract);
    }
  }
  if (to->format != NULL) choice_set_loosen(&set, to->format, contract);
  return set;
}

choice_set_t convert_set(const case_t *instance, const contract_t *contract, size_t component) {
  number_t number;
  return find_set(instance, contract, component, &number);
}

/* What was made of a float that an integer type has not. */
static const char *name_integer(const element_t *to, const number_t *number, uint64_t bits) {
  uint64_t magnitude = 0;
  bool is_short = number->kind == NUMBER_FINITE && truncate_number(number, &magnitude);
  uint64_t wrapped = (number->negative ? 0 - magnitude : magnitude) & element_mask(to);
  uint64_t smallest = end_bits(to, true);
  if (number->kind == NUMBER_NAN) return bits == 0 ? "NaN to 0" : "NaN to another integer";
  if (bits == end_bits(to, number->negative)) return "saturated";
  if (is_short && bits == wrapped) return "wrapped";
  if (bits == smallest) return "smallest integer";
  return bits == 0 ? "0" : "another integer";
}

static const char *name_float(const format_t *format, const number_t *number, uint64_t bits) {
  if (number->kind == NUMBER_NAN) return "NaN to a number";
  if (format_has_nan(format) && format_is_nan(format, bits)) return "NaN";
  if (format_is_infinity(format, bits)) return "infinity";
  rounding_t outward = number->negative ? ROUNDING_DOWN : ROUNDING_UP;
  if (bits == format_encode(format, *number, ROUNDING_NEAREST_EVEN, OVERFLOW_SATURATE)) {
    return "nearest";
  }
  bool is_neighbour =
      bits == format_encode(format, *number, ROUNDING_TOWARD_ZERO, OVERFLOW_SATURATE) ||
      bits == format_encode(format, *number, outward, OVERFLOW_SATURATE);
  return is_neighbour ? "the other neighbour" : "another number";
}

/* The error, in units in the last place and as a share of what rounding may err by.  Of what was
 * too large there is none. */
static void measure(const format_t *format, const number_t *number, const contract_t *contract,
                    uint64_t bits, answer_t *answer) {
  bool is_number = number->kind == NUMBER_ZERO || number->kind == NUMBER_FINITE;
  if (!is_number || format->specials == FORMAT_EXPONENT_ONLY) return;
  double got = format_to_double(format, bits), exact = 0;
  int unit = format->exponent_min - format->precision + 1;
  if (number->kind == NUMBER_FINITE) {
    int length = 64 - __builtin_clzll(number->significand);
    unit = format_ulp_exponent(format, number->exponent + length - 1);
    exact = ldexp((double)number->significand, number->exponent - unit);
  }
  double error = fabs(ldexp(got, -unit) - (number->negative ? -exact : exact));
  double permitted = PERMITTED(contract, convert_rounding) == CONVERT_ROUNDING_RN ? 0.5 : 1;
  bool is_measured = isfinite(got) && (error <= permitted || !answer->conforms);
  answer->has_reference = is_measured || !answer->conforms;
  answer->ulp_error = isfinite(error) ? error : (double)INFINITY;
  answer->slack = answer->ulp_error / permitted;
}

status_t convert_decide(const oracle_call_t *call, uint32_t result, size_t component,
                        answer_t *out_answer) {
  const element_t *to = call->results[result].type.element;
  number_t number;
  choice_set_t set = find_set(call->instance, call->contract, component, &number);
  uint64_t bits = element_load(to, call->results[result].data, component);
  answer_t answer = {.conforms = false};
  choice_set_judge(&set, to, bits, &answer);
  if (set.any) {
    const char *name = to->format != NULL ? name_float(to->format, &number, bits)
                                          : name_integer(to, &number, bits);
    g_strlcpy(answer.observed, name, sizeof answer.observed);
  }
  if (to->format != NULL) measure(to->format, &number, call->contract, bits, &answer);
  *out_answer = answer;
  return STATUS_OK;
}
