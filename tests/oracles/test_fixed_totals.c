/* SPDX-License-Identifier: Apache-2.0 */
/* Totals of sums in integers of 128 bits are those of MPFR, of plain terms and of products, with
 * zeros of both signs, subnormal numbers, specials, low-order parts, and terms that lie as far
 * apart as integers hold and farther (theory.md, T249); and what binary64.h and value_range.h
 * compute without calls is what calls give. */
#include <float.h>
#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"
#include "harness/num/binary64.h"
#include "oracles/exact/magnitude.h"
#include "oracles/exact/sum/totals.h"
#include "oracles/exact/value_range.h"

enum { TERMS_MAX = 40, ROUNDS = 30000 };

static double draw_float(rng_t *rng, const format_t *format, int span) {
  uint64_t pick = rng_below(rng, 24);
  double sign = rng_one_in(rng, 2) ? -1 : 1;
  if (pick == 0) return sign * 0.0;
  if (pick == 1) return sign * format_to_double(format, 1 + rng_below(rng, 7));
  if (pick == 2 && rng_one_in(rng, 8)) return rng_one_in(rng, 2) ? (double)NAN : sign * INFINITY;
  int exponent = (int)rng_between(rng, -span, span);
  double value = ldexp(1 + (double)(rng_bits(rng) >> 12) * 0x1p-52, exponent);
  value = format_round_double(format, value);
  return isfinite(value) ? sign * value : sign;
}

static void check_number(mpfr_srcptr fixed, mpfr_srcptr plain) {
  g_assert_true(mpfr_equal_p(fixed, plain));
  g_assert_cmpint(mpfr_signbit(fixed), ==, mpfr_signbit(plain));
  g_assert_cmpint(mpfr_get_prec(fixed), ==, mpfr_get_prec(plain));
}

static void check_totals(const sum_totals_t *a, const sum_totals_t *b) {
  g_assert_cmpint(a->has_nan, ==, b->has_nan);
  g_assert_cmpint(a->has_positive_infinity, ==, b->has_positive_infinity);
  g_assert_cmpint(a->has_negative_infinity, ==, b->has_negative_infinity);
  g_assert_cmpint(a->can_be_minus_zero, ==, b->can_be_minus_zero);
  g_assert_cmpint(a->must_be_minus_zero, ==, b->must_be_minus_zero);
  g_assert_cmpint(a->lowest_bit, ==, b->lowest_bit);
  g_assert_cmpuint(a->positive_count, ==, b->positive_count);
  g_assert_cmpuint(a->negative_count, ==, b->negative_count);
  check_number(a->sum, b->sum);
  check_number(a->positive, b->positive);
  check_number(a->negative, b->negative);
  check_number(a->magnitude, b->magnitude);
  check_number(a->flushable, b->flushable);
  check_number(a->highest, b->highest);
  check_number(a->lowest, b->lowest);
}

/* Whether integers held them. */
static bool check_question(const sum_problem_t *question) {
  sum_totals_t fast, plain;
  sum_totals_init(&fast, question);
  sum_totals_init_plain(&plain, question);
  check_totals(&fast, &plain);
  sum_totals_t fixed;
  bool is_held = sum_totals_init_fixed(&fixed, question);
  if (is_held) {
    check_totals(&fixed, &plain);
    sum_totals_deinit(&fixed);
  }
  sum_totals_deinit(&fast);
  sum_totals_deinit(&plain);
  return is_held;
}

static bool check_drawn(rng_t *rng) {
  static const int formats[] = {FORMAT_f32, FORMAT_bf16, FORMAT_f16, FORMAT_f64, FORMAT_f8E4M3FN};
  const format_t *format = &format_table[formats[rng_below(rng, G_N_ELEMENTS(formats))]];
  double left[TERMS_MAX], right[TERMS_MAX];
  size_t count = rng_below(rng, TERMS_MAX + 1);
  int span = (int)rng_below(rng, format == &format_table[FORMAT_f8E4M3FN] ? 6 : 60);
  /* With no more than zeros, and negative ones, now and then. */
  bool only_zeros = rng_one_in(rng, 16);
  for (size_t i = 0; i < count; i++) {
    left[i] = only_zeros ? -0.0 : draw_float(rng, format, span);
    right[i] = draw_float(rng, format, span);
  }
  sum_problem_t question = {.format = format,
                            .count = count,
                            .left = left,
                            .right = rng_one_in(rng, 2) ? right : NULL,
                            .left_format = format,
                            .right_format = format};
  if (count % 3 == 0 && rng_one_in(rng, 4)) question.group = count / 3;
  if (rng_one_in(rng, 4)) question.left_storage = &format_table[FORMAT_f16];
  return check_question(&question);
}

