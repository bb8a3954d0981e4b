/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions in binary64, for arguments that binary32 holds, with a relative error below
 * ELEMENTARY_KERNEL_ERROR: the certificate of the fast evaluator, so that it depends on no C
 * library.  Every operation is IEEE arithmetic in one order, so that every instruction set computes
 * the same bits; there are no branches, so that loops over them become vector code.  NaN stays NaN.
 *
 * Errors (theory.md, T62): each is a series or a continued fraction whose remainder is bounded in
 * its comment, and some tens of roundings of 2^-53, none of which is magnified by more than 2^9.
 * tests/formula/test_elementary_kernels.c holds all of them against MPFR. */
#ifndef ASSAY_ORACLES_FORMULA_ELEMENTARY_KERNELS_H
#define ASSAY_ORACLES_FORMULA_ELEMENTARY_KERNELS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/num/binary64.h"

#define ELEMENTARY_KERNEL_ERROR 0x1p-40

#define KERNEL_INLINE static inline __attribute__((always_inline, unused))

/* Before a loop of constant length, so that a loop around it becomes vector code. */
#ifdef __clang__
#define KERNEL_UNROLL _Pragma("clang loop unroll(full)")
#else
#define KERNEL_UNROLL _Pragma("GCC unroll 64")
#endif

