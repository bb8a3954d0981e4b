/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding to a format. */
#include "harness/num/format.h"
#include "harness/num/format_layout.h"
#include "harness/num/significand.h"

/* What lies below the kept bits, in units of the last kept one. */
typedef enum remainder {
  REMAINDER_ZERO,
  REMAINDER_LOW,
  REMAINDER_HALF,
  REMAINDER_HIGH
} remainder_t;

typedef struct split {
  uint64_t kept; /* At most `precision` bits. */
  remainder_t remainder;
} split_t;

/* Cuts `significand` (plus a positive part below 1 if `sticky`) after dropping `drop` low bits. */
static split_t split_significand(uint64_t significand, bool sticky, int64_t drop) {
  if (drop <= 0) {
    return (split_t){.kept = significand << -drop,
                     .remainder = sticky ? REMAINDER_LOW : REMAINDER_ZERO};
  }
  if (drop > 64) return (split_t){.kept = 0, .remainder = REMAINDER_LOW};
  uint64_t half = UINT64_C(1) << (drop - 1);
  uint64_t dropped = drop == 64 ? significand : significand & (2 * half - 1);
  split_t split = {.kept = drop == 64 ? 0 : significand >> drop};
  if (dropped < half) {
    split.remainder = dropped == 0 && !sticky ? REMAINDER_ZERO : REMAINDER_LOW;
  } else {
    split.remainder = dropped == half && !sticky ? REMAINDER_HALF : REMAINDER_HIGH;
  }
  return split;
}

static uint64_t round_split(split_t split, bool negative, rounding_t rounding) {
  uint64_t is_odd = split.kept & 1;
  uint64_t is_inexact = split.remainder != REMAINDER_ZERO;
  switch (rounding) {
    case ROUNDING_NEAREST_EVEN:
      return split.kept +
             (split.remainder == REMAINDER_HALF ? is_odd : split.remainder == REMAINDER_HIGH);
    case ROUNDING_NEAREST_AWAY:
      return split.kept + (split.remainder >= REMAINDER_HALF);
    case ROUNDING_TOWARD_ZERO:
      return split.kept;
    case ROUNDING_UP:
      return split.kept + (negative ? 0 : is_inexact);
    case ROUNDING_DOWN:
      return split.kept + (negative ? is_inexact : 0);
    case ROUNDING_ODD:
      return split.kept | is_inexact;
  }
  return split.kept;
}

static bool is_short(number_t number, int64_t drop, rounding_t rounding) {
  return rounding == ROUNDING_NEAREST_EVEN && !number.sticky &&
         significand_is_short(number.significand, drop);
}

static bool rounds_toward_zero(rounding_t rounding, bool negative) {
  switch (rounding) {
    case ROUNDING_TOWARD_ZERO:
    case ROUNDING_ODD:
      return true;
    case ROUNDING_UP:
      return negative;
    case ROUNDING_DOWN:
      return !negative;
    case ROUNDING_NEAREST_EVEN:
    case ROUNDING_NEAREST_AWAY:
      break;
  }
  return false;
}

/* Infinity, or what takes its place. */
static uint64_t encode_infinity(const format_t *format, bool negative, overflow_t overflow) {
  bool saturates = overflow == OVERFLOW_SATURATE || format->specials == FORMAT_FINITE;
  if (saturates) return layout_with_sign(format, negative, format->largest_bits);
  if (format_has_infinity(format)) {
    return layout_with_sign(format, negative, layout_infinity(format));
  }
  return layout_nan(format, negative);
}

static uint64_t encode_zero(const format_t *format, bool negative) {
  return layout_with_sign(format, negative && format_has_negative_zero(format), 0);
}

static uint64_t encode_finite(const format_t *format, number_t number, rounding_t rounding,
                              overflow_t overflow) {
  int64_t binade = (int64_t)number.exponent + 63 - __builtin_clzll(number.significand);
  if (binade < format->exponent_min) binade = format->exponent_min;
  bool is_too_large = binade > format->exponent_max;
  uint64_t magnitude = 0;
  if (!is_too_large) {
    int fraction_bits = layout_fraction_bits(format);
    int64_t drop = binade - fraction_bits - number.exponent;
    uint64_t rounded;
    if (is_short(number, drop, rounding)) {
      rounded = significand_round_short(number.significand, drop);
    } else {
      split_t split = split_significand(number.significand, number.sticky, drop);
      rounded = round_split(split, number.negative, rounding);
    }
    /* The implicit bit of `rounded` adds one to the exponent field, as does a carry out of it. */
    magnitude = ((uint64_t)(binade - format->exponent_min) << fraction_bits) + rounded;
    if (format->specials == FORMAT_EXPONENT_ONLY && magnitude != 0) magnitude--;
    if (magnitude == 0) return encode_zero(format, number.negative);
    is_too_large = magnitude > format->largest_bits;
  }
  if (is_too_large) {
    if (!rounds_toward_zero(rounding, number.negative)) {
      return encode_infinity(format, number.negative, overflow);
    }
    magnitude = format->largest_bits;
  }
  return layout_with_sign(format, number.negative, magnitude);
}

uint64_t format_encode(const format_t *format, number_t number, rounding_t rounding,
                       overflow_t overflow) {
  if (number.kind == NUMBER_NAN) return layout_nan(format, number.negative);
  if (number.kind == NUMBER_ZERO) return encode_zero(format, number.negative);
  if (number.negative && format->specials == FORMAT_EXPONENT_ONLY) return layout_nan(format, true);
  if (number.kind == NUMBER_INFINITY) return encode_infinity(format, number.negative, overflow);
  return encode_finite(format, number, rounding, overflow);
}

uint64_t format_convert(const format_t *from, const format_t *to, uint64_t bits,
                        rounding_t rounding) {
  return format_encode(to, format_decode(from, bits), rounding, OVERFLOW_FORMAT);
}
