/* SPDX-License-Identifier: Apache-2.0 */
/* Bit patterns at which arithmetic goes wrong, for every element type: zeros, infinities, NaNs,
 * numbers near the ends of ranges and binades, small integers. */
#include "harness/draw/special_values.h"

#include <glib.h>

#include "harness/num/significand.h"

static uint64_t sign_bit(const format_t *format) {
  return format->specials == FORMAT_EXPONENT_ONLY ? 0 : UINT64_C(1) << (format->bits - 1);
}

static uint64_t with_sign(const format_t *format, bool negative, uint64_t magnitude) {
  if (!negative || (magnitude == 0 && !format_has_negative_zero(format))) return magnitude;
  return magnitude | sign_bit(format);
}

/* The same of a number whose rounding is normal and far from the largest: false if it may be
 * another.  Most that are drawn are such. */
static bool find_normal(const format_t *format, uint64_t significand, int exponent,
                        uint64_t *out_magnitude) {
  if (significand == 0 || format->specials == FORMAT_EXPONENT_ONLY) return false;
  int leading = 63 - __builtin_clzll(significand), fraction_bits = format->precision - 1;
  int binade = leading + exponent, drop = leading - fraction_bits;
  if (binade < format->exponent_min || binade >= format->exponent_max) return false;
  if (!significand_is_short(significand, drop)) return false;
  uint64_t rounded = significand_round_short(significand, drop);
  /* The implicit bit adds one to the exponent field, as does a carry out of it. */
  *out_magnitude = ((uint64_t)(binade - format->exponent_min) << fraction_bits) + rounded;
  return true;
}

uint64_t special_value_number(const element_t *element, bool negative, uint64_t significand,
                              int exponent) {
  const format_t *format = element->format;
  uint64_t magnitude;
  if (find_normal(format, significand, exponent, &magnitude)) {
    return magnitude | (negative ? sign_bit(format) : 0);
  }
  number_t number = {.kind = significand == 0 ? NUMBER_ZERO : NUMBER_FINITE,
                     .negative = negative && sign_bit(format) != 0,
                     .exponent = exponent,
                     .significand = significand};
  return format_encode(format, number, ROUNDING_NEAREST_EVEN, OVERFLOW_SATURATE);
}

uint64_t special_value_integer(const element_t *element, int value) {
  uint64_t magnitude = (uint64_t)(value < 0 ? -value : value);
  switch (element->kind) {
    case ELEMENT_BOOLEAN:
      return value != 0;
    case ELEMENT_SIGNED:
      return (uint64_t)value & element_mask(element);
    case ELEMENT_UNSIGNED:
      return magnitude & element_mask(element);
    case ELEMENT_FLOAT:
    case ELEMENT_COMPLEX:
      break;
  }
  return special_value_number(element, value < 0, magnitude, 0);
}

uint64_t special_value_zero(const element_t *element, bool negative) {
  return element->format == NULL ? 0 : with_sign(element->format, negative, 0);
}

uint64_t special_value_negated(const element_t *element, uint64_t bits) {
  const format_t *format = element->format;
  if (format == NULL) {
    return element_is_integer(element) ? (0 - bits) & element_mask(element) : bits;
  }
  uint64_t magnitude = bits & ~sign_bit(format);
  if (format_is_nan(format, bits) || (magnitude == 0 && !format_has_negative_zero(format))) {
    return bits;
  }
  return bits ^ sign_bit(format);
}

static uint64_t float_boundary(rng_t *rng, const format_t *format) {
  uint64_t binade = UINT64_C(1) << (format->precision - 1);
  uint64_t one = (uint64_t)format->exponent_bias * binade;
  uint64_t largest = format->largest_bits;
  const uint64_t magnitudes[] = {
      largest,
      largest - 1,
      largest & ~(binade - 1),
      largest - binade, /* huge */
      binade,
      binade + 1,
      binade - 1,
      binade / 2, /* around normal */
      1,
      2,
      3, /* tiny */
      one - 1,
      one,
      one + 1,
  };
  bool negative = rng_one_in(rng, 2);
  return with_sign(format, negative, magnitudes[rng_below(rng, G_N_ELEMENTS(magnitudes))]);
}

static uint64_t integer_boundary(rng_t *rng, const element_t *element) {
  uint64_t min = (uint64_t)element_integer_min(element);
  uint64_t max = element_integer_max(element);
  uint64_t half = UINT64_C(1) << (element->bits / 2);
  const uint64_t values[] = {min,      min + 1,  max, max - 1, max / 2 + 1, half,
                             half - 1, 0 - half, 0,   1,       2,           0 - UINT64_C(1)};
  return values[rng_below(rng, G_N_ELEMENTS(values))] & element_mask(element);
}

uint64_t special_value_boundary(rng_t *rng, const element_t *element) {
  return element->format == NULL ? integer_boundary(rng, element)
                                 : float_boundary(rng, element->format);
}

uint64_t special_value_nan(rng_t *rng, const element_t *element) {
  const format_t *format = element->format;
  if (format == NULL || !format_has_nan(format)) return special_value_boundary(rng, element);
  number_t nan = {.kind = NUMBER_NAN, .negative = rng_one_in(rng, 2) && sign_bit(format) != 0};
  uint64_t quiet = format_encode(format, nan, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  if (!rng_one_in(rng, 4)) return quiet;
  /* A payload, and sometimes a signaling NaN. */
  uint64_t other = quiet ^ (rng_bits(rng) & ((UINT64_C(1) << (format->precision - 1)) - 1));
  return format_is_nan(format, other) ? other : quiet;
}

uint64_t special_value_infinity(rng_t *rng, const element_t *element) {
  const format_t *format = element->format;
  if (format == NULL || !format_has_infinity(format)) return special_value_boundary(rng, element);
  number_t infinity = {.kind = NUMBER_INFINITY, .negative = rng_one_in(rng, 2)};
  return format_encode(format, infinity, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
}

uint64_t special_value_special(rng_t *rng, const element_t *element) {
  switch (rng_below(rng, 3)) {
    case 0:
      return special_value_nan(rng, element);
    case 1:
      return special_value_infinity(rng, element);
    default:
      return special_value_zero(element, rng_one_in(rng, 2));
  }
}

static uint64_t any_magnitude(rng_t *rng, const element_t *element) {
  uint64_t bits = rng_bits(rng);
  if (element->format == NULL) return bits >> (bits & 63) & element_mask(element);
  bool negative = rng_one_in(rng, 2);
  int exponent = (int)rng_between(rng, -40, 40);
  return special_value_number(element, negative, 1, exponent);
}

uint64_t special_value_any(rng_t *rng, const element_t *element) {
  switch (rng_below(rng, 6)) {
    case 0:
      return special_value_boundary(rng, element);
    case 1:
      return special_value_special(rng, element);
    case 2:
    case 3:
      return special_value_integer(element, (int)rng_between(rng, -4, 4));
    case 4:
      return any_magnitude(rng, element);
    default:
      return rng_bits(rng) & element_mask(element);
  }
}
