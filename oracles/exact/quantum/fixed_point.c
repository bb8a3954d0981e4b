/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed-point rescaling in integers of 128 bits, which no step of it overflows. */
#include "oracles/exact/quantum/fixed_point.h"

#include <glib.h>
#include <math.h>

#include "oracles/exact/arithmetic.h"

enum { SIGNIFICAND_BITS = 31, FARTHEST_BITS = 70, VALUE_BITS = 64 };

fixed_multiplier_t fixed_multiplier_of(double multiplier) {
  const int exponent_most = 200;
  if (!(multiplier < ldexp(1, exponent_most))) multiplier = ldexp(1, exponent_most);
  int exponent;
  double fraction = frexp(multiplier, &exponent);
  int64_t significand = (int64_t)floor(ldexp(fraction, SIGNIFICAND_BITS) + 0.5);
  if (significand == INT64_C(1) << SIGNIFICAND_BITS) {
    significand /= 2;
    exponent++;
  }
  if (exponent < -SIGNIFICAND_BITS) return (fixed_multiplier_t){0, 0};
  return (fixed_multiplier_t){significand, exponent};
}

/* value / 2^shift, halves up; the shift of a negative number is that of two's complement. */
static wide_integer_t shift_up(wide_integer_t value, int shift) {
  if (shift == 0) return value;
  return (value + ((wide_integer_t)1 << (shift - 1))) >> shift;
}

static wide_integer_t shift_away(wide_integer_t value, int shift) {
  return value < 0 ? -shift_up(-value, shift) : shift_up(value, shift);
}

wide_integer_t fixed_multiply(wide_integer_t value, fixed_multiplier_t multiplier,
                              fixed_way_t way) {
  const wide_integer_t farthest = (wide_integer_t)1 << FARTHEST_BITS;
  const wide_integer_t most = (wide_integer_t)1 << VALUE_BITS;
  wide_integer_t product = CLAMP(value, -most, most) * multiplier.significand;
  int right = SIGNIFICAND_BITS - multiplier.exponent;
  if (right <= 0) {
    if (product == 0 || -right > FARTHEST_BITS)
      return product == 0 ? 0 : value < 0 ? -farthest : farthest;
    wide_integer_t limit = farthest >> -right; /* Of what may be shifted. */
    return CLAMP(product, -limit, limit) * ((wide_integer_t)1 << -right);
  }
  wide_integer_t result;
  if (way == FIXED_ONCE || multiplier.exponent >= 0) {
    result = shift_up(product, right);
  } else {
    wide_integer_t high = shift_up(product, SIGNIFICAND_BITS);
    result = way == FIXED_TWICE_AWAY ? shift_away(high, -multiplier.exponent)
                                     : shift_up(high, -multiplier.exponent);
  }
  return CLAMP(result, -farthest, farthest);
}

void fixed_multipliers_of(double lhs_scale, double rhs_scale, double result_scale,
                          const format_t *format,
                          fixed_multiplier_t out_multipliers[FIXED_MULTIPLIERS]) {
  const arithmetic_t steps = arithmetic_make(format);
  int left, right, result;
  double product = frexp(lhs_scale, &left) * frexp(rhs_scale, &right);
  double divisor = frexp(result_scale, &result);
  double rounded = arithmetic_multiply(&steps, lhs_scale, rhs_scale);
  out_multipliers[0] = fixed_multiplier_of(ldexp(product / divisor, left + right - result));
  out_multipliers[1] = fixed_multiplier_of(rounded / result_scale);
  out_multipliers[2] = fixed_multiplier_of(arithmetic_divide(&steps, rounded, result_scale));
}
