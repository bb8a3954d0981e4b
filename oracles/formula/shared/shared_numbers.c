/* SPDX-License-Identifier: Apache-2.0 */
/* Records the numbers that a row shares, and replays them: the enclosed evaluator with a hand on
 * every step whose result is one number. */
#include "oracles/formula/shared/shared_numbers.h"

#include <glib.h>

#include "oracles/formula/enclosed_set.h"

/* ---- One number ------------------------------------------------------------------------------ */

static bool is_special(const enclosed_t *set) {
  const uint8_t not_finite = ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY | ENCLOSED_NEGATIVE_INFINITY;
  return !set->has_finite || (set->specials & not_finite) != 0 || !mpfr_number_p(set->low) ||
         !mpfr_number_p(set->high);
}

static enclosed_t *copy_of(arena_t *arena, const enclosed_t *set) {
  enclosed_t *copy = enclosed_new(arena, 1);
  enclosed_copy(copy, set);
  return copy;
}

static row_t record(formula_t *formula, row_t row, bool is_given) {
  shared_numbers_t *shared = formula->shared;
  g_assert(shared->next < SHARED_NUMBERS_MAX);
  shared->has_special = shared->has_special || is_special(row.enclosed);
  shared->numbers[shared->next++] = (shared_number_t){
      .is_given = is_given,
      .recorded = copy_of(shared->arena, row.enclosed),
      .within = copy_of(shared->arena, row.enclosed),
      .found = copy_of(shared->arena, row.enclosed),
  };
  shared->count = shared->next;
  return row;
}

static void set_middle(const formula_t *formula, enclosed_t *inout) {
  if (mpfr_equal_p(inout->low, inout->high)) return;
  LOCAL_NUMBER(middle);
  mpfr_add(middle, inout->low, inout->high, MPFR_RNDN);
  mpfr_div_2ui(middle, middle, 1, MPFR_RNDN);
  if (formula->shared->mode == SHARED_NEAREST) {
    mpfr_t nearest;
    mpfr_init2(nearest, formula->format->precision);
    mpfr_set(nearest, middle, MPFR_RNDN);
    bool is_inside =
        mpfr_lessequal_p(inout->low, nearest) && mpfr_lessequal_p(nearest, inout->high);
    if (is_inside) mpfr_set(middle, nearest, MPFR_RNDN);
    mpfr_clear(nearest);
  }
  mpfr_set(inout->low, middle, MPFR_RNDN);
  mpfr_set(inout->high, middle, MPFR_RNDN);
}

/* A set that does not reach zero holds none. */
static void forget_zeros(enclosed_t *inout) {
  if (mpfr_sgn(inout->low) <= 0 && mpfr_sgn(inout->high) >= 0) return;
  inout->specials &= (uint8_t)~(ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO);
}

/* Keeps of `row` what the number is to lie in. */
static row_t restrict_number(formula_t *formula, row_t row) {
  shared_numbers_t *shared = formula->shared;
  bool is_point = shared->mode != SHARED_WITHIN || shared->next < shared->fixed;
  shared_number_t *number = &shared->numbers[shared->next++];
  enclosed_t *set = copy_of(formula->arena, row.enclosed);
  mpfr_max(set->low, set->low, number->within->low, MPFR_RNDD);
  mpfr_min(set->high, set->high, number->within->high, MPFR_RNDU);
  if (!set->has_finite || mpfr_greater_p(set->low, set->high)) {
    shared->is_empty = true;
    enclosed_copy(set, number->within);
  }
  if (is_point) set_middle(formula, set);
  forget_zeros(set);
  enclosed_copy(number->found, set);
  return (row_t){.count = 1, .enclosed = set};
}

/* Whether the next number is computed anew: else it is replayed. */
static bool is_recording(const formula_t *formula) {
  return formula->shared->mode == SHARED_RECORD;
}

static row_t replay(formula_t *formula) {
  shared_numbers_t *shared = formula->shared;
  g_assert(shared->next < shared->count && shared->numbers[shared->next].is_given);
  row_t recorded = {.count = 1, .enclosed = shared->numbers[shared->next].recorded};
  return restrict_number(formula, recorded);
}

/* The result of a step that sees no more than its operands: of one number, if they are shared. */
static row_t settle(formula_t *formula, row_t row) {
  if (row.count != 1) return row;
  if (is_recording(formula)) return record(formula, row, false);
  shared_numbers_t *shared = formula->shared;
  g_assert(shared->next < shared->count && !shared->numbers[shared->next].is_given);
  return restrict_number(formula, row);
}

/* The formula as the enclosed evaluator is to see it, which may call its own steps. */
static formula_t plain(const formula_t *formula) {
  formula_t copy = *formula;
  copy.evaluator = &enclosed_evaluator;
  copy.shared = NULL;
  return copy;
}

