/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions of binary64 numbers as pairs, with a relative error below
 * ELEMENTARY_PAIR_ERROR: the certificate of the fast evaluator in binary64.  As in
 * elementary_kernels.h there are neither branches nor calls of a C library's functions.  What is
 * not told is NaN: NaN itself, infinities, and where results leave the range of pairs.
 *
 * Errors (theory.md, T231): each is a series or a continued fraction whose remainder is bounded in
 * its comment, and roundings of some 2^-106, a hundred or two, none of which is magnified by more
 * than 2^12.  tests/formula/test_elementary_pairs.c holds all of them against MPFR. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_ELEMENTARY_PAIRS_H
#define ASSAY_ORACLES_FORMULA_FAST_ELEMENTARY_PAIRS_H

#include "oracles/formula/elementary_kernels.h"
#include "oracles/formula/fast/pair_constants.h"

#define ELEMENTARY_PAIR_ERROR 0x1p-70

/* Beyond it e^x is told no more; e^-640 is 2^-923. */
#define PAIR_EXP_MAX 640.0

PAIR_INLINE double pair_nothing(void) { return binary64_value(UINT64_C(0x7ff8) << 48); }

/* x where the condition holds. */
PAIR_INLINE pair_t pair_where(int is_told, pair_t x) {
  return (pair_t){is_told ? x.high : pair_nothing(), is_told ? x.low : pair_nothing()};
}

PAIR_INLINE pair_t pair_choose(int is_first, pair_t x, pair_t y) {
  return (pair_t){is_first ? x.high : y.high, is_first ? x.low : y.low};
}

/* e^r - 1 for |r| <= 0.35: Taylor.  The remainder is below 0.35^21 / 22! < 2^-100 of it; terms from
 * r^10 / 10! on are below 2^-35 of it, and so in binary64. */
PAIR_INLINE pair_t pair_expm1_small(pair_t r) {
  static const double inverse_factorials[] = {1.0 / 51090942171709440000.0,
                                              1.0 / 2432902008176640000,
                                              1.0 / 121645100408832000,
                                              1.0 / 6402373705728000,
                                              1.0 / 355687428096000,
                                              1.0 / 20922789888000,
                                              1.0 / 1307674368000,
                                              1.0 / 87178291200,
                                              1.0 / 6227020800,
                                              1.0 / 479001600,
                                              1.0 / 39916800,
                                              1.0 / 3628800};
  double tail = inverse_factorials[0];
  KERNEL_UNROLL
  for (int i = 1; i < 12; i++) tail = tail * r.high + inverse_factorials[i];
  pair_t sum = pair_add_number(pair_inverse_factorials[9], tail * r.high);
  KERNEL_UNROLL
  for (int j = 8; j >= 1; j--) {
    sum = pair_add(pair_multiply(sum, r), pair_inverse_factorials[j]);
  }
  return pair_multiply(sum, r);
}

/* e^x of a pair below PAIR_EXP_MAX in magnitude. */
PAIR_INLINE pair_t pair_exp_inside(pair_t x) {
  double k = kernel_round(x.high * 0x1.71547652b82fep+0);
  /* The product is exact, as ln 2 has 33 bits there, and so is the difference. */
  pair_t r = pair_exact_sum(x.high - k * PAIR_LN_2_START, x.low);
  r = pair_subtract(r, pair_scale(pair_ln_2_rest, k));
  pair_t result = pair_add_number(pair_expm1_small(r), 1);
  return pair_shift(result, kernel_power(k));
}

PAIR_INLINE double pair_clamp(double x, double most) {
  x = x > most ? most : x;
  return x < -most ? -most : x;
}

PAIR_INLINE pair_t pair_exp(double x) {
  double inside = pair_clamp(x, PAIR_EXP_MAX);
  return pair_where(x == inside, pair_exp_inside(pair_of(inside)));
}

PAIR_INLINE pair_t pair_exp2(double x) {
  double inside = pair_clamp(x, 900);
  double k = kernel_round(inside);
  pair_t result = pair_expm1_small(pair_scale(pair_ln_2, inside - k));
  return pair_where(x == inside, pair_shift(pair_add_number(result, 1), kernel_power(k)));
}

