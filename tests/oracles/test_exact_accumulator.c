/* SPDX-License-Identifier: Apache-2.0 */
/* The exact accumulator against MPFR, over all finite binary64 numbers. */
#include <glib.h>
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "harness/base/rng.h"
#include "oracles/exact/matmul/accumulator.h"

enum { PRECISION = 4600 };

/* Any finite pattern, subnormal numbers and powers of two more often. */
static double draw(rng_t *rng) {
  uint64_t bits = rng_bits(rng);
  switch (rng_below(rng, 4)) {
    case 0:
      bits &= ~(UINT64_C(0x7ff) << 52);
      break;
    case 1:
      bits &= UINT64_C(0xfff) << 52;
      break;
    default:
      break;
  }
  if ((bits >> 52 & 0x7ff) == 0x7ff) bits &= ~(UINT64_C(1) << 62);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* A number about 2^exponent: products then lie near a border of the format. */
static double draw_near(rng_t *rng, int exponent) {
  return ldexp(1 + (double)rng_below(rng, 16) / 16, exponent + (int)rng_between(rng, -3, 3));
}

typedef struct sum {
  exact_accumulator_t accumulator;
  mpfr_t exact, product, a, b;
} sum_t;

static void sum_init(sum_t *sum) {
  exact_accumulator_clear(&sum->accumulator);
  mpfr_inits2(PRECISION, sum->exact, sum->product, sum->a, sum->b, (mpfr_ptr)0);
  mpfr_set_zero(sum->exact, 1);
}

static void sum_deinit(sum_t *sum) {
  mpfr_clears(sum->exact, sum->product, sum->a, sum->b, (mpfr_ptr)0);
}

static void sum_add(sum_t *sum, double a, double b) {
  exact_accumulator_add_product(&sum->accumulator, a, b);
  mpfr_set_d(sum->a, a, MPFR_RNDN);
  mpfr_set_d(sum->b, b, MPFR_RNDN);
  mpfr_mul(sum->product, sum->a, sum->b, MPFR_RNDN);
  g_assert_cmpint(mpfr_add(sum->exact, sum->exact, sum->product, MPFR_RNDN), ==, 0);
}

static bool sum_check(sum_t *sum) {
  double expected = mpfr_get_d(sum->exact, MPFR_RNDN), got = NAN;
  bool is_exact = mpfr_cmp_d(sum->exact, expected) == 0;
  bool is_tiny = !mpfr_zero_p(sum->exact) && mpfr_get_exp(sum->exact) <= -1022;
  bool fits = isfinite(expected) && (is_exact || !is_tiny);
  bool rounds = exact_accumulator_round(&sum->accumulator, &got);
  g_assert_cmpint(rounds, ==, fits);
  if (fits) g_assert_true(got == expected && (got != 0 || !signbit(got)));
  return fits;
}

static void test_random_sums(void) {
  rng_t rng = rng_make(7);
  size_t fit = 0, rounds = 4000;
  for (size_t round = 0; round < rounds; round++) {
    sum_t sum;
    sum_init(&sum);
    for (size_t count = rng_below(&rng, 12); count > 0; count--) {
      double a = draw(&rng), b = draw(&rng);
      sum_add(&sum, a, b);
      if (rng_one_in(&rng, 2)) sum_add(&sum, -a, b);
    }
    fit += sum_check(&sum);
    sum_deinit(&sum);
  }
  g_assert_cmpuint(fit, >, rounds / 4);
  g_assert_cmpuint(fit, <, rounds);
}

/* Ties and their neighbours, in every binade about the borders. */
static void test_ties(void) {
  static const int exponents[] = {0, -300, 480, 511, -480, -500, -511, -525, -537};
  rng_t rng = rng_make(8);
  for (size_t round = 0; round < 4000; round++) {
    int exponent = exponents[round % G_N_ELEMENTS(exponents)];
    sum_t sum;
    sum_init(&sum);
    double a = draw_near(&rng, exponent), b = draw_near(&rng, exponent);
    sum_add(&sum, a, b);
    sum_add(&sum, a, ldexp(b, -53));
    if (rng_one_in(&rng, 2)) sum_add(&sum, draw_near(&rng, exponent), -ldexp(1, exponent - 108));
    sum_check(&sum);
    sum_deinit(&sum);
  }
}

/* Limbs keep carries for many additions. */
static void test_many_additions(void) {
  sum_t sum;
  sum_init(&sum);
  for (size_t i = 0; i < 200000; i++) sum_add(&sum, 0x1.fffffffffffffp200, 0x1.fffffffffffffp3);
  g_assert_true(sum_check(&sum));
  for (size_t i = 0; i < 200001; i++) sum_add(&sum, 0x1.fffffffffffffp200, -0x1.fffffffffffffp3);
  g_assert_true(sum_check(&sum));
  sum_deinit(&sum);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/exact_accumulator/random", test_random_sums);
  g_test_add_func("/exact_accumulator/ties", test_ties);
  g_test_add_func("/exact_accumulator/many", test_many_additions);
  return g_test_run();
}
