/* SPDX-License-Identifier: Apache-2.0 */
/* Exact arithmetic on scales as 128-bit rationals: products, ratios that are shifts, integer
 * multipliers and single correct roundings by long division. */
#include "harness/quant/lower/scale.h"

#include <math.h>

typedef unsigned __int128 wide_t;

enum { WIDE_BITS = 127, SHIFT_MAX = 62, DOUBLE_BITS = 53 };

static int bits_of(wide_t value) {
  uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;
  if (high != 0) return 128 - __builtin_clzll(high);
  return low == 0 ? 0 : 64 - __builtin_clzll(low);
}

static exact_scale_t normalize(wide_t significand, int32_t exponent) {
  uint64_t low = (uint64_t)significand;
  int zeros = low != 0 ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(significand >> 64));
  return (exact_scale_t){.significand = significand >> zeros, .exponent = exponent + zeros};
}

exact_scale_t exact_scale_of(double value) {
  int exponent;
  double fraction = frexp(value, &exponent);
  return normalize((wide_t)ldexp(fraction, DOUBLE_BITS), exponent - DOUBLE_BITS);
}

bool exact_scale_equal(exact_scale_t a, exact_scale_t b) {
  return a.significand == b.significand && a.exponent == b.exponent;
}

exact_scale_t exact_scale_shift(exact_scale_t scale, int32_t exponent) {
  scale.exponent += exponent;
  return scale;
}

bool exact_scale_multiply(exact_scale_t a, exact_scale_t b, exact_scale_t *out_product) {
  if (bits_of(a.significand) + bits_of(b.significand) > WIDE_BITS) return false;
  *out_product = (exact_scale_t){.significand = a.significand * b.significand,
                                 .exponent = a.exponent + b.exponent};
  return true;
}

bool exact_scale_ratio_is_shift(exact_scale_t numerator, exact_scale_t denominator,
                                int32_t *out_shift) {
  if (numerator.significand != denominator.significand) return false;
  *out_shift = denominator.exponent - numerator.exponent;
  return *out_shift >= 0 && *out_shift < SHIFT_MAX;
}

/* A quotient as n / d * 2^exponent with n and d in [2^126, 2^127), so that n / d is between 1/2 and
 * 2. */
typedef struct quotient {
  wide_t n;
  wide_t d;
  int32_t exponent;
} quotient_t;

static quotient_t quotient_of(exact_scale_t numerator, exact_scale_t denominator) {
  int n_shift = WIDE_BITS - bits_of(numerator.significand);
  int d_shift = WIDE_BITS - bits_of(denominator.significand);
  return (quotient_t){.n = numerator.significand << n_shift,
                      .d = denominator.significand << d_shift,
                      .exponent = numerator.exponent - n_shift - denominator.exponent + d_shift};
}

/* The floor of n / d * 2^count for 0 <= count <= 62, and twice the remainder against d: -1, 0, 1
 * as what was cut off is below, at or above one half.  Long division, a bit at a time. */
static uint64_t divide(const quotient_t *quotient, int32_t count, int *out_half) {
  wide_t rest = quotient->n;
  uint64_t result = 0;
  for (int32_t i = 0; i <= count; i++) {
    if (i > 0) rest <<= 1;
    result <<= 1;
    if (rest < quotient->d) continue;
    rest -= quotient->d;
    result |= 1;
  }
  rest <<= 1;
  *out_half = rest < quotient->d ? -1 : rest > quotient->d;
  return result;
}

bool multiplier_make(exact_scale_t numerator, exact_scale_t denominator, uint32_t bits,
                     multiplier_t *out_multiplier) {
  const quotient_t quotient = quotient_of(numerator, denominator);
  int32_t count = (int32_t)bits - (quotient.n >= quotient.d ? 1 : 0);
  int32_t shift = count - quotient.exponent;
  if (shift > SHIFT_MAX) {
    count -= shift - SHIFT_MAX;
    shift = SHIFT_MAX;
  }
  uint64_t multiplier = 0;
  if (count >= 0) {
    int half;
    multiplier = divide(&quotient, count, &half);
    if (half >= 0) multiplier++;
  } else if (count == -1) {
    multiplier = quotient.n >= quotient.d ? 1 : 0; /* n / d / 2 is one half or more. */
  }
  if (multiplier >> bits != 0) {
    multiplier >>= 1; /* It was rounded up to 2^bits. */
    shift--;
  }
  if (shift < 1) return false;
  *out_multiplier = (multiplier_t){.multiplier = (int64_t)multiplier, .shift = shift};
  return true;
}

static bool round_quotient(exact_scale_t numerator, exact_scale_t denominator, bool is_negative,
                           int64_t *out_rounded) {
  const quotient_t quotient = quotient_of(numerator, denominator);
  if (quotient.exponent >= SHIFT_MAX - 1) return false;
  uint64_t magnitude = 0;
  if (quotient.exponent >= 0) {
    int half;
    magnitude = divide(&quotient, quotient.exponent, &half);
    if (half > 0 || (half == 0 && magnitude % 2 != 0)) magnitude++;
  } else if (quotient.exponent == -1) {
    magnitude = quotient.n > quotient.d ? 1 : 0; /* n / d / 2: at one half, to even. */
  }
  *out_rounded = is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
  return true;
}

bool exact_scale_round(int64_t value, exact_scale_t numerator, exact_scale_t denominator,
                       int64_t *out_rounded) {
  *out_rounded = 0;
  if (value == 0) return true;
  uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  exact_scale_t product;
  if (!exact_scale_multiply(normalize(magnitude, 0), numerator, &product)) return false;
  return round_quotient(product, denominator, value < 0, out_rounded);
}

bool exact_scale_round_double(double value, exact_scale_t denominator, int64_t *out_rounded) {
  *out_rounded = 0;
  if (value == 0) return true;
  return round_quotient(exact_scale_of(fabs(value)), denominator, value < 0, out_rounded);
}
