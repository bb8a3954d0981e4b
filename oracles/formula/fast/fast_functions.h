/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions of single numbers, and the binary32 numbers that lie within their errors for
 * sure.  Private to fast_kernels.c. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_FAST_FUNCTIONS_H
#define ASSAY_ORACLES_FORMULA_FAST_FAST_FUNCTIONS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "oracles/formula/elementary_kernels.h"
#include "oracles/formula/fast/fast_numbers.h"
#include "oracles/formula/fast/fast_steps.h"

/* The least binary32 number that is not below x. */
KERNEL_INLINE double f32_above(double x) {
  float nearest = (float)x;
  uint32_t bits;
  __builtin_memcpy(&bits, &nearest, sizeof bits);
  bits += (bits >> 31) != 0 ? UINT32_MAX : 1; /* Away from zero, or towards it. */
  float above;
  __builtin_memcpy(&above, &bits, sizeof above);
  return (double)((double)nearest < x ? above : nearest);
}

KERNEL_INLINE double f32_below(double x) { return -f32_above(-x); }

/* The unit in the last place of binary32 at a number a little less than |x|: theory.md, T62. */
KERNEL_INLINE double f32_ulp(double x) {
  double less = fabs(x) * (1 - 2 * ELEMENTARY_KERNEL_ERROR);
  double binade = binary64_value(binary64_bits(less) & BINARY64_EXPONENT_FIELD);
  return most(binade * 0x1p-23, 0x1p-149);
}

/* Binary32 numbers that lie within so many ulps of the exact value for sure: theory.md, T62. */
KERNEL_INLINE double function_low(double value, double ulps, double floor) {
  double low = value - ulps * f32_ulp(value) + fabs(value) * (2 * ELEMENTARY_KERNEL_ERROR);
  double end = f32_above(low < floor ? floor : low);
  return value != value ? value : end;
}

/* theory.md, T62. */
KERNEL_INLINE double function_high(double value, double ulps, double ceiling) {
  double high = value + ulps * f32_ulp(value) - fabs(value) * (2 * ELEMENTARY_KERNEL_ERROR);
  double end = f32_below(high > ceiling ? ceiling : high);
  return value != value ? value : end;
}

/* ---- Functions ------------------------------------------------------------------------------- */

/* Nothing is said of infinities: what functions are there is exact, and no number within ulps. */
KERNEL_INLINE double finite_or_nan(double x) { return fabs(x) <= DBL_MAX ? x : not_a_number(); }

/* But e^-infinity is 0. */
KERNEL_INLINE double exp_of(double x) { return x < -DBL_MAX ? 0 : kernel_exp(finite_or_nan(x)); }
KERNEL_INLINE double exp2_of(double x) { return x < -DBL_MAX ? 0 : kernel_exp2(finite_or_nan(x)); }
KERNEL_INLINE double erf_of(double x) { return kernel_erf(finite_or_nan(x)); }
KERNEL_INLINE double erfc_of(double x) { return kernel_erfc(finite_or_nan(x)); }
KERNEL_INLINE double tanh_of(double x) { return kernel_tanh(finite_or_nan(x)); }

KERNEL_INLINE double log_of(double x) { return kernel_log(finite_or_nan(x)); }
/* Nor of zero, where the inverse root is infinite. */
KERNEL_INLINE double rsqrt_of(double x) {
  return kernel_rsqrt(x > 0 ? finite_or_nan(x) : not_a_number());
}

KERNEL_INLINE double expm1_of(double x) { return kernel_expm1(finite_or_nan(x)); }
KERNEL_INLINE double log1p_of(double x) { return kernel_log1p(finite_or_nan(x)); }
/* Of points alone. */
KERNEL_INLINE double sin_of(double x) { return kernel_sin(x); }
KERNEL_INLINE double cos_of(double x) { return kernel_cos(x); }

/* ---- Values near one that is known (theory.md, T293) ----------------------------------------- */

enum { NEAR_SPAN = 64 };

/* How far an end may be from x: so much of |x|, or so much at all; and |x| is at most `most`. */
typedef struct nearness {
  double relative;
  double absolute;
  double most;
} nearness_t;

static const nearness_t near_relatively = {0x1p-20, 0, 10.5};
static const nearness_t near_absolutely = {0, 0x1p-15, (double)INFINITY};

/* Infinities that are one number are no way apart. */
KERNEL_INLINE double distance_to(double x, double y) { return y == x ? 0 : y - x; }

KERNEL_INLINE int is_near(double x, double y, const nearness_t *nearness) {
  double reach = nearness->relative * fabs(x) + nearness->absolute;
  return fabs(distance_to(x, y)) <= reach;
}

/* Whether the high end and the point of a number are that near to its low end. */
KERNEL_INLINE int tells(const fast_numbers_t *a, size_t i, nearness_t nearness) {
  double low = a->low[i];
  return is_near(low, a->high[i], &nearness) & is_near(low, a->point[i], &nearness) &
         (fabs(low) <= nearness.most);
}

/* Those of all numbers from `first` to `last`. */
KERNEL_INLINE bool are_near(const fast_numbers_t *a, size_t first, size_t last,
                            nearness_t nearness) {
  uint64_t is_apart = 0;
  for (size_t i = first; i < last; i++) is_apart |= tells(a, i, nearness) != 0 ? 0 : 1;
  return is_apart == 0;
}

/* -0 stays. */
KERNEL_INLINE double moved_by(double value, double d, double change) {
  return d == 0 ? value : value + change;
}

/* What the function that is `value` at x is more at x + d. */
KERNEL_INLINE double exp_change(double x, double value, double d) {
  return (void)x, value * (d + d * d / 2);
}
KERNEL_INLINE double erf_change(double x, double value, double d) {
  double slope = 0x1.20dd750429b6dp+0 * kernel_exp_of_square(finite_or_nan(x)), w = x * d;
  return (void)value, slope * d * (1 - w * (1 - w * (2.0 / 3)));
}
KERNEL_INLINE double erfc_change(double x, double value, double d) {
  return -erf_change(x, value, d);
}
KERNEL_INLINE double tanh_change(double x, double value, double d) {
  return (void)x, (1 - value * value) * d * (1 - value * d);
}

#endif