/* ---- Steps that see all of a row, or nothing ------------------------------------------------- */

static row_t constant(formula_t *formula, const char *decimal) {
  if (!is_recording(formula)) return replay(formula);
  formula_t base = plain(formula);
  return record(formula, enclosed_evaluator.constant(&base, decimal), true);
}

static row_t number(formula_t *formula, double value) {
  if (!is_recording(formula)) return replay(formula);
  formula_t base = plain(formula);
  return record(formula, enclosed_evaluator.number(&base, value), true);
}

static row_t row_maximum(formula_t *formula, row_t a) {
  if (!is_recording(formula)) return replay(formula);
  formula_t base = plain(formula);
  return record(formula, enclosed_evaluator.row_maximum(&base, a), true);
}

static row_t sum(formula_t *formula, row_t a) {
  if (!is_recording(formula)) return replay(formula);
  formula_t base = plain(formula);
  return record(formula, enclosed_evaluator.sum(&base, a), true);
}

static row_t sum_of_products(formula_t *formula, row_t a, row_t b) {
  if (!is_recording(formula)) return replay(formula);
  formula_t base = plain(formula);
  return record(formula, enclosed_evaluator.sum_of_products(&base, a, b), true);
}

static row_t squared_deviations(formula_t *formula, row_t a, row_t mean) {
  if (!is_recording(formula)) return replay(formula);
  formula_t base = plain(formula);
  return record(formula, enclosed_evaluator.squared_deviations(&base, a, mean), true);
}

static void running_moments(formula_t *formula, row_t a, row_t *out_mean, row_t *out_squares) {
  if (!is_recording(formula)) {
    *out_mean = replay(formula);
    *out_squares = replay(formula);
    return;
  }
  formula_t base = plain(formula);
  enclosed_evaluator.running_moments(&base, a, out_mean, out_squares);
  *out_mean = record(formula, *out_mean, true);
  *out_squares = record(formula, *out_squares, true);
}

static row_t online_sum(formula_t *formula, row_t a) {
  if (!is_recording(formula)) return replay(formula);
  formula_t base = plain(formula);
  return record(formula, enclosed_evaluator.online_sum(&base, a), true);
}

/* ---- Steps number by number ------------------------------------------------------------------ */

static row_t add(formula_t *formula, row_t a, row_t b) {
  formula_t base = plain(formula);
  return settle(formula, enclosed_evaluator.add(&base, a, b));
}

static row_t subtract(formula_t *formula, row_t a, row_t b) {
  formula_t base = plain(formula);
  return settle(formula, enclosed_evaluator.subtract(&base, a, b));
}

static row_t multiply(formula_t *formula, row_t a, row_t b) {
  formula_t base = plain(formula);
  return settle(formula, enclosed_evaluator.multiply(&base, a, b));
}

static row_t divide(formula_t *formula, row_t a, row_t b) {
  formula_t base = plain(formula);
  return settle(formula, enclosed_evaluator.divide(&base, a, b));
}

static row_t square_root(formula_t *formula, row_t a) {
  formula_t base = plain(formula);
  return settle(formula, enclosed_evaluator.square_root(&base, a));
}

static row_t multiply_add(formula_t *formula, row_t a, row_t b, row_t c) {
  formula_t base = plain(formula);
  return settle(formula, enclosed_evaluator.multiply_add(&base, a, b, c));
}

static row_t function(formula_t *formula, elementary_t which, row_t a) {
  formula_t base = plain(formula);
  return settle(formula, enclosed_evaluator.function(&base, which, a));
}

/* Nothing is rounded, so that the result is as well known as the operand. */
static row_t negate(formula_t *formula, row_t a) {
  formula_t base = plain(formula);
  return enclosed_evaluator.negate(&base, a);
}

static row_t negate_where(formula_t *formula, row_t a, row_t b) {
  formula_t base = plain(formula);
  return settle(formula, enclosed_evaluator.negate_where(&base, a, b));
}

static row_t maximum(formula_t *formula, row_t a, row_t b) {
  formula_t base = plain(formula);
  return settle(formula, enclosed_evaluator.maximum(&base, a, b));
}

static row_t nearby(formula_t *formula, row_t a, double distance) {
  formula_t base = plain(formula);
  return settle(formula, enclosed_evaluator.nearby(&base, a, distance));
}

static row_t either(formula_t *formula, row_t a, row_t b) {
  formula_t base = plain(formula);
  return settle(formula, enclosed_evaluator.either(&base, a, b));
}

static row_t shares(formula_t *formula, row_t a) {
  row_t whole = sum(formula, a);
  row_t inverse = divide(formula, number(formula, 1), whole);
  return either(formula, divide(formula, a, whole), multiply(formula, a, inverse));
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
};
