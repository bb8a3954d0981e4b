/* SPDX-License-Identifier: Apache-2.0 */
/* Between patterns and binary64, for the hot paths.  Both directions move bits as integers, so that
 * neither the rounding mode nor a flush-to-zero flag of the process can enter. */
#include "harness/num/binary64.h"
#include "harness/num/format.h"
#include "harness/num/format_layout.h"

static const format_t *const binary64 = &format_table[FORMAT_f64];

static const uint64_t fraction_mask = (UINT64_C(1) << BINARY64_FRACTION_BITS) - 1;

static bool is_binary64(const format_t *format) { return format->precision == 53; }

/* The pattern in binary64 of a magnitude that is subnormal in the format, or zero.  None is so in
 * binary64, but for f64 itself. */
static uint64_t widen_subnormal(const format_t *format, uint64_t magnitude) {
  if (magnitude == 0 || is_binary64(format)) return magnitude;
  int top = 63 - __builtin_clzll(magnitude);
  int exponent = format->exponent_min - layout_fraction_bits(format) + top;
  uint64_t fraction = (magnitude << (BINARY64_FRACTION_BITS - top)) & fraction_mask;
  return (uint64_t)(exponent + BINARY64_BIAS) << BINARY64_FRACTION_BITS | fraction;
}

/* Of patterns that are no normal numbers.  What calls others stands by itself, so that the common
 * cases have no registers to keep. */
__attribute__((noinline)) static double widen_other(const format_t *format, uint64_t bits) {
  uint64_t magnitude = bits & layout_magnitude_mask(format);
  int fraction_bits = layout_fraction_bits(format);
  uint64_t sign = (bits & layout_sign_mask(format)) != 0 ? BINARY64_SIGN : 0;
  bool is_subnormal = magnitude >> fraction_bits == 0 && format_has_negative_zero(format);
  if (is_subnormal) return binary64_value(sign | widen_subnormal(format, magnitude));
  if (format->specials == FORMAT_IEEE && magnitude > format->largest_bits) {
    bool is_infinite = magnitude == format->largest_bits + 1;
    return binary64_value(is_infinite ? sign | BINARY64_EXPONENT_FIELD
                                      : layout_nan(binary64, sign != 0));
  }
  return binary64_value(format_convert(format, binary64, bits, ROUNDING_NEAREST_EVEN));
}

double format_to_double(const format_t *format, uint64_t bits) {
  if (bits == 0 && format->specials != FORMAT_EXPONENT_ONLY) return 0; /* Common, and no other. */
  uint64_t magnitude = bits & layout_magnitude_mask(format);
  int fraction_bits = layout_fraction_bits(format);
  bool is_normal = magnitude >> fraction_bits != 0 && magnitude <= format->largest_bits;
  if (!is_normal) return widen_other(format, bits);
  uint64_t sign = (bits & layout_sign_mask(format)) != 0 ? BINARY64_SIGN : 0;
  uint64_t widened = magnitude << (BINARY64_FRACTION_BITS - fraction_bits);
  return binary64_value(sign | (widened + format->rebias));
}

void format_to_doubles(const format_t *format, const uint64_t *bits, size_t count,
                       double *out_values) {
  for (size_t i = 0; i < count; i++) out_values[i] = format_to_double(format, bits[i]);
}

/* Rounds to nearest even at the format's precision, as a binary64 magnitude; true if that is all
 * there is to do: the value is normal and stays within the largest number. */
static bool round_normal(const format_t *format, uint64_t magnitude, uint64_t *out_magnitude) {
  int drop = BINARY64_FRACTION_BITS - layout_fraction_bits(format);
  if (magnitude < format->normal_low) return false;
  uint64_t unit = UINT64_C(1) << drop;
  uint64_t is_odd = (magnitude >> drop) & 1;
  uint64_t rounded = (magnitude + (unit / 2 - 1) + is_odd) & ~(unit - 1);
  *out_magnitude = rounded;
  return rounded <= format->normal_high;
}

/* Of what is no normal number of the format. */
__attribute__((noinline)) static uint64_t narrow_other(const format_t *format, uint64_t bits) {
  uint64_t magnitude = bits & ~BINARY64_SIGN;
  /* Formats with -0 have no other pattern of it; NaNs become quiet ones. */
  if (magnitude == 0 && format_has_negative_zero(format)) {
    return layout_with_sign(format, bits != 0, 0);
  }
  if (magnitude > BINARY64_EXPONENT_FIELD) return layout_nan(format, bits != magnitude);
  if (is_binary64(format)) return bits;
  return format_convert(binary64, format, bits, ROUNDING_NEAREST_EVEN);
}

uint64_t format_from_double(const format_t *format, double value) {
  uint64_t bits = binary64_bits(value);
  uint64_t magnitude = bits & ~BINARY64_SIGN;
  uint64_t rounded;
  if (!round_normal(format, magnitude, &rounded)) return narrow_other(format, bits);
  int drop = BINARY64_FRACTION_BITS - layout_fraction_bits(format);
  return layout_with_sign(format, bits != magnitude, (rounded - format->rebias) >> drop);
}

/* Of what is no normal number of the format. */
__attribute__((noinline)) static double round_other(const format_t *format, double value) {
  bool is_zero = binary64_bits(value) << 1 == 0;
  if (is_zero && format_has_negative_zero(format)) return value;
  return format_to_double(format, format_from_double(format, value));
}

double format_round_double(const format_t *format, double value) {
  if (is_binary64(format)) return value;
  uint64_t bits = binary64_bits(value), rounded;
  if (!round_normal(format, bits & ~BINARY64_SIGN, &rounded)) return round_other(format, value);
  return binary64_value((bits & BINARY64_SIGN) | rounded);
}