/* To the nearest whole number, of |x| < 2^51: adding 1.5 * 2^52 leaves no bits for a fraction. */
KERNEL_INLINE double kernel_round(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

/* 2^k for a whole k, -1022 <= k <= 1023: the low bits of 2^52 + n are n. */
KERNEL_INLINE double kernel_power(double k) {
  return binary64_value(binary64_bits(k + (0x1p52 + (double)BINARY64_BIAS))
                        << BINARY64_FRACTION_BITS);
}

/* e^r - 1 for |r| <= 0.35: Taylor, the remainder being below 0.35^14 / 15! < 2^-61 of it. */
KERNEL_INLINE double kernel_expm1_small(double r) {
  static const double inverse_factorials[] = {1.0 / 87178291200,
                                              1.0 / 6227020800,
                                              1.0 / 479001600,
                                              1.0 / 39916800,
                                              1.0 / 3628800,
                                              1.0 / 362880,
                                              1.0 / 40320,
                                              1.0 / 5040,
                                              1.0 / 720,
                                              1.0 / 120,
                                              1.0 / 24,
                                              1.0 / 6,
                                              0.5};
  double sum = inverse_factorials[0];
  KERNEL_UNROLL
  for (int i = 1; i < 13; i++) sum = sum * r + inverse_factorials[i];
  return (sum * r) * r + r;
}

/* Above 700 and below -700, where binary32 has nothing but infinity and zero, as there. */
KERNEL_INLINE double kernel_exp(double x) {
  x = x < -700 ? -700 : x;
  x = x > 700 ? 700 : x;
  double k = kernel_round(x * 0x1.71547652b82fep+0);
  /* k ln 2 in two parts, the first of 33 bits, so that it is exact and so is the difference. */
  double r = (x - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
  return (1 + kernel_expm1_small(r)) * kernel_power(k);
}

KERNEL_INLINE double kernel_exp2(double x) {
  x = x < -1000 ? -1000 : x;
  x = x > 1000 ? 1000 : x;
  double k = kernel_round(x);
  return (1 + kernel_expm1_small((x - k) * 0x1.62e42fefa39efp-1)) * kernel_power(k);
}

/* ln((1 + s) / (1 - s)) = 2 (s + s^3 / 3 + s^5 / 5 + ...) for |s| <= 0.1716; after s^21 the
 * remainder is below 0.0295^11 / 23 < 2^-60 of it. */
KERNEL_INLINE double kernel_log_of_ratio(double s) {
  double z = s * s;
  double sum = 1.0 / 21;
  sum = sum * z + 1.0 / 19;
  sum = sum * z + 1.0 / 17;
  sum = sum * z + 1.0 / 15;
  sum = sum * z + 1.0 / 13;
  sum = sum * z + 1.0 / 11;
  sum = sum * z + 1.0 / 9;
  sum = sum * z + 1.0 / 7;
  sum = sum * z + 1.0 / 5;
  sum = sum * z + 1.0 / 3;
  return 2 * s + 2 * s * (z * sum);
}

/* Of positive normal binary64 numbers m 2^e, sqrt(1/2) <= m < sqrt(2), by s = (m - 1) / (m + 1).
 * The sum with e ln 2 loses at most a factor of 2. */
KERNEL_INLINE double kernel_log(double x) {
  uint64_t bits = binary64_bits(x);
  /* The bits of sqrt(1/2) subtracted, the exponent field is that of m's power. */
  int64_t shifted = (int64_t)(bits - UINT64_C(0x3fe6a09e667f3bcd)) >> BINARY64_FRACTION_BITS;
  double e = (double)shifted;
  double m = binary64_value(bits - ((uint64_t)shifted << BINARY64_FRACTION_BITS));
  double logarithm = kernel_log_of_ratio((m - 1) / (m + 1));
  double result = (e * 0x1.62e42feep-1 + logarithm) + e * 0x1.a39ef35793c76p-33;
  return x > 0 ? result : binary64_value(UINT64_C(0x7ff8) << 48);
}

/* What erfc and the derivatives of erf and erfc have in common.  x^2 is exact. */
KERNEL_INLINE double kernel_exp_of_square(double x) { return kernel_exp(-(x * x)); }

/* Two polynomials, of which theory.md, T295, says how far they are off: erf(x) / x by x^2, up to
 * KERNEL_ERF_SMALL; and from there to KERNEL_ERFC_MAX erfc(x) e^(x^2) (x + 3) by
 * KERNEL_ERFC_SLOPE / (x + 3) + KERNEL_ERFC_START, which lies between -1 and 1. */
#define KERNEL_ERF_SMALL 1.0
#define KERNEL_ERFC_MAX 26.5
#define KERNEL_ERFC_SLOPE 0x1.2828282828283p+3
#define KERNEL_ERFC_START -0x1.5050505050505p+0
enum { KERNEL_ERF_TERMS = 10, KERNEL_ERFC_TERMS = 15 };
static const double kernel_erf_terms[KERNEL_ERF_TERMS] = {
    0x1.20dd750429b19p+0,  -0x1.812746b0271ecp-2,  0x1.ce2f2197bc2efp-4,  -0x1.b82ce15c3b7f8p-6,
    0x1.565ba0406c001p-8,  -0x1.c0286cad68e02p-11, 0x1.f941bed7e7847p-14, -0x1.f0705a1dde9aap-17,
    0x1.9ae0986f9de4fp-20, -0x1.c1a515de8637ap-24};
static const double kernel_erfc_terms[KERNEL_ERFC_TERMS] = {
    0x1.e8f85ede09ce9p-1,   0x1.e2d72cd40ab99p-2,   0x1.91f92bae7b539p-3,  0x1.11fd776bc1846p-4,
    0x1.202741fd5dfa7p-6,   0x1.8f95d8e036870p-9,   0x1.de33ebbb372cap-14, -0x1.be3c5270aaa9fp-14,
    -0x1.a287f55449934p-16, 0x1.002e199852e40p-19,  0x1.c52501b726b54p-20, 0x1.54f6a2123e7d6p-25,
    -0x1.ce449e097eb74p-24, -0x1.9ee984af1b882p-28, 0x1.9d17f2361dca7p-28};

KERNEL_INLINE double kernel_erf_small(double x) {
  double z = x * x, sum = kernel_erf_terms[KERNEL_ERF_TERMS - 1];
  KERNEL_UNROLL
  for (int k = KERNEL_ERF_TERMS - 2; k >= 0; k--) sum = sum * z + kernel_erf_terms[k];
  return x * sum;
}

/* Beyond KERNEL_ERFC_MAX erfc is less than any binary32 number, and so is what is told of it:
 * kernel_exp() stops at e^-700. */
KERNEL_INLINE double kernel_erfc_large(double x) {
  double magnitude = fabs(x);
  double inverse = 1 / ((magnitude > KERNEL_ERFC_MAX ? KERNEL_ERFC_MAX : magnitude) + 3);
  double u = inverse * KERNEL_ERFC_SLOPE + KERNEL_ERFC_START;
  double sum = kernel_erfc_terms[KERNEL_ERFC_TERMS - 1];
  KERNEL_UNROLL
  for (int k = KERNEL_ERFC_TERMS - 2; k >= 0; k--) sum = sum * u + kernel_erfc_terms[k];
  return kernel_exp_of_square(x) * (inverse * sum);
}

KERNEL_INLINE double kernel_erfc(double x) {
  double magnitude = fabs(x);
  double of_small = 1 - kernel_erf_small(magnitude), of_large = kernel_erfc_large(x);
  double positive = magnitude < KERNEL_ERF_SMALL ? of_small : of_large;
  return x < 0 ? 2 - positive : positive;
}

KERNEL_INLINE double kernel_erf(double x) {
  double magnitude = fabs(x);
  double of_large = copysign(1 - kernel_erfc_large(x), x);
  double of_small = kernel_erf_small(x);
  return magnitude < KERNEL_ERF_SMALL ? of_small : of_large;
}

/* (e^2x - 1) / (e^2x + 1), from e^2x - 1 itself where that is small; 1 - 2 / (e^2x + 1) loses at
 * most a factor of 6. */
KERNEL_INLINE double kernel_tanh(double x) {
  double magnitude = fabs(x);
  double small = magnitude < 0.17 ? 2 * x : 0;
  double difference = kernel_expm1_small(small);
  double large = magnitude > 20 ? 20 : magnitude;
  double of_large = copysign(1 - 2 / (kernel_exp(2 * large) + 1), x);
  double value = magnitude < 0.17 ? difference / (difference + 2) : of_large;
  return x != x || x == 0 ? x : value; /* NaN and -0 are kept. */
}

KERNEL_INLINE double kernel_rsqrt(double x) { return 1 / sqrt(x); }

/* e^x - 1 loses at most a factor of 4 where it is not small. */
KERNEL_INLINE double kernel_expm1(double x) {
  double small = fabs(x) < 0.35 ? x : 0;
  double value = fabs(x) < 0.35 ? kernel_expm1_small(small) : kernel_exp(x) - 1;
  return x != x || x == 0 ? x : value; /* NaN and -0 are kept. */
}

/* By s = x / (x + 2) where 1 + x is between sqrt(1/2) and sqrt(2).  Else 1 + x is exact below 1,
 * and above it rounds by 2^-53 of itself, which is less than 2^-51 of its logarithm. */
KERNEL_INLINE double kernel_log1p(double x) {
  bool is_near = (x > -0.29) & (x < 0.41);
  double small = is_near ? x : 0;
  double of_small = kernel_log_of_ratio(small / (small + 2));
  double value = is_near ? of_small : kernel_log(1 + x);
  return x != x ? x : value;
}

/* Beyond, arguments are not reduced here, and the result is NaN. */
#define KERNEL_PERIODIC_MAX 0x1p20

/* The remainder of x by pi / 2, and *out_turns, how often that was taken off.  pi / 2 is in three
 * parts of which the first two have 33 bits: products with numbers of 20 bits are exact, and so is
 * the first difference, of multiples of 2^-32 (x is one of 2^-24 at least where anything is taken
 * off).  The second is exact or of size 2^-12 and more; what the third lacks is below 2^-98. */
KERNEL_INLINE double kernel_reduce(double x, double *out_turns) {
  double k = kernel_round(x * 0x1.45f306dc9c883p-1);
  *out_turns = k;
  return ((x - k * 0x1.921fb544p+0) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69;
}

/* For |r| <= 0.79: Taylor, remainders being below 0.79^18 / 19! and 0.79^20 / 20! < 2^-60. */
KERNEL_INLINE double kernel_sin_small(double r) {
  double z = r * r;
  double sum = 1.0 / 355687428096000;
  sum = sum * z - 1.0 / 1307674368000;
  sum = sum * z + 1.0 / 6227020800;
  sum = sum * z - 1.0 / 39916800;
  sum = sum * z + 1.0 / 362880;
  sum = sum * z - 1.0 / 5040;
  sum = sum * z + 1.0 / 120;
  sum = sum * z - 1.0 / 6;
  return r + r * (z * sum);
}
KERNEL_INLINE double kernel_cos_small(double r) {
  double z = r * r;
  double sum = -1.0 / 6402373705728000;
  sum = sum * z + 1.0 / 20922789888000;
  sum = sum * z - 1.0 / 87178291200;
  sum = sum * z + 1.0 / 479001600;
  sum = sum * z - 1.0 / 3628800;
  sum = sum * z + 1.0 / 40320;
  sum = sum * z - 1.0 / 720;
  sum = sum * z + 1.0 / 24;
  sum = sum * z - 1.0 / 2;
  return 1 + z * sum;
}

/* The next whole number that is not above k / 2, of a whole k. */
KERNEL_INLINE double kernel_half(double k) { return kernel_round(k * 0.5 - 0.25); }

/* The sine of r + quarters pi / 2. */
KERNEL_INLINE double kernel_sin_of(double r, double quarters) {
  double half = kernel_half(quarters);
  bool is_odd = quarters - 2 * half != 0, is_negative = half - 2 * kernel_half(half) != 0;
  double sine = kernel_sin_small(r), cosine = kernel_cos_small(r);
  double value = is_odd ? cosine : sine;
  return is_negative ? -value : value;
}

KERNEL_INLINE double kernel_sin(double x) {
  double turns, near = fabs(x) <= KERNEL_PERIODIC_MAX ? x : 0;
  double r = kernel_reduce(near, &turns);
  double value = x == 0 ? x : kernel_sin_of(r, turns); /* -0 is kept. */
  return fabs(x) <= KERNEL_PERIODIC_MAX ? value : binary64_value(UINT64_C(0x7ff8) << 48);
}

KERNEL_INLINE double kernel_cos(double x) {
  double turns, near = fabs(x) <= KERNEL_PERIODIC_MAX ? x : 0;
  double r = kernel_reduce(near, &turns);
  double value = kernel_sin_of(r, turns + 1);
  return fabs(x) <= KERNEL_PERIODIC_MAX ? value : binary64_value(UINT64_C(0x7ff8) << 48);
}

#endif
