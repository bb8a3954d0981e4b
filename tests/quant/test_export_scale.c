/* SPDX-License-Identifier: Apache-2.0 */
/* Exact scales, multipliers and roundings, against integers of 128 bits. */
#include <math.h>

#include "harness/base/rng.h"
#include "harness/quant/lower/scale.h"

#include <glib.h>

typedef __int128 wide_t;

enum { ROUNDS = 200000 };

static exact_scale_t scale_of(uint64_t significand, int exponent) {
  return exact_scale_of(ldexp((double)significand, exponent));
}

/* |m * d - n * 2^shift| <= d / 2: the multiplier is the nearest one. */
static void test_multipliers(void) {
  rng_t rng = rng_make(5);
  uint32_t shallow = 0, deep = 0;
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t n = 1 + rng_below(&rng, UINT64_C(1) << rng_between(&rng, 1, 40));
    uint64_t d = 1 + rng_below(&rng, UINT64_C(1) << rng_between(&rng, 1, 40));
    uint32_t bits = (uint32_t)rng_between(&rng, 2, 31);
    multiplier_t found;
    bool is_found = multiplier_make(scale_of(n, 3), scale_of(d, 3), bits, &found);
    bool is_large = n >= (uint64_t)((wide_t)d << (bits - 1));
    if (!is_found) {
      /* The quotient rounds to 2^(bits - 1) or more, half a unit of 2^0 below it at the least. */
      g_assert_true((wide_t)2 * n >= ((wide_t)d << bits) - (wide_t)d);
      shallow++;
      continue;
    }
    g_assert_false(is_large);
    g_assert_cmpint(found.shift, >=, 1);
    g_assert_cmpint(found.shift, <=, 62);
    bool is_normal = found.multiplier >= INT64_C(1) << (bits - 1);
    g_assert_cmpint(found.multiplier, <, INT64_C(1) << bits);
    g_assert_true(is_normal || found.shift == 62);
    wide_t error = (wide_t)found.multiplier * d - ((wide_t)n << found.shift);
    g_assert_true(2 * (error < 0 ? -error : error) <= (wide_t)d);
    deep += found.shift == 62;
  }
  g_assert_cmpuint(shallow, >, 100);
  g_assert_cmpuint(deep, >, 100);
}

static void test_multiplier_examples(void) {
  multiplier_t found;
  g_assert_true(multiplier_make(scale_of(1, 0), scale_of(3, 0), 31, &found));
  g_assert_cmpint(found.multiplier, ==, 1431655765); /* 2^32 / 3, rounded. */
  g_assert_cmpint(found.shift, ==, 32);
  g_assert_true(multiplier_make(scale_of(3, 0), scale_of(4, 0), 31, &found));
  g_assert_cmpint(found.multiplier, ==, 3 << 29);
  g_assert_cmpint(found.shift, ==, 31);
  /* 2^31 - 1/4 rounds up to 2^31, which has a bit too many. */
  g_assert_true(
      multiplier_make(scale_of((UINT64_C(1) << 33) - 1, -33), scale_of(1, 0), 31, &found));
  g_assert_cmpint(found.multiplier, ==, INT64_C(1) << 30);
  g_assert_cmpint(found.shift, ==, 30);
  /* Below 2^-62 nothing is left, at 2^-63 a tie goes up. */
  g_assert_true(multiplier_make(scale_of(1, -63), scale_of(1, 0), 31, &found));
  g_assert_cmpint(found.multiplier, ==, 1);
  g_assert_true(multiplier_make(scale_of(1, -64), scale_of(1, 0), 31, &found));
  g_assert_cmpint(found.multiplier, ==, 0);
  g_assert_cmpint(found.shift, ==, 62);
}

static void test_rounding(void) {
  rng_t rng = rng_make(6);
  uint32_t ties = 0;
  for (int i = 0; i < ROUNDS; i++) {
    int64_t value = rng_between(&rng, -100000, 100000);
    uint64_t n = 1 + rng_below(&rng, UINT64_C(1) << rng_between(&rng, 1, 20));
    uint64_t d = 1 + rng_below(&rng, UINT64_C(1) << rng_between(&rng, 1, 20));
    if (rng_one_in(&rng, 4)) d = 2 * n;
    int64_t rounded;
    g_assert_true(exact_scale_round(value, scale_of(n, -7), scale_of(d, -7), &rounded));
    wide_t error = 2 * ((wide_t)rounded * d - (wide_t)value * n);
    wide_t size = error < 0 ? -error : error;
    g_assert_true(size <= (wide_t)d);
    if (size == (wide_t)d) {
      g_assert_true(rounded % 2 == 0);
      ties++;
    }
    int64_t of_double;
    double quotient = (double)value * (double)n;
    g_assert_true(exact_scale_round_double(quotient, scale_of(d, 0), &of_double));
    g_assert_cmpint(of_double, ==, rounded);
  }
  g_assert_cmpuint(ties, >, 1000);
}

static void test_products(void) {
  exact_scale_t product = scale_of(3, -4), wanted = scale_of(81, -16);
  g_assert_true(exact_scale_multiply(product, product, &product));
  g_assert_true(exact_scale_multiply(product, product, &product));
  g_assert_true(exact_scale_equal(product, wanted));
  g_assert_true(exact_scale_equal(scale_of(12, 0), exact_scale_shift(scale_of(3, 0), 2)));
  /* 53 + 53 bits fit, 53 more do not. */
  exact_scale_t odd = scale_of((UINT64_C(1) << 53) - 1, 0);
  g_assert_true(exact_scale_multiply(odd, odd, &product));
  g_assert_false(exact_scale_multiply(product, odd, &product));
  int32_t shift;
  g_assert_true(exact_scale_ratio_is_shift(scale_of(5, -3), scale_of(5, 2), &shift));
  g_assert_cmpint(shift, ==, 5);
  g_assert_false(exact_scale_ratio_is_shift(scale_of(5, 2), scale_of(5, -3), &shift));
  g_assert_false(exact_scale_ratio_is_shift(scale_of(3, 0), scale_of(5, 0), &shift));
  int64_t rounded;
  g_assert_false(exact_scale_round(1, scale_of(1, 62), scale_of(1, 0), &rounded));
  g_assert_false(exact_scale_round_double(0x1p100, scale_of(1, 0), &rounded));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/export_scale/multipliers", test_multipliers);
  g_test_add_func("/export_scale/multiplier_examples", test_multiplier_examples);
  g_test_add_func("/export_scale/rounding", test_rounding);
  g_test_add_func("/export_scale/products", test_products);
  return g_test_run();
}
