/* SPDX-License-Identifier: Apache-2.0 */
/* Forwards every step to the base, and gives what has one number to the hooks. */
#include "oracles/formula/shared/shared_evaluator.h"

/* The formula as the base is to see it, which may call its own steps. */
static formula_t plain(const formula_t *formula) {
  formula_t copy = *formula;
  copy.evaluator = formula->shared->base;
  copy.shared = NULL;
  return copy;
}

/* The result of a step that sees no more than its operands: of one number, if they are shared. */
static row_t settle(formula_t *formula, row_t row) {
  return row.count == 1 ? formula->shared->keep(formula, row, false) : row;
}

/* Steps number by number. */
#define STEP(name, ...)            \
  formula_t base = plain(formula); \
  return settle(formula, base.evaluator->name(&base, __VA_ARGS__))

static row_t add(formula_t *formula, row_t a, row_t b) { STEP(add, a, b); }
static row_t subtract(formula_t *formula, row_t a, row_t b) { STEP(subtract, a, b); }
static row_t multiply(formula_t *formula, row_t a, row_t b) { STEP(multiply, a, b); }
static row_t divide(formula_t *formula, row_t a, row_t b) { STEP(divide, a, b); }
static row_t square_root(formula_t *formula, row_t a) { STEP(square_root, a); }
static row_t multiply_add(formula_t *formula, row_t a, row_t b, row_t c) {
  STEP(multiply_add, a, b, c);
}
static row_t function(formula_t *formula, elementary_t which, row_t a) { STEP(function, which, a); }
static row_t negate_where(formula_t *formula, row_t a, row_t b) { STEP(negate_where, a, b); }
static row_t maximum(formula_t *formula, row_t a, row_t b) { STEP(maximum, a, b); }
static row_t nearby(formula_t *formula, row_t a, double distance) { STEP(nearby, a, distance); }
static row_t either(formula_t *formula, row_t a, row_t b) { STEP(either, a, b); }

/* Steps that see all of a row, or nothing. */
#define GIVEN(name, ...)                                                       \
  if (!formula->shared->is_recording) return formula->shared->replay(formula); \
  formula_t base = plain(formula);                                             \
  return formula->shared->keep(formula, base.evaluator->name(&base, __VA_ARGS__), true)

static row_t constant(formula_t *formula, const real_t *real) { GIVEN(constant, real); }
static row_t number(formula_t *formula, double value) { GIVEN(number, value); }
static row_t row_maximum(formula_t *formula, row_t a) { GIVEN(row_maximum, a); }
static row_t sum(formula_t *formula, row_t a) { GIVEN(sum, a); }
static row_t sum_of_products(formula_t *formula, row_t a, row_t b) { GIVEN(sum_of_products, a, b); }
static row_t squared_deviations(formula_t *formula, row_t a, row_t mean) {
  GIVEN(squared_deviations, a, mean);
}
static row_t online_sum(formula_t *formula, row_t a) { GIVEN(online_sum, a); }

/* Nothing is rounded, so that the result is as well known as the operand. */
static row_t negate(formula_t *formula, row_t a) {
  formula_t base = plain(formula);
  return base.evaluator->negate(&base, a);
}

static void running_moments(formula_t *formula, row_t a, row_t *out_mean, row_t *out_squares) {
  const shared_t *shared = formula->shared;
  if (!shared->is_recording) {
    *out_mean = shared->replay(formula);
    *out_squares = shared->replay(formula);
    return;
  }
  formula_t base = plain(formula);
  base.evaluator->running_moments(&base, a, out_mean, out_squares);
  *out_mean = shared->keep(formula, *out_mean, true);
  *out_squares = shared->keep(formula, *out_squares, true);
}

static row_t shares(formula_t *formula, row_t a) {
  row_t whole = sum(formula, a);
  row_t inverse = divide(formula, number(formula, 1), whole);
  return either(formula, divide(formula, a, whole), multiply(formula, a, inverse));
}

/* Nothing is computed: the numbers are as well known as before. */
static row_t pick(formula_t *formula, row_t a, const size_t *places, size_t count) {
  formula_t base = plain(formula);
  return base.evaluator->pick(&base, a, places, count);
}

static row_t join(formula_t *formula, const row_t *rows, size_t row_count) {
  formula_t base = plain(formula);
  return base.evaluator->join(&base, rows, row_count);
}

const evaluator_t shared_evaluator = {
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
    .pick = pick,
    .join = join,
};
