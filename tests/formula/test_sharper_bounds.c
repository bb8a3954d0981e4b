/* SPDX-License-Identifier: Apache-2.0 */
/* Where the enclosed evaluator has a bound of its own for a step over whole rows, it must be worth
 * its proof: never wider than the same computed step by step, and narrower where numbers cancel. */
#include "tests/formula/random_formula.h"

enum { ROWS = 3000 };

typedef row_t sharp_t(formula_t *formula, row_t x);

typedef struct pair {
  const char *name;
  sharp_t *sharp;
  sharp_t *plain;
  double spread;   /* Numbers lie within so much of another one. */
  double narrower; /* The least median of what a row gains: width(plain) / width(sharp). */
} pair_t;

static row_t sharp_squares(formula_t *formula, row_t x) {
  return formula_squared_deviations(formula, x, formula_mean(formula, x));
}

static row_t plain_squares(formula_t *formula, row_t x) {
  row_t deviations = formula_subtract(formula, x, formula_mean(formula, x));
  return formula_sum_of_products(formula, deviations, deviations);
}

static row_t sharp_shares(formula_t *formula, row_t x) {
  return formula_shares(formula, formula_function(formula, ELEMENTARY_exp, x));
}

static row_t plain_shares(formula_t *formula, row_t x) {
  row_t terms = formula_function(formula, ELEMENTARY_exp, x);
  row_t sum = formula_sum(formula, terms);
  row_t inverse = formula_divide(formula, formula_number(formula, 1), sum);
  return formula_either(formula, formula_divide(formula, terms, sum),
                        formula_multiply(formula, terms, inverse));
}

static const pair_t pairs[] = {
    {"squared-deviations", sharp_squares, plain_squares, 0x1p-6, 10},
    {"shares", sharp_shares, plain_shares, 16, 1.1},
};

static double width_of(const enclosed_t *set) {
  if (!set->has_finite) return 0;
  return mpfr_get_d(set->high, MPFR_RNDU) - mpfr_get_d(set->low, MPFR_RNDD);
}

static int compare_ratios(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static row_t draw_row(rng_t *rng, formula_t *formula, double spread) {
  uint64_t bits[TERMS_MAX];
  size_t count = 2 + (size_t)rng_below(rng, TERMS_MAX - 1);
  double base = (double)rng_between(rng, -60, 60);
  for (size_t i = 0; i < count; i++) {
    double deviation = (double)rng_between(rng, -(1 << 20), 1 << 20) * 0x1p-20 * spread;
    bits[i] = format_from_double(formula->format, base + deviation);
  }
  return enclosed_load(formula, formula->format, bits, count);
}

/* Returns the largest width(plain) / width(sharp); checks that no end is beyond. */
static double compare_row(rng_t *rng, const pair_t *pair, const contract_t *contract) {
  arena_t arena;
  arena_init(&arena);
  const enclosing_t settings = {.is_exact = false};
  formula_t formula = {.evaluator = &enclosed_evaluator,
                       .settings = &settings,
                       .format = &format_table[FORMAT_f32],
                       .contract = contract,
                       .arena = &arena};
  row_t x = draw_row(rng, &formula, pair->spread);
  row_t sharp = pair->sharp(&formula, x), plain = pair->plain(&formula, x);
  double ratio = 0;
  for (size_t i = 0; i < sharp.count; i++) {
    double narrower = width_of(&plain.enclosed[i]) / width_of(&sharp.enclosed[i]);
    if (narrower > ratio) ratio = narrower;
    g_assert_true(mpfr_greaterequal_p(sharp.enclosed[i].low, plain.enclosed[i].low));
    g_assert_true(mpfr_lessequal_p(sharp.enclosed[i].high, plain.enclosed[i].high));
  }
  arena_deinit(&arena);
  return ratio;
}

static void test_pair(gconstpointer data) {
  const pair_t *pair = (const pair_t *)data;
  const contract_t contract = contract_backend();
  rng_t rng = rng_make(2);
  double ratios[ROWS];
  for (size_t i = 0; i < ROWS; i++) ratios[i] = compare_row(&rng, pair, &contract);
  qsort(ratios, ROWS, sizeof *ratios, compare_ratios);
  g_test_message("%s: %.3g times narrower in the median, %.3g to %.3g", pair->name,
                 ratios[ROWS / 2], ratios[0], ratios[ROWS - 1]);
  g_assert_cmpfloat(ratios[ROWS / 2], >=, pair->narrower);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
    g_autofree char *path = g_strdup_printf("/sharper-bounds/%s", pairs[i].name);
    g_test_add_data_func(path, &pairs[i], test_pair);
  }
  return g_test_run();
}
