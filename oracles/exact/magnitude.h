/* SPDX-License-Identifier: Apache-2.0 */
/* Magnitudes in binary64 that are rounded upwards or downwards, so that bounds need no factor for
 * their own arithmetic (theory.md, T8).  An upper_t is at least the number that it stands for, a
 * lower_t at most that; exact results far from underflow stay as they are.  What is too large to
 * tell is infinite upwards, and 0 downwards. */
#ifndef ASSAY_ORACLES_EXACT_MAGNITUDE_H
#define ASSAY_ORACLES_EXACT_MAGNITUDE_H

#include <math.h>
#include <mpfr.h>
#include <stdbool.h>

#include "harness/num/binary64.h"

/* Neither is negative or NaN. */
typedef struct upper {
  double value;
} upper_t;
typedef struct lower {
  double value;
} lower_t;

/* A number that is known exactly, or that bounds another one already. */
static inline upper_t upper_of(double value) { return (upper_t){value}; }
static inline lower_t lower_of(double value) { return (lower_t){value}; }

static inline upper_t upper_of_mpfr(mpfr_srcptr value) {
  return (upper_t){mpfr_get_d(value, MPFR_RNDU)};
}

/* nextafter(value, INFINITY), without a call where nothing is special. */
static inline double magnitude_next(double value) {
  bool is_plain = value > 0 && value < (double)INFINITY;
  return is_plain ? binary64_value(binary64_bits(value) + 1) : nextafter(value, INFINITY);
}

/* The exact number is `nearest` and an error of that sign, or NaN if that is not known. */
static inline upper_t upper_of_rounded(double nearest, double error) {
  return (upper_t){error <= 0 ? nearest : magnitude_next(nearest)};
}
static inline lower_t lower_of_rounded(double nearest, double error) {
  return (lower_t){error >= 0 ? nearest : fmax(0, nextafter(nearest, 0))};
}

/* TwoSum; a product's and a quotient's by fused multiply-add, which underflow would hide. */
static inline double magnitude_error_of_sum(double a, double b, double sum) {
  double part = sum - a;
  return (a - (sum - part)) + (b - part);
}
static inline double magnitude_error_of_product(double a, double b, double product) {
  return product < 0x1p-960 ? (double)NAN : fma(a, b, -product);
}
static inline double magnitude_error_of_quotient(double a, double b, double quotient) {
  return quotient < 0x1p-960 || a < 0x1p-960 ? (double)NAN : fma(-quotient, b, a);
}

static inline upper_t upper_larger(upper_t a, upper_t b) {
  return (upper_t){fmax(a.value, b.value)};
}

static inline upper_t upper_add(upper_t a, upper_t b) {
  double sum = a.value + b.value;
  return upper_of_rounded(sum, magnitude_error_of_sum(a.value, b.value, sum));
}

/* Nothing times what is too large to tell is nothing: that is finite all the same. */
static inline upper_t upper_multiply(upper_t a, upper_t b) {
  if (a.value == 0 || b.value == 0) return upper_of(0);
  double product = a.value * b.value;
  return upper_of_rounded(product, magnitude_error_of_product(a.value, b.value, product));
}

/* a * factor, of a factor that is exact. */
static inline upper_t upper_scale(upper_t a, double factor) {
  return upper_multiply(a, upper_of(factor));
}

/* Infinite where the divisor may be 0. */
static inline upper_t upper_divide(upper_t a, lower_t b) {
  if (a.value == 0) return upper_of(0);
  double quotient = a.value / b.value;
  return upper_of_rounded(quotient, magnitude_error_of_quotient(a.value, b.value, quotient));
}

static inline upper_t upper_sqrt(upper_t a) {
  double root = sqrt(a.value);
  bool is_exact = a.value == 0 || (a.value > 0x1p-900 && fma(root, root, -a.value) == 0);
  return (upper_t){is_exact ? root : nextafter(root, INFINITY)};
}

/* exp(a) - 1.  Up to 2^-10 by a + a^2/2 + a^3, which exceeds the series; above, and logarithms of
 * numbers above 1, by the C library (theory.md, A3). */
static inline upper_t upper_expm1(upper_t a) {
  if (a.value > 0x1p-10) return upper_scale(upper_of(expm1(a.value)), 1 + 0x1p-40);
  upper_t slope = upper_add(upper_of(1), upper_multiply(a, upper_add(upper_of(0.5), a)));
  return upper_multiply(a, slope);
}

static inline upper_t upper_log2(upper_t a) {
  return upper_scale(upper_of(log2(a.value)), 1 + 0x1p-40);
}

static inline lower_t lower_multiply(lower_t a, lower_t b) {
  double product = a.value * b.value;
  bool is_zero = a.value == 0 || b.value == 0;
  double error = is_zero ? 0 : magnitude_error_of_product(a.value, b.value, product);
  return lower_of_rounded(product, error);
}

/* a - b, or 0. */
static inline lower_t lower_subtract(lower_t a, upper_t b) {
  if (a.value <= b.value) return lower_of(0);
  double difference = a.value - b.value;
  return lower_of_rounded(difference, magnitude_error_of_sum(a.value, -b.value, difference));
}

static inline lower_t lower_divide(lower_t a, upper_t b) {
  if (a.value == 0) return lower_of(0);
  double quotient = a.value / b.value;
  return lower_of_rounded(quotient, magnitude_error_of_quotient(a.value, b.value, quotient));
}

#endif
