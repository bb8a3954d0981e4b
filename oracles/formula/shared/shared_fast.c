/* SPDX-License-Identifier: Apache-2.0 */
/* The fast evaluator with the numbers that a row shares at one point each, near their exact values:
 * what it finds of the elements may be reached with these numbers (theory.md, T113). */
#include <math.h>

#include "oracles/formula/fast_evaluator.h"
#include "oracles/formula/shared/shared_numbers.h"

static formula_t plain(const formula_t *formula) {
  formula_t copy = *formula;
  copy.evaluator = &fast_evaluator;
  copy.shared = NULL;
  return copy;
}

/* A number that is a point: a binary32 number of the interval, near `place`. */
static row_t set_point(formula_t *formula, const fast_numbers_t *from, double place) {
  fast_numbers_t *number = ARENA_NEW_ARRAY(formula->arena, fast_numbers_t, 1);
  double *values = ARENA_NEW_ARRAY(formula->arena, double, 2);
  double low = from->low[0], high = from->high[0];
  bool is_known = isfinite(low) && isfinite(high) && isfinite(place);
  values[0] = is_known ? fmin(fmax((double)(float)place, low), high) : (double)NAN;
  values[1] = from->point[0];
  *number = (fast_numbers_t){.count = 1, .low = values, .high = values, .point = values + 1};
  return (row_t){.count = 1, .fast = number};
}

/* What has one number is in the middle of what it may be, given those before it. */
static row_t settle(formula_t *formula, row_t row) {
  if (row.count != 1) return row;
  return set_point(formula, row.fast, row.fast->low[0] / 2 + row.fast->high[0] / 2);
}

/* A sum is as far from its exact value as is asked for. */
static row_t settle_sum(formula_t *formula, row_t row) {
  shared_numbers_t *shared = formula->shared;
  const fast_numbers_t *sum = row.fast;
  double place = sum->point[0];
  if (sum->low[0] < sum->high[0] && shared->sum_count < SHARED_OFFSETS_MAX) {
    place += shared->offsets[shared->sum_count++] * (sum->high[0] / 2 - sum->low[0] / 2);
  }
  return set_point(formula, sum, place);
}

static row_t constant(formula_t *formula, const char *decimal) {
  formula_t base = plain(formula);
  return fast_evaluator.constant(&base, decimal);
}

static row_t number(formula_t *formula, double value) {
  formula_t base = plain(formula);
  return fast_evaluator.number(&base, value);
}

static row_t add(formula_t *formula, row_t a, row_t b) {
  formula_t base = plain(formula);
  return settle(formula, fast_evaluator.add(&base, a, b));
}

static row_t subtract(formula_t *formula, row_t a, row_t b) {
  formula_t base = plain(formula);
  return settle(formula, fast_evaluator.subtract(&base, a, b));
}

static row_t multiply(formula_t *formula, row_t a, row_t b) {
  formula_t base = plain(formula);
  return settle(formula, fast_evaluator.multiply(&base, a, b));
}

static row_t divide(formula_t *formula, row_t a, row_t b) {
  formula_t base = plain(formula);
  return settle(formula, fast_evaluator.divide(&base, a, b));
}

static row_t square_root(formula_t *formula, row_t a) {
  formula_t base = plain(formula);
  return settle(formula, fast_evaluator.square_root(&base, a));
}

static row_t multiply_add(formula_t *formula, row_t a, row_t b, row_t c) {
  formula_t base = plain(formula);
  return settle(formula, fast_evaluator.multiply_add(&base, a, b, c));
}

static row_t function(formula_t *formula, elementary_t which, row_t a) {
  formula_t base = plain(formula);
  return settle(formula, fast_evaluator.function(&base, which, a));
}

static row_t negate(formula_t *formula, row_t a) {
  formula_t base = plain(formula);
  return fast_evaluator.negate(&base, a);
}

static row_t negate_where(formula_t *formula, row_t a, row_t b) {
  formula_t base = plain(formula);
  return settle(formula, fast_evaluator.negate_where(&base, a, b));
}

static row_t maximum(formula_t *formula, row_t a, row_t b) {
  formula_t base = plain(formula);
  return settle(formula, fast_evaluator.maximum(&base, a, b));
}

static row_t row_maximum(formula_t *formula, row_t a) {
  formula_t base = plain(formula);
  return settle(formula, fast_evaluator.row_maximum(&base, a));
}

static row_t sum(formula_t *formula, row_t a) {
  formula_t base = plain(formula);
  return settle_sum(formula, fast_evaluator.sum(&base, a));
}

static row_t sum_of_products(formula_t *formula, row_t a, row_t b) {
  formula_t base = plain(formula);
  return settle_sum(formula, fast_evaluator.sum_of_products(&base, a, b));
}

static row_t squared_deviations(formula_t *formula, row_t a, row_t mean) {
  formula_t base = plain(formula);
  return settle_sum(formula, fast_evaluator.squared_deviations(&base, a, mean));
}

static void running_moments(formula_t *formula, row_t a, row_t *out_mean, row_t *out_squares) {
  formula_t base = plain(formula);
  fast_evaluator.running_moments(&base, a, out_mean, out_squares);
}

static row_t online_sum(formula_t *formula, row_t a) {
  formula_t base = plain(formula);
  return fast_evaluator.online_sum(&base, a);
}

static row_t nearby(formula_t *formula, row_t a, double distance) {
  formula_t base = plain(formula);
  return settle(formula, fast_evaluator.nearby(&base, a, distance));
}

static row_t either(formula_t *formula, row_t a, row_t b) {
  formula_t base = plain(formula);
  return settle(formula, fast_evaluator.either(&base, a, b));
}

static row_t shares(formula_t *formula, row_t a) {
  row_t whole = sum(formula, a);
  row_t inverse = divide(formula, number(formula, 1), whole);
  return either(formula, divide(formula, a, whole), multiply(formula, a, inverse));
}

const evaluator_t shared_fast_evaluator = {
    .constant = constant,
    .number = number,
    .add = add,
    .subtract = subtract,
    .multiply = multiply,
    .divide = divide,
    .square_root = square_root,
    .multiply_add = multiply_add,
    .function = function,
    .negate = negate,
    .negate_where = negate_where,
    .maximum = maximum,
    .row_maximum = row_maximum,
    .sum = sum,
    .sum_of_products = sum_of_products,
    .squared_deviations = squared_deviations,
    .running_moments = running_moments,
    .shares = shares,
    .online_sum = online_sum,
    .nearby = nearby,
    .either = either,
};