/* Of normal numbers m 2^e as kernel_log() has it: s + s^3 / 3 + ..., |s| < 0.1716.  After s^37 the
 * remainder is below 0.02945^19 / 39 < 2^-101 of it; from s^13 / 13 on terms are below 2^-34 of it,
 * and so in binary64.  The sum with e ln 2 loses at most a factor of 2. */
PAIR_INLINE pair_t pair_log(double x) {
  uint64_t bits = binary64_bits(x);
  int64_t shifted = (int64_t)(bits - UINT64_C(0x3fe6a09e667f3bcd)) >> BINARY64_FRACTION_BITS;
  double e = (double)shifted;
  double m = binary64_value(bits - ((uint64_t)shifted << BINARY64_FRACTION_BITS));
  pair_t s = pair_divide(pair_of(m - 1), pair_exact_sum(m, 1));
  pair_t z = pair_multiply(s, s);
  double tail = 1.0 / 37;
  KERNEL_UNROLL
  for (int n = 17; n >= 6; n--) tail = tail * z.high + 1.0 / (2 * n + 1);
  pair_t sum = pair_add_number(pair_inverse_odd[5], tail * z.high);
  KERNEL_UNROLL
  for (int n = 4; n >= 0; n--) sum = pair_add(pair_multiply(sum, z), pair_inverse_odd[n]);
  pair_t logarithm = pair_multiply(pair_shift(s, 2), sum);
  pair_t rest = pair_add(logarithm, pair_scale(pair_ln_2_rest, e));
  pair_t result = pair_add(pair_of(e * PAIR_LN_2_START), rest);
  return pair_where((x >= 0x1p-1022) & (x <= 0x1.fffffffffffffp+1023), result);
}

/* From here on erfc is found by a continued fraction, and from there on not at all. */
#define PAIR_ERFC_LARGE 2.5
#define PAIR_ERFC_MAX 25.0

/* For |x| <= PAIR_ERFC_LARGE: 2 / sqrt(pi) times the sum of (-1)^k x^(2k+1) / (k! (2k+1)).  After
 * k = 55 terms are below 2^-103; all together are below 51, the sum above 0.88, so that an error of
 * 2^-96 of the sum is one of 2^-84 of erfc(2.5). */
PAIR_INLINE pair_t pair_erf_small(double x) {
  pair_t z = pair_exact_product(x, x);
  pair_t sum = pair_erf_terms[55];
  KERNEL_UNROLL
  for (int k = 54; k >= 0; k--) sum = pair_add(pair_multiply(sum, z), pair_erf_terms[k]);
  return pair_multiply(pair_scale(sum, x), pair_2_over_root_pi);
}

/* For PAIR_ERFC_LARGE <= x <= PAIR_ERFC_MAX: kernel_erfc_large()'s continued fraction; after 64
 * levels the rest is below 2^-85 of it.  The quotient of both numbers is above k + x^2 at each
 * level, so that no difference is magnified by more than 3 and errors add up. */
PAIR_INLINE pair_t pair_erfc_large(double x) {
  enum { LEVELS = 64 };
  pair_t z = pair_exact_product(x, x);
  pair_t numerator = pair_add_number(z, 2 * LEVELS + 0.5), denominator = pair_of(1);
  KERNEL_UNROLL
  for (int k = LEVELS; k >= 1; k--) { /* Both stay below 2^640. */
    pair_t next = pair_multiply(pair_add_number(z, 2 * (k - 1) + 0.5), numerator);
    next = pair_subtract(next, pair_scale(denominator, (2 * k - 1) * (2 * k) / 4.0));
    denominator = numerator;
    numerator = next;
  }
  pair_t factor = pair_scale(pair_1_over_root_pi, x);
  pair_t quotient = pair_divide(denominator, numerator);
  return pair_multiply(pair_multiply(pair_exp_inside(pair_negate(z)), factor), quotient);
}

PAIR_INLINE pair_t pair_erfc(double x) {
  double magnitude = fabs(x);
  int is_small = magnitude < PAIR_ERFC_LARGE;
  pair_t small = pair_erf_small(is_small ? magnitude : 0);
  double large = is_small ? PAIR_ERFC_LARGE : pair_clamp(magnitude, PAIR_ERFC_MAX);
  pair_t of_large = pair_erfc_large(large);
  pair_t positive = pair_choose(is_small, pair_add_number(pair_negate(small), 1), of_large);
  pair_t negative =
      pair_choose(is_small, pair_add_number(small, 1), pair_add_number(pair_negate(of_large), 2));
  return pair_where(magnitude <= PAIR_ERFC_MAX, pair_choose(x < 0, negative, positive));
}

