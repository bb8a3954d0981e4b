/* SPDX-License-Identifier: Apache-2.0 */
/* Online sums of numbers that lie anywhere in sets (oracles/theory.md, T220): sums that conform are
 * carried out here step by step, with exponentials that all err the same way, for numbers drawn
 * from the sets, and must be enclosed.  Rows ascend by little, so that each number corrects the
 * sum. */
#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"
#include "oracles/formula/enclosed_set.h"

enum { ROUNDS = 4000, COUNT_MAX = 8 };

typedef struct fixture {
  arena_t arena;
  contract_t contract;
  const format_t *format;
  rng_t rng;
  double ulps; /* Of every exponential, downwards if negative. */
} fixture_t;

static double rounded(const fixture_t *fixture, double x) {
  return format_to_double(fixture->format, format_from_double(fixture->format, x));
}

/* The exponential of a number that is not positive, as far off as the contract permits. */
static double exponential(const fixture_t *fixture, double x) {
  uint64_t bits = format_from_double(fixture->format, exp(x));
  int64_t ordinal = format_ordinal(fixture->format, bits) + (int64_t)fixture->ulps;
  if (x == 0) return 1;
  return format_to_double(fixture->format, format_from_ordinal(fixture->format, ordinal));
}

static double sum_online(const fixture_t *fixture, const double *x, size_t count) {
  double maximum = x[0], sum = 1;
  for (size_t i = 1; i < count; i++) {
    double larger = fmax(maximum, x[i]);
    double correction = exponential(fixture, rounded(fixture, maximum - larger));
    double term = exponential(fixture, rounded(fixture, x[i] - larger));
    sum = rounded(fixture, rounded(fixture, sum * correction) + term);
    maximum = larger;
  }
  return sum;
}

/* Sets of numbers of the format around ascending ones, and a number in each. */
static row_t draw_row(fixture_t *fixture, double out_numbers[COUNT_MAX], size_t count) {
  row_t row = {.count = count, .enclosed = enclosed_new(&fixture->arena, count)};
  double step = (double)rng_between(&fixture->rng, 0, 64) / 64;
  double width = rng_one_in(&fixture->rng, 2) ? 0x1p-6 : 1;
  bool is_one = rng_one_in(&fixture->rng, 2); /* The others are points. */
  for (size_t i = 0; i < count; i++) {
    double low = rounded(fixture, step * (double)i), high = rounded(fixture, low + width);
    if (is_one && i != 1) high = low;
    double share = (double)rng_between(&fixture->rng, 0, 4) / 4;
    out_numbers[i] = rounded(fixture, low + share * (high - low));
    enclosed_set_double(&row.enclosed[i], low);
    mpfr_set_d(row.enclosed[i].high, high, MPFR_RNDN);
  }
  return row;
}

static formula_t make_formula(fixture_t *fixture) {
  static const enclosing_t settings = {.is_exact = false};
  return (formula_t){.evaluator = &enclosed_evaluator,
                     .settings = &settings,
                     .contract = &fixture->contract,
                     .format = fixture->format,
                     .arena = &fixture->arena};
}

static void hold(fixture_t *fixture, uint64_t *inout_close) {
  double numbers[COUNT_MAX];
  formula_t formula = make_formula(fixture);
  size_t count = (size_t)rng_between(&fixture->rng, 2, COUNT_MAX);
  row_t row = draw_row(fixture, numbers, count);
  const enclosed_t *set = formula_online_sum(&formula, row).enclosed;
  double sum = sum_online(fixture, numbers, count);
  g_assert_true(set->has_finite && (set->specials & ENCLOSED_NAN) == 0);
  g_assert_cmpfloat(mpfr_get_d(set->low, MPFR_RNDD), <=, sum);
  g_assert_cmpfloat(mpfr_get_d(set->high, MPFR_RNDU), >=, sum);
  *inout_close += mpfr_get_d(set->high, MPFR_RNDU) < 4 * sum;
  arena_reset(&fixture->arena);
}

static void test_sets(gconstpointer data) {
  const format_t *format = data;
  fixture_t fixture = {.contract = contract_backend(), .format = format, .rng = rng_make(7)};
  arena_init(&fixture.arena);
  double most = floor(contract_elementary_ulps(&fixture.contract, ELEMENTARY_exp, format, 0));
  g_assert_cmpfloat(most, >=, 1);
  uint64_t close = 0;
  for (int i = 0; i < ROUNDS; i++) {
    fixture.ulps = (i % 3 - 1) * most;
    hold(&fixture, &close);
  }
  g_assert_cmpuint(close, >, ROUNDS / 2);
  arena_deinit(&fixture.arena);
}

/* What is nothing against the largest number adds nothing, however far away it is: products of such
 * distances are beyond binary64. */
static void test_far(void) {
  fixture_t fixture = {.contract = contract_backend(), .format = &format_table[FORMAT_f64]};
  arena_init(&fixture.arena);
  formula_t formula = make_formula(&fixture);
  const double numbers[] = {-1, 2, -0x1p1023, -0x1.fffffffffffffp1023};
  const double most[] = {2, 0x1.8p1023};
  for (size_t m = 0; m < G_N_ELEMENTS(most); m++) {
    for (int is_set = 0; is_set < 2; is_set++) {
      row_t row = {.count = 4, .enclosed = enclosed_new(&fixture.arena, 4)};
      for (size_t i = 0; i < 4; i++) enclosed_set_double(&row.enclosed[i], numbers[i]);
      enclosed_set_double(&row.enclosed[1], most[m]);
      if (is_set) mpfr_set_d(row.enclosed[0].high, -0.5, MPFR_RNDN);
      const enclosed_t *set = formula_online_sum(&formula, row).enclosed;
      g_assert_true(set->has_finite);
      g_assert_cmpfloat(mpfr_get_d(set->low, MPFR_RNDD), >=, 1 - 0x1p-40);
      g_assert_cmpfloat(mpfr_get_d(set->low, MPFR_RNDD), <=, 1 + exp(-3));
      g_assert_cmpfloat(mpfr_get_d(set->high, MPFR_RNDU), <=, 1 + exp(-2.5) + 0x1p-40);
    }
  }
  arena_deinit(&fixture.arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_data_func("/online-sets/bf16", &format_table[FORMAT_bf16], test_sets);
  g_test_add_data_func("/online-sets/f16", &format_table[FORMAT_f16], test_sets);
  g_test_add_data_func("/online-sets/f32", &format_table[FORMAT_f32], test_sets);
  g_test_add_func("/online-sets/far", test_far);
  return g_test_run();
}
