/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions of single numbers as pairs, and the binary64 numbers that lie within their
 * errors for sure.  Private to fast_pair_kernels.c. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_FAST_PAIR_FUNCTIONS_H
#define ASSAY_ORACLES_FORMULA_FAST_FAST_PAIR_FUNCTIONS_H

#include <float.h>

#include "oracles/formula/fast/elementary_pairs.h"

/* Below this products of pairs lose bits; nothing is said of points that are, but where nothing but
 * zero can be delivered.  Such a point is not 0, so that nobody takes it for one that is exact. */
#define PAIR_LEAST 0x1p-900
#define PAIR_TINY 0x1p-1074

/* The least binary64 number that is not below high + low. */
KERNEL_INLINE double number_above(pair_t x) {
  uint64_t bits = binary64_bits(x.high);
  bits += (bits >> 63) != 0 ? UINT64_MAX : 1; /* Away from zero, or towards it. */
  return x.low > 0 ? binary64_value(bits) : x.high;
}

/* The unit in the last place at numbers a little less than |x|: theory.md, T231. */
KERNEL_INLINE double unit_of(pair_t x) {
  uint64_t bits = binary64_bits(x.high);
  double unit = binary64_value(bits & BINARY64_EXPONENT_FIELD) * 0x1p-52;
  double tail = x.high < 0 ? -x.low : x.low;
  bool is_power = (bits << 12) == 0;
  bool may_be_below = is_power & (tail <= fabs(x.high) * (2 * ELEMENTARY_PAIR_ERROR));
  return may_be_below ? unit / 2 : unit;
}

/* Binary64 numbers that lie within so many ulps of the exact value for sure: theory.md, T231. */
KERNEL_INLINE double function_low(pair_t value, double ulps, double floor) {
  double slop = fabs(value.high) * (2 * ELEMENTARY_PAIR_ERROR);
  double distance = (value.low - ulps * unit_of(value)) + slop;
  double end = number_above(pair_exact_sum(value.high, distance));
  end = end < floor ? floor : end;
  return fabs(value.high) <= PAIR_TINY ? value.high * 0 : end; /* Such zeros are exact. */
}

KERNEL_INLINE double function_high(pair_t value, double ulps, double ceiling) {
  return -function_low(pair_negate(value), ulps, -ceiling);
}

/* What is below half the smallest number rounds to 0; that of -infinity is 0. */
KERNEL_INLINE pair_t exp_of(double x) {
  pair_t value = pair_exp(x);
  return pair_choose(x < -746, pair_of(x < -DBL_MAX ? 0 : PAIR_TINY), value);
}
KERNEL_INLINE pair_t exp2_of(double x) {
  pair_t value = pair_exp2(x);
  return pair_choose(x < -1077, pair_of(x < -DBL_MAX ? 0 : PAIR_TINY), value);
}

/* ---- How a function that is `value` at x changes, where x changes by a small d --------------- */

KERNEL_INLINE pair_t moved_by(pair_t value, double d, double change) {
  return pair_choose(d == 0, value, pair_add_number(value, change));
}

/* Where PAIR_TINY stands for what rounds to 0 it stays. */
KERNEL_INLINE double exp_change(double x, double value, double d) {
  return x < -PAIR_EXP_MAX ? 0 : value * d;
}
KERNEL_INLINE double exp2_change(double x, double value, double d) {
  return x < -900 ? 0 : value * (0x1.62e42fefa39efp-1 * d);
}
KERNEL_INLINE double log_change(double x, double value, double d) { return (void)value, d / x; }
/* Beyond 26 nothing is left of the derivative, and kernel_exp() stops at e^-700. */
KERNEL_INLINE double erf_change(double x, double value, double d) {
  double slope = 0x1.20dd750429b6dp+0 * kernel_exp(-x * x);
  return (void)value, fabs(x) <= 26 ? slope * d : 0;
}
KERNEL_INLINE double erfc_change(double x, double value, double d) {
  return -erf_change(x, value, d);
}
KERNEL_INLINE double tanh_change(double x, double value, double d) {
  return (void)x, (1 - value * value) * d;
}
/* The derivative itself may be no binary64 number. */
KERNEL_INLINE double rsqrt_change(double x, double value, double d) {
  return value * (d / (-2 * x));
}

#endif