/* Beyond PAIR_ERFC_MAX what is missing to 1 is below 2^-900. */
PAIR_INLINE pair_t pair_erf(double x) {
  double magnitude = fabs(x);
  int is_small = magnitude < PAIR_ERFC_LARGE;
  pair_t small = pair_erf_small(is_small ? x : 0);
  double large = is_small ? PAIR_ERFC_LARGE : pair_clamp(magnitude, PAIR_ERFC_MAX);
  pair_t of_large = pair_add_number(pair_negate(pair_erfc_large(large)), 1);
  of_large = pair_choose(x < 0, pair_negate(of_large), of_large);
  int is_told = (magnitude > 0x1p-400) & (magnitude <= 0x1.fffffffffffffp+1023);
  pair_t value = pair_choose(is_small, small, of_large);
  return pair_where(is_told | (x == 0), pair_choose(x == 0, pair_of(x), value)); /* -0 is kept. */
}

/* As kernel_tanh(); beyond 40 what is missing to 1 is below 2^-114. */
PAIR_INLINE pair_t pair_tanh(double x) {
  double magnitude = fabs(x);
  int is_small = magnitude < 0.17;
  pair_t difference = pair_expm1_small(pair_of(is_small ? 2 * x : 0));
  pair_t of_small = pair_divide(difference, pair_add_number(difference, 2));
  pair_t divisor = pair_add_number(pair_exp_inside(pair_of(2 * pair_clamp(magnitude, 40))), 1);
  pair_t of_large = pair_add_number(pair_divide(pair_of(-2), divisor), 1);
  of_large = pair_choose(x < 0, pair_negate(of_large), of_large);
  int is_told = (magnitude > 0x1p-400) & (magnitude <= 0x1.fffffffffffffp+1023);
  pair_t value = pair_choose(is_small, of_small, of_large);
  return pair_where(is_told | (x == 0), pair_choose(x == 0, pair_of(x), value)); /* -0 is kept. */
}

PAIR_INLINE pair_t pair_rsqrt(double x) {
  pair_t result = pair_divide(pair_of(1), pair_square_root(pair_of(x)));
  return pair_where((x > 0x1p-900) & (x < 0x1p900), result);
}

/* (-1)^k r^(2k+1) / (2k+1)!, or r^2k / (2k)!, summed for |r| <= 0.79; after r^27 and r^28 the rest
 * is below 2^-104. */
PAIR_INLINE pair_t pair_sine_small(pair_t r, int is_cosine) {
  pair_t z = pair_multiply(r, r), sum = pair_of(1);
  KERNEL_UNROLL
  for (int k = 14; k >= 1; k--) { /* Nested: 1 - z / (n (n + 1)) (1 - ...). */
    double of_sine = 2 * k * (2 * k + 1), of_cosine = (2 * k - 1) * (2 * k);
    pair_t factor = pair_divide(z, pair_of(is_cosine ? of_cosine : of_sine));
    sum = pair_add_number(pair_negate(pair_multiply(factor, sum)), 1);
  }
  return pair_choose(is_cosine, sum, pair_multiply(r, sum));
}

/* For |x| <= 8. */
PAIR_INLINE pair_t pair_cosine(double x) {
  double inside = pair_clamp(x, 8);
  double k = kernel_round(inside * 0x1.45f306dc9c883p-1);
  pair_t r =
      pair_subtract(pair_of(inside - k * PAIR_HALF_PI_START), pair_scale(pair_half_pi_rest, k));
  int quarter = (int)(k == k ? k : 0) & 3;
  pair_t result = pair_sine_small(r, (quarter & 1) == 0);
  /* cos(r + k pi / 2) is cos r, -sin r, -cos r, sin r. */
  int is_negative = (quarter == 1) | (quarter == 2);
  return pair_where(x == inside, pair_choose(is_negative, pair_negate(result), result));
}

#endif
