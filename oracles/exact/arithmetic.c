/* SPDX-License-Identifier: Apache-2.0 */
/* Emulates one float format in binary64: each operation is done in binary64 and then rounded to
 * the format. Opens with the proof that this double rounding equals a single one, which also shows
 * why f64 itself needs its own branch. */
#include "oracles/exact/arithmetic.h"

#include <math.h>

#include "harness/num/binary64.h"

/* A binary64 operation followed by a rounding to a format of precision p <= 24 rounds once:
 * theory.md, T6.  Fused ones are rounded to odd in binary64 first, which needs to know whether the
 * binary64 sum was exact, and to which side it erred: TwoSum's error term says so (T7).
 *
 * All this fails for no format in formats.def but f64 itself, which is the host's own arithmetic
 * (A1).
 */

static const double f64_largest = 0x1.fffffffffffffp+1023;

static bool is_f64(const format_t *format) { return format == &format_table[FORMAT_f64]; }
static bool is_f32(const format_t *format) { return format == &format_table[FORMAT_f32]; }

double arithmetic_truncate(const arithmetic_t *arithmetic, double value) {
  const format_t *format = arithmetic->format;
  uint64_t bits =
      format_convert(&format_table[FORMAT_f64], format, binary64_bits(value), ROUNDING_TOWARD_ZERO);
  return format_to_double(format, bits);
}

/* a + b - sum, exactly: Dekker's FastTwoSum (1971), which cannot overflow where the sum did not. */
static double sum_error(double a, double b, double sum) {
  double larger = fabs(a) >= fabs(b) ? a : b;
  double smaller = fabs(a) >= fabs(b) ? b : a;
  return smaller - (sum - larger);
}

/* The neighbour of a nonzero finite number towards zero, and away from it. */
static double toward_zero(double value) { return binary64_value(binary64_bits(value) - 1); }
static double away_from_zero(double value) { return binary64_value(binary64_bits(value) + 1); }

/* a + b in binary64, rounded toward zero. */
static double add_truncated(double a, double b) {
  double sum = a + b;
  if (!isfinite(a) || !isfinite(b)) return sum;
  if (isinf(sum)) return copysign(f64_largest, sum);
  double error = sum_error(a, b, sum);
  bool too_large = error != 0 && (error < 0) == (sum > 0);
  return too_large ? toward_zero(sum) : sum;
}

double arithmetic_add_truncated(const arithmetic_t *arithmetic, double a, double b) {
  return arithmetic_truncate(arithmetic, add_truncated(a, b));
}

/* a + b in binary64, rounded to odd; for operands whose sum is far from overflow. */
static double add_to_odd(double a, double b) {
  double sum = a + b;
  if (!isfinite(sum)) return sum;
  double error = sum_error(a, b, sum);
  if (error == 0 || (binary64_bits(sum) & 1) == 1) return sum;
  return (error < 0) == (sum > 0) ? toward_zero(sum) : away_from_zero(sum);
}

/* a * b, its significand cut to 62 bits with what is cut off known to be something or nothing.  (An
 * error term would be lost to underflow.) */
static number_t multiply_exactly(double a, double b) {
  const format_t *f64 = &format_table[FORMAT_f64];
  number_t left = format_decode(f64, binary64_bits(a));
  number_t right = format_decode(f64, binary64_bits(b));
  number_t product = {.kind = NUMBER_FINITE, .negative = left.negative != right.negative};
  if (left.kind != NUMBER_FINITE || right.kind != NUMBER_FINITE) {
    return format_decode(f64, binary64_bits(a * b));
  }
  unsigned __int128 significand = (unsigned __int128)left.significand * right.significand;
  product.exponent = left.exponent + right.exponent;
  for (; significand >> 62 != 0; significand >>= 1) {
    product.sticky |= (significand & 1) != 0;
    product.exponent++;
  }
  product.significand = (uint64_t)significand;
  return product;
}

double arithmetic_multiply_truncated(const arithmetic_t *arithmetic, double a, double b) {
  const format_t *format = arithmetic->format;
  const number_t product = multiply_exactly(a, b);
  return format_to_double(format,
                          format_encode(format, product, ROUNDING_TOWARD_ZERO, OVERFLOW_FORMAT));
}

double arithmetic_multiply_any(const arithmetic_t *arithmetic, double a, double b) {
  const format_t *format = arithmetic->format;
  if (arithmetic->truncate_products) return arithmetic_multiply_truncated(arithmetic, a, b);
  const number_t product = multiply_exactly(a, b);
  return format_to_double(format,
                          format_encode(format, product, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT));
}

double arithmetic_fused(const arithmetic_t *arithmetic, double a, double b, double c) {
  if (is_f64(arithmetic->format)) return fma(a, b, c);
  if (is_f32(arithmetic->format)) return fmaf((float)a, (float)b, (float)c);
  return arithmetic_round(arithmetic, add_to_odd(a * b, c));
}

double arithmetic_maximum(double a, double b) {
  if (isnan(a) || isnan(b)) return a + b;
  if (a == b) return signbit(a) ? b : a;
  return a > b ? a : b;
}

double arithmetic_minimum(double a, double b) {
  if (isnan(a) || isnan(b)) return a + b;
  if (a == b) return signbit(a) ? a : b;
  return a < b ? a : b;
}

bool arithmetic_format_holds(const format_t *wide, const format_t *narrow) {
  int wide_least = wide->exponent_min - wide->precision;
  int narrow_least = narrow->exponent_min - narrow->precision;
  return wide->precision >= narrow->precision && wide->exponent_max >= narrow->exponent_max &&
         wide_least <= narrow_least;
}
