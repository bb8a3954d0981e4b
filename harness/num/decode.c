/* SPDX-License-Identifier: Apache-2.0 */
/* Table of float formats with derived constants, classification of bit patterns, and ordinals that
 * number a format's values in order. */
#include "harness/num/format.h"

#include <stddef.h>

#include "harness/num/binary64.h"
#include "harness/num/format_layout.h"

/* What a row leaves open is fixed by which patterns its specials take from the top of the range. */
#define ALL_ONES(exponent_bits, precision) \
  ((UINT64_C(1) << ((exponent_bits) + (precision) - 1)) - 1)
#define TAKEN_BY_SPECIALS(precision, specials)                                             \
  ((specials) == FORMAT_IEEE ? UINT64_C(1) << ((precision) - 1)                            \
   : (specials) == FORMAT_NAN_ALL_ONES || (specials) == FORMAT_EXPONENT_ONLY ? UINT64_C(1) \
                                                                             : UINT64_C(0))
#define LARGEST_BITS(exponent_bits, precision, specials) \
  (ALL_ONES(exponent_bits, precision) - TAKEN_BY_SPECIALS(precision, specials))

/* What binary64 has more of: bits of the fraction, and bias. */
#define WIDER_FRACTION(precision) (BINARY64_FRACTION_BITS + 1 - (precision))
#define REBIAS(bias) ((uint64_t)(BINARY64_BIAS - (bias)) << BINARY64_FRACTION_BITS)

/* Neighbours of FORMAT_EXPONENT_ONLY differ by a factor of two and have no even one. */
#define IS_ROUNDED_BY_HALVES(precision, specials) \
  ((precision) <= BINARY64_FRACTION_BITS && (specials) != FORMAT_EXPONENT_ONLY)
#define NORMAL_LOW(precision, bias, specials)                   \
  (IS_ROUNDED_BY_HALVES(precision, specials)                    \
       ? REBIAS(bias) + (UINT64_C(1) << BINARY64_FRACTION_BITS) \
       : UINT64_MAX)
#define NORMAL_HIGH(exponent_bits, precision, bias, specials) \
  ((LARGEST_BITS(exponent_bits, precision, specials) << WIDER_FRACTION(precision)) + REBIAS(bias))

const format_t format_table[FORMAT_COUNT] = {
#define FORMAT_ROW(name_, bits_, exponent_bits_, precision_, bias_, specials_)                   \
  [FORMAT_##name_] = {                                                                           \
      .name = #name_,                                                                            \
      .bits = (bits_),                                                                           \
      .exponent_bits = (exponent_bits_),                                                         \
      .precision = (precision_),                                                                 \
      .exponent_bias = (bias_),                                                                  \
      .specials = (specials_),                                                                   \
      .exponent_min = ((specials_) == FORMAT_EXPONENT_ONLY ? 0 : 1) - (bias_),                   \
      .exponent_max =                                                                            \
          (int16_t)(LARGEST_BITS(exponent_bits_, precision_, specials_) >> ((precision_) - 1)) - \
          (bias_),                                                                               \
      .largest_bits = LARGEST_BITS(exponent_bits_, precision_, specials_),                       \
      .magnitude_mask = ALL_ONES(exponent_bits_, precision_),                                    \
      .sign_mask =                                                                               \
          (specials_) == FORMAT_EXPONENT_ONLY ? 0 : ALL_ONES(exponent_bits_, precision_) + 1,    \
      .rebias = REBIAS(bias_),                                                                   \
      .normal_low = NORMAL_LOW(precision_, bias_, specials_),                                    \
      .normal_high = NORMAL_HIGH(exponent_bits_, precision_, bias_, specials_),                  \
  },
#include "harness/num/formats.def"
#undef FORMAT_ROW
};

const format_t *format_find(str_t name) {
  for (size_t i = 0; i < FORMAT_COUNT; i++) {
    if (str_equal_text(name, format_table[i].name)) return &format_table[i];
  }
  return NULL;
}

bool format_has_nan(const format_t *format) { return format->specials != FORMAT_FINITE; }

bool format_has_infinity(const format_t *format) { return format->specials == FORMAT_IEEE; }

bool format_has_negative_zero(const format_t *format) {
  return format->specials != FORMAT_NAN_MINUS_ZERO && format->specials != FORMAT_EXPONENT_ONLY;
}