static void test_drawn(void) {
  rng_t rng = rng_make(249);
  size_t held = 0;
  for (int i = 0; i < ROUNDS; i++) held += check_drawn(&rng) ? 1 : 0;
  g_assert_cmpuint(held, >, ROUNDS / 8); /* Both ways are taken. */
  g_assert_cmpuint(held, <, ROUNDS - ROUNDS / 8);
}

/* Two terms that lie apart by what integers hold, and by one bit more. */
static void test_room(void) {
  size_t last = 0;
  for (int apart = 100; apart < 140; apart++) {
    const double left[] = {1, -ldexp(1, apart)};
    const sum_problem_t question = {.format = &format_table[FORMAT_f64],
                                    .count = 2,
                                    .left = left,
                                    .left_format = &format_table[FORMAT_f64]};
    if (check_question(&question)) last = (size_t)apart;
  }
  g_assert_cmpuint(last, ==, 123); /* 2^123 has 124 bits; the count takes two of 126. */
}

/* All terms as large as there is room for, of one sign. */
static void test_full(void) {
  double left[TERMS_MAX];
  for (size_t i = 0; i < TERMS_MAX; i++) left[i] = i == 0 ? 1 : -ldexp(2 - 0x1p-52, 118);
  for (size_t count = 1; count <= TERMS_MAX; count++) {
    const sum_problem_t question = {.format = &format_table[FORMAT_f64],
                                    .count = count,
                                    .left = left,
                                    .left_format = &format_table[FORMAT_f64]};
    g_assert_true(check_question(&question));
  }
}

static void test_powers(void) {
  for (int exponent = -1200; exponent < 1200; exponent++) {
    g_assert_true(binary64_power(exponent) == ldexp(1, exponent));
  }
  g_assert_true(binary64_power(2 * BINARY64_NO_BIT) == INFINITY);
  rng_t rng = rng_make(250);
  const double some[] = {0, -0.0, 0x1p-1074, DBL_MAX, INFINITY, -1, 1};
  for (size_t i = 0; i < G_N_ELEMENTS(some); i++) {
    g_assert_true(magnitude_next(some[i]) == nextafter(some[i], INFINITY));
  }
  for (int i = 0; i < ROUNDS; i++) {
    double value = binary64_value(rng_bits(&rng));
    double next = magnitude_next(value);
    g_assert_true(isnan(value) ? isnan(next) : next == nextafter(value, INFINITY));
  }
}

/* At the middle above the largest number, beside it, and a binade away. */
static void check_overflow(const format_t *format, int sign) {
  mpfr_t value, step;
  mpfr_init2(value, 200);
  mpfr_init2(step, 53);
  bool tie_overflows = (format->largest_bits & 1) != 0;
  int half = format_ulp_exponent(format, format->exponent_max) - 1;
  mpfr_set_d(value, format_to_double(format, format->largest_bits), MPFR_RNDN);
  g_assert_false(mpfr_overflows(value, format));
  mpfr_set_ui_2exp(step, 1, half, MPFR_RNDN);
  mpfr_add(value, value, step, MPFR_RNDN);
  if (sign < 0) mpfr_neg(value, value, MPFR_RNDN);
  g_assert_cmpint(mpfr_overflows(value, format), ==, tie_overflows);
  mpfr_mul_d(step, value, 1 - 0x1p-52, MPFR_RNDN);
  g_assert_false(mpfr_overflows(step, format));
  mpfr_mul_d(step, value, 1 + 0x1p-52, MPFR_RNDN);
  g_assert_true(mpfr_overflows(step, format));
  mpfr_set_si_2exp(value, sign, format->exponent_max + 1, MPFR_RNDN);
  g_assert_true(mpfr_overflows(value, format));
  mpfr_set_si_2exp(value, sign, format->exponent_max, MPFR_RNDN);
  g_assert_false(mpfr_overflows(value, format));
  mpfr_set_zero(value, sign);
  g_assert_false(mpfr_overflows(value, format));
  mpfr_clears(value, step, (mpfr_ptr)0);
}

static void test_overflow(void) {
  for (size_t i = 0; i < FORMAT_COUNT; i++) {
    check_overflow(&format_table[i], 1);
    check_overflow(&format_table[i], -1);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/fixed_totals/drawn", test_drawn);
  g_test_add_func("/fixed_totals/room", test_room);
  g_test_add_func("/fixed_totals/full", test_full);
  g_test_add_func("/fixed_totals/powers", test_powers);
  g_test_add_func("/fixed_totals/overflow", test_overflow);
  return g_test_run();
}
