/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as unevaluated sums of two binary64 numbers ("double-double"), in IEEE operations of one
 * order and without branches, so that every instruction set computes the same bits and loops become
 * vector code.  The algorithms and their errors, in units of u^2 = 2^-106, are those of Joldes,
 * Muller, Popescu, "Tight and rigorous error bounds for basic building blocks of double-word
 * arithmetic", ACM TOMS 44 (2017); they hold where nothing overflows and no product is below
 * 2^-960.  theory.md, T230. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_PAIRS_H
#define ASSAY_ORACLES_FORMULA_FAST_PAIRS_H

#include <math.h>

#define PAIR_INLINE static inline __attribute__((always_inline, unused))

/* high + low, where high is that rounded to binary64. */
typedef struct pair {
  double high;
  double low;
} pair_t;

PAIR_INLINE pair_t pair_of(double x) { return (pair_t){x, 0}; }

PAIR_INLINE pair_t pair_negate(pair_t x) { return (pair_t){-x.high, -x.low}; }

/* a + b exactly (Knuth's TwoSum). */
PAIR_INLINE pair_t pair_exact_sum(double a, double b) {
  double sum = a + b, of_b = sum - a;
  return (pair_t){sum, (a - (sum - of_b)) + (b - of_b)};
}

/* The same where a is 0 or no smaller in magnitude than b (Dekker's Fast2Sum). */
PAIR_INLINE pair_t pair_quick_sum(double a, double b) {
  double sum = a + b;
  return (pair_t){sum, b - (sum - a)};
}

/* a * b exactly. */
PAIR_INLINE pair_t pair_exact_product(double a, double b) {
  double product = a * b;
  return (pair_t){product, fma(a, b, -product)};
}

/* Within 2 u^2 of itself. */
PAIR_INLINE pair_t pair_add_number(pair_t x, double y) {
  pair_t sum = pair_exact_sum(x.high, y);
  return pair_quick_sum(sum.high, x.low + sum.low);
}

/* Within 4 u^2. */
PAIR_INLINE pair_t pair_add(pair_t x, pair_t y) {
  pair_t high = pair_exact_sum(x.high, y.high), low = pair_exact_sum(x.low, y.low);
  pair_t sum = pair_quick_sum(high.high, high.low + low.high);
  return pair_quick_sum(sum.high, low.low + sum.low);
}

PAIR_INLINE pair_t pair_subtract(pair_t x, pair_t y) { return pair_add(x, pair_negate(y)); }

/* Within 2 u^2. */
PAIR_INLINE pair_t pair_scale(pair_t x, double y) {
  pair_t product = pair_exact_product(x.high, y);
  return pair_quick_sum(product.high, fma(x.low, y, product.low));
}

/* Within 5 u^2. */
PAIR_INLINE pair_t pair_multiply(pair_t x, pair_t y) {
  pair_t product = pair_exact_product(x.high, y.high);
  double low = fma(x.low, y.high, x.high * y.low);
  return pair_quick_sum(product.high, product.low + low);
}

/* Within 10 u^2. */
PAIR_INLINE pair_t pair_divide(pair_t x, pair_t y) {
  double quotient = x.high / y.high;
  pair_t product = pair_scale(y, quotient);
  double rest = (x.high - product.high) + (x.low - product.low);
  return pair_quick_sum(quotient, rest / y.high);
}

/* Within 4 u^2; of a number above 0. */
PAIR_INLINE pair_t pair_square_root(pair_t x) {
  double root = sqrt(x.high);
  double rest = fma(-root, root, x.high) + x.low;
  return pair_quick_sum(root, rest / (2 * root));
}

/* Scaled by a power of two. */
PAIR_INLINE pair_t pair_shift(pair_t x, double power) {
  return (pair_t){x.high * power, x.low * power};
}

#endif
