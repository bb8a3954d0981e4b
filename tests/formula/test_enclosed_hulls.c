/* SPDX-License-Identifier: Apache-2.0 */
/* Products and quotients of intervals by the ends that signs tell are those of all four pairs of
 * ends (theory.md, T241); and what quick_mpfr.h does to digits is what MPFR does. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "harness/base/rng.h"
#include "oracles/exact/quick_mpfr.h"
#include "oracles/exact/value_range.h"
#include "oracles/formula/enclosed_set.h"

enum { ROUNDS = 20000 };

/* ---- Hulls ----------------------------------------------------------------------------------- */

static void draw_end(rng_t *rng, mpfr_ptr out) {
  uint64_t pick = rng_below(rng, 12);
  if (pick < 2) {
    mpfr_set_zero(out, pick == 0 ? 1 : -1);
  } else if (pick < 4) {
    mpfr_set_inf(out, pick == 2 ? 1 : -1);
  } else { /* Of few bits, or of as many as ends have. */
    mpfr_set_si(out, (long)rng_between(rng, -9, 9), MPFR_RNDN);
    if (pick >= 8) mpfr_div_ui(out, out, 3 + rng_below(rng, 40), MPFR_RNDN);
    mpfr_mul_2si(out, out, (long)rng_between(rng, -40, 40), MPFR_RNDN);
  }
}

/* An interval whose low end is no infinity above and whose high end is none below. */
static void draw_set(rng_t *rng, enclosed_t *out) {
  do {
    draw_end(rng, out->low);
    draw_end(rng, out->high);
    if (rng_one_in(rng, 5)) mpfr_set(out->high, out->low, MPFR_RNDN);
    if (mpfr_less_p(out->high, out->low)) mpfr_swap(out->low, out->high);
  } while ((mpfr_inf_p(out->low) && mpfr_sgn(out->low) > 0) ||
           (mpfr_inf_p(out->high) && mpfr_sgn(out->high) < 0));
  out->has_finite = true;
}

typedef int operation_t(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rounding);

/* Rounded down all four results, and up; the ones that are no number are 0. */
static void hull_of_four(operation_t *operation, mpfr_ptr low, mpfr_ptr high, const enclosed_t *a,
                         const enclosed_t *b) {
  LOCAL_NUMBER(result);
  for (int i = 0; i < 4; i++) {
    mpfr_srcptr x = (i & 1) == 0 ? a->low : a->high, y = (i & 2) == 0 ? b->low : b->high;
    operation(result, x, y, MPFR_RNDD);
    if (mpfr_nan_p(result)) mpfr_set_zero(result, 1);
    if (i == 0 || mpfr_less_p(result, low)) mpfr_set(low, result, MPFR_RNDN);
    operation(result, x, y, MPFR_RNDU);
    if (mpfr_nan_p(result)) mpfr_set_zero(result, 1);
    if (i == 0 || mpfr_greater_p(result, high)) mpfr_set(high, result, MPFR_RNDN);
  }
}

static void test_hulls(void) {
  rng_t rng = rng_make(241);
  arena_t arena;
  arena_init(&arena);
  enclosed_t *a = enclosed_new(&arena, 1), *b = enclosed_new(&arena, 1);
  LOCAL_NUMBER(low);
  LOCAL_NUMBER(high);
  LOCAL_NUMBER(four_low);
  LOCAL_NUMBER(four_high);
  size_t quotients = 0;
  for (size_t round = 0; round < ROUNDS; round++) {
    draw_set(&rng, a);
    draw_set(&rng, b);
    enclosed_hull_of_products(low, high, a, b);
    hull_of_four(mpfr_mul, four_low, four_high, a, b);
    g_assert_true(mpfr_equal_p(low, four_low) && mpfr_equal_p(high, four_high));
    if (!(mpfr_sgn(b->low) > 0 || mpfr_sgn(b->high) < 0)) continue;
    quotients++;
    enclosed_hull_of_quotients(low, high, a, b);
    hull_of_four(mpfr_div, four_low, four_high, a, b);
    g_assert_true(mpfr_equal_p(low, four_low) && mpfr_equal_p(high, four_high));
  }
  g_assert_cmpuint(quotients, >, ROUNDS / 4);
  arena_deinit(&arena);
}

static void test_squares(void) {
  rng_t rng = rng_make(242);
  arena_t arena;
  arena_init(&arena);
  enclosed_t *a = enclosed_new(&arena, 1), *out = enclosed_new(&arena, 1);
  LOCAL_NUMBER(low);
  LOCAL_NUMBER(high);
  for (size_t round = 0; round < ROUNDS / 4; round++) {
    draw_set(&rng, a);
    enclosed_set_square(out, a);
    mpfr_sqr(low, a->low, MPFR_RNDD);
    mpfr_sqr(high, a->high, MPFR_RNDD);
    mpfr_min(low, low, high, MPFR_RNDD);
    if (mpfr_sgn(a->low) <= 0 && mpfr_sgn(a->high) >= 0) mpfr_set_zero(low, 1);
    g_assert_true(mpfr_equal_p(out->low, low));
    mpfr_sqr(low, a->low, MPFR_RNDU);
    mpfr_sqr(high, a->high, MPFR_RNDU);
    mpfr_max(high, low, high, MPFR_RNDU);
    g_assert_true(mpfr_equal_p(out->high, high));
  }
  arena_deinit(&arena);
}

