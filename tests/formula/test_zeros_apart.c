/* SPDX-License-Identifier: Apache-2.0 */
/* Zeros that lie apart from the numbers of a set (oracles/theory.md, T100): steps keep both, with
 * nothing between them, and limits that hold of numbers alone are lifted where there may be NaN. */
#include <math.h>

#include "oracles/exact/value_range.h"
#include "oracles/formula/enclosed.h"

static const enclosing_t settings = {.is_exact = false};

typedef struct fixture {
  arena_t arena;
  contract_t contract;
  formula_t formula;
} fixture_t;

static void set_up(fixture_t *fixture, gconstpointer contract) {
  arena_init(&fixture->arena);
  g_assert_cmpint(contract_parse(str_from(contract), &fixture->contract, NULL), ==, STATUS_OK);
  fixture->formula = (formula_t){.evaluator = &enclosed_evaluator,
                                 .settings = &settings,
                                 .format = &format_table[FORMAT_f32],
                                 .contract = &fixture->contract,
                                 .arena = &fixture->arena};
}

static void tear_down(fixture_t *fixture, gconstpointer contract) {
  (void)contract;
  arena_deinit(&fixture->arena);
}

static row_t load(fixture_t *fixture, double first, double second, size_t count) {
  const format_t *format = fixture->formula.format;
  const uint64_t bits[] = {format_from_double(format, first), format_from_double(format, second)};
  return enclosed_load(&fixture->formula, format, bits, count);
}

static bool holds(const fixture_t *fixture, row_t row, double value) {
  const format_t *format = fixture->formula.format;
  value_range_t range;
  enclosed_finish(&fixture->formula, row.enclosed, format, &range);
  return value_range_holds(&range, format, format_from_double(format, value), true);
}

/* A subnormal number, or zero; then far apart; and at last zero, or infinite. */
static void test_overflow(fixture_t *fixture, gconstpointer contract) {
  (void)contract;
  formula_t *formula = &fixture->formula;
  row_t large = formula_number(formula, 0x1p126);
  row_t row = load(fixture, 0x1p-149, 0, 1);
  g_assert_true(holds(fixture, row, 0));
  for (int exponent = -23; exponent < 128; exponent += 126) {
    row = formula_multiply(formula, row, large);
    g_assert_true(holds(fixture, row, 0) && holds(fixture, row, ldexp(1, exponent)));
    g_assert_false(holds(fixture, row, ldexp(1, exponent - 1)));
  }
  row = formula_multiply(formula, row, large);
  g_assert_true(holds(fixture, row, 0) && holds(fixture, row, INFINITY));
  g_assert_false(holds(fixture, row, 1));
  row = formula_add(formula, row, formula_number(formula, 5));
  g_assert_true(holds(fixture, row, 5) && holds(fixture, row, INFINITY));
  g_assert_false(holds(fixture, row, 6));
}

/* The root of a negative number, or of -0: NaN, or a zero, to which a number is added. */
static void test_root(fixture_t *fixture, gconstpointer contract) {
  (void)contract;
  formula_t *formula = &fixture->formula;
  row_t row = formula_square_root(formula, load(fixture, -0x1p-149, 0, 1));
  g_assert_true(holds(fixture, row, -0.0) && holds(fixture, row, NAN));
  row = formula_add(formula, row, formula_number(formula, 5));
  g_assert_true(holds(fixture, row, 5) && holds(fixture, row, NAN));
  g_assert_false(holds(fixture, row, 0));
}

/* The larger of one of two, and a number between them. */
static void test_maximum(fixture_t *fixture, gconstpointer contract) {
  (void)contract;
  formula_t *formula = &fixture->formula;
  row_t row =
      formula_multiply(formula, load(fixture, 0x1p-149, 0, 1), formula_number(formula, 0x1p126));
  row = formula_maximum(formula, row, formula_number(formula, 0x1p-30));
  g_assert_true(holds(fixture, row, 0x1p-30) && holds(fixture, row, 0x1p-23));
  g_assert_false(holds(fixture, row, 0));
}

/* Shares of a sum that is NaN are NaN, whatever they would be else; others are at most 1. */
static void test_shares(fixture_t *fixture, gconstpointer contract) {
  (void)contract;
  row_t row = formula_shares(&fixture->formula, load(fixture, 1, NAN, 2));
  g_assert_true(holds(fixture, row, NAN));
  row = formula_shares(&fixture->formula, load(fixture, 0x1p-148, 0x1p-149, 2));
  g_assert_false(holds(fixture, row, NAN) || holds(fixture, row, 2));
  row = formula_shares(&fixture->formula, load(fixture, 0x1p100, 0, 1));
  g_assert_true(holds(fixture, row, 1));
  g_assert_false(holds(fixture, row, NAN) || holds(fixture, row, 0) || holds(fixture, row, 2));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add("/zeros-apart/overflow", fixture_t, "ftz=both,accum_wider=no", set_up, test_overflow,
             tear_down);
  g_test_add("/zeros-apart/root", fixture_t, "ftz=both,accum_wider=no", set_up, test_root,
             tear_down);
  g_test_add("/zeros-apart/maximum", fixture_t, "ftz=both,accum_wider=no", set_up, test_maximum,
             tear_down);
  g_test_add("/zeros-apart/shares", fixture_t, "backend", set_up, test_shares, tear_down);
  g_test_add("/zeros-apart/shares/spec", fixture_t, "spec", set_up, test_shares, tear_down);
  return g_test_run();
}
