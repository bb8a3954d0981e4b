/* SPDX-License-Identifier: Apache-2.0 */
/* Magnitudes that are rounded upwards and downwards (oracles/theory.md, T8), against MPFR: never on
 * the wrong side, at most two numbers from the exact result, and equal to it where binary64 has it.
 */
#include <glib.h>

#include "harness/base/rng.h"
#include "oracles/exact/magnitude.h"

enum { DRAWS = 200000, PRECISION = 2200 };

typedef enum operation {
  ADD,
  MULTIPLY,
  DIVIDE,
  SQUARE_ROOT,
  EXPM1,
  LOG2,
  SUBTRACT,
  OPERATION_COUNT
} operation_t;

/* Small integers, any exponent, and the ends of the range. */
static double draw(rng_t *rng) {
  static const double edges[] = {0, 0x1p-1074, 0x1p-1022, 0x1p-960, 1, 0x1.fffffffffffffp1023};
  uint64_t kind = rng_below(rng, 8);
  if (kind == 0) return edges[rng_below(rng, G_N_ELEMENTS(edges))];
  double significand = 1 + (double)(rng_bits(rng) >> 12) * 0x1p-52;
  if (kind < 3) return (double)rng_below(rng, 100);
  if (kind < 6) return ldexp(significand, (int)rng_between(rng, -60, 60));
  return ldexp(significand, (int)rng_between(rng, -1080, 1023));
}

static upper_t upwards(operation_t operation, double a, double b) {
  switch (operation) {
    case ADD:
      return upper_add(upper_of(a), upper_of(b));
    case MULTIPLY:
      return upper_multiply(upper_of(a), upper_of(b));
    case DIVIDE:
      return upper_divide(upper_of(a), lower_of(b));
    case SQUARE_ROOT:
      return upper_sqrt(upper_of(a));
    case EXPM1:
      return upper_expm1(upper_of(a));
    default:
      return upper_log2(upper_of(a));
  }
}

static void compute(operation_t operation, mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b) {
  switch (operation) {
    case ADD:
      mpfr_add(out, a, b, MPFR_RNDN);
      break;
    case SUBTRACT:
      mpfr_sub(out, a, b, MPFR_RNDN);
      break;
    case MULTIPLY:
      mpfr_mul(out, a, b, MPFR_RNDN);
      break;
    case DIVIDE:
      mpfr_div(out, a, b, MPFR_RNDN);
      break;
    case SQUARE_ROOT:
      mpfr_sqrt(out, a, MPFR_RNDN);
      break;
    case EXPM1:
      mpfr_expm1(out, a, MPFR_RNDN);
      break;
    default:
      mpfr_log2(out, a, MPFR_RNDN);
      break;
  }
}

/* Functions of the library have a margin of 2^-40 of the result; the series of exp(x) - 1 exceeds
 * it by x^2 at the most, where x is at most 2^-10. */
static double farthest(operation_t operation, mpfr_srcptr exact) {
  double above = mpfr_get_d(exact, MPFR_RNDU);
  if (operation == EXPM1) return above * (1 + 0x1p-20) + 0x1p-1073;
  if (operation == LOG2) return above * (1 + 0x1p-39) + 0x1p-1073;
  return nextafter(nextafter(above, INFINITY), INFINITY);
}

static void check_upwards(operation_t operation, double a, double b, mpfr_srcptr exact) {
  double bound = upwards(operation, a, b).value;
  bool is_held =
      mpfr_cmp_d(exact, 0x1.fffffffffffffp1023) > 0 ? isinf(bound) : mpfr_cmp_d(exact, bound) <= 0;
  if (!is_held) g_test_message("%d of %a and %a: %a is too small", operation, a, b, bound);
  g_assert_true(is_held);
  g_assert_cmpfloat(bound, <=, farthest(operation, exact));
  double nearest = mpfr_get_d(exact, MPFR_RNDN);
  bool is_arithmetic = operation < EXPM1 && fmin(nearest, fmin(a, b)) > 0x1p-900;
  if (is_arithmetic && mpfr_cmp_d(exact, nearest) == 0) g_assert_cmpfloat(bound, ==, nearest);
}

static void check_downwards(operation_t operation, double a, double b, mpfr_srcptr exact) {
  double bound = operation == SUBTRACT   ? lower_subtract(lower_of(a), upper_of(b)).value
                 : operation == MULTIPLY ? lower_multiply(lower_of(a), lower_of(b)).value
                                         : lower_divide(lower_of(a), upper_of(b)).value;
  g_assert_cmpfloat(bound, >=, 0);
  if (mpfr_sgn(exact) < 0) {
    g_assert_cmpfloat(bound, ==, 0);
    return;
  }
  g_assert_true(mpfr_cmp_d(exact, bound) >= 0);
  double below = mpfr_get_d(exact, MPFR_RNDD);
  g_assert_cmpfloat(bound, >=, nextafter(nextafter(below, 0), 0));
}

static bool is_defined(operation_t operation, double a, double b) {
  if (operation == DIVIDE) return b != 0;
  if (operation == LOG2) return a > 1;
  return true;
}

static void test_operations(void) {
  rng_t rng = rng_make(7);
  mpfr_t left, right, exact;
  mpfr_inits2(PRECISION, left, right, exact, (mpfr_ptr)0);
  for (size_t i = 0; i < DRAWS; i++) {
    operation_t operation = (operation_t)(i % OPERATION_COUNT);
    double a = draw(&rng), b = draw(&rng);
    if (operation >= SQUARE_ROOT && operation <= LOG2) mpfr_set_prec(exact, 200);
    if (!is_defined(operation, a, b)) continue;
    mpfr_set_d(left, a, MPFR_RNDN);
    mpfr_set_d(right, b, MPFR_RNDN);
    compute(operation, exact, left, right);
    if (operation != SUBTRACT) check_upwards(operation, a, b, exact);
    if (operation == SUBTRACT || operation == MULTIPLY || operation == DIVIDE) {
      check_downwards(operation, a, b, exact);
    }
    mpfr_set_prec(exact, PRECISION);
  }
  mpfr_clears(left, right, exact, (mpfr_ptr)0);
}

/* What is too large to tell. */
static void test_infinity(void) {
  const upper_t infinite = upper_of(INFINITY);
  g_assert_true(isinf(upper_add(infinite, upper_of(1)).value));
  g_assert_true(isinf(upper_scale(infinite, 2).value));
  g_assert_true(isinf(upper_divide(upper_of(1), lower_of(0)).value));
  g_assert_true(isinf(upper_expm1(infinite).value));
  g_assert_cmpfloat(upper_multiply(upper_of(0), infinite).value, ==, 0);
  g_assert_cmpfloat(lower_divide(lower_of(1), infinite).value, ==, 0);
  g_assert_cmpfloat(lower_subtract(lower_of(1), infinite).value, ==, 0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/magnitude/operations", test_operations);
  g_test_add_func("/magnitude/infinity", test_infinity);
  return g_test_run();
}