/* ---- Digits ---------------------------------------------------------------------------------- */

static double draw_double(rng_t *rng) {
  static const double strange[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-1074, -0x1p-1022, 1};
  if (rng_one_in(rng, 8)) return strange[rng_below(rng, G_N_ELEMENTS(strange))];
  double value = ldexp(1 + (double)(rng_bits(rng) >> 12) * 0x1p-52, (int)rng_between(rng, -3, 3));
  if (rng_one_in(rng, 4)) value = ldexp(value, (int)rng_between(rng, -1080, 1020));
  return rng_one_in(rng, 2) ? -value : value;
}

static void test_doubles(void) {
  rng_t rng = rng_make(243);
  LOCAL_NUMBER(quick);
  LOCAL_NUMBER(plain);
  for (size_t round = 0; round < ROUNDS; round++) {
    double value = draw_double(&rng);
    quick_set_double(quick, value);
    mpfr_set_d(plain, value, MPFR_RNDN);
    g_assert_true(mpfr_equal_p(quick, plain) || (mpfr_nan_p(quick) && mpfr_nan_p(plain)));
    if (!isnan(value)) g_assert_cmpint(mpfr_signbit(quick), ==, mpfr_signbit(plain));
    g_assert_cmpint(mpfr_get_prec(quick), ==, mpfr_get_prec(plain));
    if (rng_one_in(&rng, 2)) mpfr_nextabove(plain);
    double other = rng_one_in(&rng, 3) ? value : draw_double(&rng);
    int order = mpfr_cmp_d(plain, other), quickly = quick_compare(plain, other);
    g_assert_cmpint((order > 0) - (order < 0), ==, (quickly > 0) - (quickly < 0));
  }
}

/* What format_from_mpfr() did before it looked at digits. */
static uint64_t round_by_calls(const format_t *format, mpfr_srcptr value, rounding_t rounding) {
  number_t number = {.kind = NUMBER_FINITE, .negative = mpfr_signbit(value) != 0};
  mpfr_t top;
  mpfr_init2(top, 62);
  number.sticky = mpfr_abs(top, value, MPFR_RNDZ) != 0;
  mpfr_exp_t exponent = mpfr_get_exp(top);
  mpfr_mul_2si(top, top, 62 - exponent, MPFR_RNDZ);
  number.significand = mpfr_get_ui(top, MPFR_RNDZ);
  number.exponent = (int32_t)(exponent - 62);
  mpfr_clear(top);
  return format_encode(format, number, rounding, OVERFLOW_FORMAT);
}

/* quick_round() says what format_from_mpfr() does, of numbers that stay clear of the format's ends.
 * Returns whether it said anything. */
static bool check_round(const format_t *format, mpfr_srcptr value) {
  double nearest;
  int side;
  if (!quick_round(format, value, &nearest, &side)) return false;
  uint64_t bits = format_from_mpfr(format, value, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  g_assert_cmpfloat(nearest, ==, format_to_double(format, bits));
  int order = -mpfr_cmp_d(value, nearest);
  g_assert_cmpint(side, ==, (order > 0) - (order < 0));
  return true;
}

static void test_formats(void) {
  size_t rounded = 0;
  rng_t rng = rng_make(244);
  static const mpfr_prec_t precisions[] = {2, 24, 53, 61, 62, 63, 64, 65, 128, 129, 320};
  for (size_t round = 0; round < ROUNDS; round++) {
    mpfr_t value;
    mpfr_init2(value, precisions[rng_below(&rng, G_N_ELEMENTS(precisions))]);
    mpfr_set_d(value, 1 + (double)rng_below(&rng, 9) / 8, MPFR_RNDN);
    if (rng_one_in(&rng, 2)) mpfr_div_ui(value, value, 3 + rng_below(&rng, 60), MPFR_RNDN);
    if (rng_one_in(&rng, 3)) mpfr_nextabove(value); /* One bit far behind the others. */
    if (rng_one_in(&rng, 3)) mpfr_nextbelow(value);
    mpfr_mul_2si(value, value, (long)rng_between(&rng, -140, 130), MPFR_RNDN);
    if (rng_one_in(&rng, 2)) mpfr_neg(value, value, MPFR_RNDN);
    const format_t *format = &format_table[rng_below(&rng, FORMAT_COUNT)];
    rounding_t rounding = (rounding_t)rng_below(&rng, ROUNDING_ODD + 1);
    g_assert_cmphex(format_from_mpfr(format, value, rounding, OVERFLOW_FORMAT), ==,
                    round_by_calls(format, value, rounding));
    rounded += check_round(format, value);
    mpfr_clear(value);
  }
  g_assert_cmpuint(rounded, >, ROUNDS / 4);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/enclosed-hulls/products and quotients", test_hulls);
  g_test_add_func("/enclosed-hulls/squares", test_squares);
  g_test_add_func("/enclosed-hulls/doubles", test_doubles);
  g_test_add_func("/enclosed-hulls/formats", test_formats);
  return g_test_run();
}