bool format_is_nan(const format_t *format, uint64_t bits) {
  uint64_t magnitude = bits & layout_magnitude_mask(format);
  switch (format->specials) {
    case FORMAT_IEEE:
      return magnitude > layout_infinity(format);
    case FORMAT_NAN_ALL_ONES:
    case FORMAT_EXPONENT_ONLY:
      return magnitude > format->largest_bits;
    case FORMAT_NAN_MINUS_ZERO:
      return magnitude == 0 && (bits & layout_sign_mask(format)) != 0;
    case FORMAT_FINITE:
      break;
  }
  return false;
}

bool format_is_infinity(const format_t *format, uint64_t bits) {
  return format_has_infinity(format) &&
         (bits & layout_magnitude_mask(format)) == layout_infinity(format);
}

bool format_is_zero(const format_t *format, uint64_t bits) {
  return format->specials != FORMAT_EXPONENT_ONLY && (bits & layout_magnitude_mask(format)) == 0 &&
         !format_is_nan(format, bits);
}

bool format_is_negative(const format_t *format, uint64_t bits) {
  if ((bits & layout_sign_mask(format)) == 0) return false;
  return format->specials != FORMAT_NAN_MINUS_ZERO || (bits & layout_magnitude_mask(format)) != 0;
}

bool format_zero_has_sign(const format_t *format, uint64_t zero, bool is_negative) {
  return !format_has_negative_zero(format) || format_is_negative(format, zero) == is_negative;
}

bool format_is_subnormal(const format_t *format, uint64_t bits) {
  uint64_t magnitude = bits & layout_magnitude_mask(format);
  return format->specials != FORMAT_EXPONENT_ONLY && magnitude != 0 &&
         magnitude >> layout_fraction_bits(format) == 0;
}

number_t format_decode(const format_t *format, uint64_t bits) {
  number_t number = {.negative = format_is_negative(format, bits)};
  if (format_is_nan(format, bits)) {
    number.kind = NUMBER_NAN;
    return number;
  }
  if (format_is_infinity(format, bits)) {
    number.kind = NUMBER_INFINITY;
    return number;
  }
  if (format_is_zero(format, bits)) return number; /* NUMBER_ZERO is 0. */

  uint64_t magnitude = bits & layout_magnitude_mask(format);
  int fraction_bits = layout_fraction_bits(format);
  int field = (int)(magnitude >> fraction_bits);
  uint64_t implicit = UINT64_C(1) << fraction_bits;
  number.kind = NUMBER_FINITE;
  number.significand = magnitude & (implicit - 1);
  number.exponent = format->exponent_min - fraction_bits;
  if (!format_is_subnormal(format, bits)) {
    number.significand |= implicit;
    number.exponent = field - format->exponent_bias - fraction_bits;
  }
  return number;
}

/* Distance from ordinal 0 to the ordinal of the negative number nearest to zero, less one: -0 takes
 * an ordinal of its own where it exists. */
static int64_t ordinal_gap(const format_t *format) { return format_has_negative_zero(format); }

int64_t format_ordinal(const format_t *format, uint64_t bits) {
  int64_t magnitude = (int64_t)(bits & layout_magnitude_mask(format));
  bool negative = (bits & layout_sign_mask(format)) != 0;
  return negative ? -magnitude - ordinal_gap(format) : magnitude;
}

uint64_t format_from_ordinal(const format_t *format, int64_t ordinal) {
  if (ordinal >= 0) return (uint64_t)ordinal;
  return layout_sign_mask(format) | (uint64_t)(-ordinal - ordinal_gap(format));
}

/* Magnitude of the last number: infinity where there is one. */
static uint64_t last_magnitude(const format_t *format) {
  return format_has_infinity(format) ? layout_infinity(format) : format->largest_bits;
}

uint64_t format_next_up(const format_t *format, uint64_t bits) {
  int64_t ordinal = format_ordinal(format, bits);
  bool is_last = ordinal >= (int64_t)last_magnitude(format);
  return is_last ? bits : format_from_ordinal(format, ordinal + 1);
}

uint64_t format_next_down(const format_t *format, uint64_t bits) {
  uint64_t first_bits = layout_with_sign(format, true, last_magnitude(format));
  int64_t first = format->specials == FORMAT_EXPONENT_ONLY ? 0 : format_ordinal(format, first_bits);
  int64_t ordinal = format_ordinal(format, bits);
  return ordinal <= first ? bits : format_from_ordinal(format, ordinal - 1);
}

int format_ulp_exponent(const format_t *format, int binade_exponent) {
  int exponent = binade_exponent < format->exponent_min ? format->exponent_min : binade_exponent;
  return exponent - format->precision + 1;
}
