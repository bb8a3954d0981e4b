/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of formulas, number by number. */
#include <glib.h>
#include <math.h>

#include "oracles/exact/arithmetic.h"
#include "oracles/formula/enclosed_set.h"

/* Number i of a row, whose one number stands for all. */
static const enclosed_t *at(row_t row, size_t i) { return &row.enclosed[row.count == 1 ? 0 : i]; }

static row_t new_row(formula_t *formula, size_t count) {
  return (row_t){.count = count, .enclosed = enclosed_new(formula->arena, count)};
}

static size_t common_count(row_t a, row_t b) { return a.count == 1 ? b.count : a.count; }

/* ---- Numbers --------------------------------------------------------------------------------- */

static row_t constant(formula_t *formula, const real_t *real) {
  row_t row = new_row(formula, 1);
  enclosed_t *number = row.enclosed;
  number->has_finite = true;
  mpfr_set_str(number->low, real->decimal, 10, MPFR_RNDD);
  mpfr_set_str(number->high, real->decimal, 10, MPFR_RNDU);
  enclosed_round(formula, number, false);
  return row;
}

static row_t number(formula_t *formula, double value) {
  row_t row = new_row(formula, 1);
  enclosed_set_double(row.enclosed, value);
  enclosed_round(formula, row.enclosed, false);
  return row;
}

row_t enclosed_load(formula_t *formula, const format_t *format, const uint64_t *bits,
                    size_t count) {
  row_t row = new_row(formula, count);
  for (size_t i = 0; i < count; i++) {
    enclosed_t *number = &row.enclosed[i];
    enclosed_set_double(number, format_to_double(format, bits[i]));
    bool may_flush = PERMITTED(formula->contract, ftz) == FTZ_INPUTS ||
                     PERMITTED(formula->contract, ftz) == FTZ_BOTH;
    if (!may_flush || !format_is_subnormal(format, bits[i])) continue;
    if (enclosed_settings(formula)->is_exact) continue;
    bool negative = format_is_negative(format, bits[i]);
    enclosed_add_zero(number, negative ? ENCLOSED_NEGATIVE_ZERO : ENCLOSED_POSITIVE_ZERO);
  }
  if (arithmetic_format_holds(formula->format, format)) return row;
  for (size_t i = 0; i < count; i++) enclosed_round(formula, &row.enclosed[i], false);
  return row;
}

/* ---- Arithmetic ------------------------------------------------------------------------------ */

typedef void set_binary_t(enclosed_t *out, const enclosed_t *a, const enclosed_t *b);

static row_t binary(formula_t *formula, set_binary_t *operation, row_t a, row_t b) {
  row_t row = new_row(formula, common_count(a, b));
  for (size_t i = 0; i < row.count; i++) {
    operation(&row.enclosed[i], at(a, i), at(b, i));
    enclosed_round(formula, &row.enclosed[i], false);
  }
  return row;
}

static row_t add(formula_t *formula, row_t a, row_t b) {
  return binary(formula, enclosed_set_add, a, b);
}

static row_t subtract(formula_t *formula, row_t a, row_t b) {
  return binary(formula, enclosed_set_subtract, a, b);
}

static row_t divide(formula_t *formula, row_t a, row_t b) {
  return binary(formula, enclosed_set_divide, a, b);
}

/* One number times itself is known by its place. */
static void multiply_sets(enclosed_t *out, const enclosed_t *a, const enclosed_t *b) {
  if (a == b) {
    enclosed_set_square(out, a);
  } else {
    enclosed_set_multiply(out, a, b);
  }
}

static row_t multiply(formula_t *formula, row_t a, row_t b) {
  return binary(formula, multiply_sets, a, b);
}

static row_t multiply_add(formula_t *formula, row_t a, row_t b, row_t c) {
  size_t count = common_count(a, b); /* None, of an empty row and one number. */
  if (count == 1) count = c.count;
  row_t row = new_row(formula, count);
  enclosed_t *product = enclosed_new(formula->arena, 1);
  enclosed_t *fused = enclosed_new(formula->arena, 1);
  for (size_t i = 0; i < count; i++) {
    multiply_sets(product, at(a, i), at(b, i));
    enclosed_set_add(fused, product, at(c, i));
    enclosed_round(formula, fused, false);
    enclosed_round(formula, product, false);
    enclosed_set_add(&row.enclosed[i], product, at(c, i));
    enclosed_round(formula, &row.enclosed[i], false);
    if (PERMITTED(formula->contract, fma) == FMA_YES) enclosed_unite(&row.enclosed[i], fused);
  }
  return row;
}

static row_t square_root(formula_t *formula, row_t a) {
  row_t row = new_row(formula, a.count);
  for (size_t i = 0; i < row.count; i++) {
    enclosed_set_square_root(&row.enclosed[i], at(a, i));
    enclosed_round(formula, &row.enclosed[i], false);
  }
  return row;
}

static row_t function(formula_t *formula, elementary_t which, row_t a) {
  row_t row = new_row(formula, a.count);
  for (size_t i = 0; i < row.count; i++) {
    enclosed_apply(formula, which, &row.enclosed[i], at(a, i));
  }
  return row;
}

/* ---- Without rounding ------------------------------------------------------------------------ */

static row_t negate(formula_t *formula, row_t a) {
  row_t row = new_row(formula, a.count);
  for (size_t i = 0; i < row.count; i++) enclosed_set_negate(&row.enclosed[i], at(a, i));
  return row;
}

/* What is NaN compares as not below 0. */
static row_t negate_where(formula_t *formula, row_t a, row_t b) {
  row_t row = new_row(formula, common_count(a, b));
  enclosed_t *negated = enclosed_new(formula->arena, 1);
  const uint8_t below = ENCLOSED_NEGATIVE_INFINITY;
  for (size_t i = 0; i < row.count; i++) {
    const enclosed_t *sign = at(b, i);
    enclosed_t *out = &row.enclosed[i];
    bool may_be_below = enclosed_has_negative(sign) || (sign->specials & below) != 0;
    bool may_be_other =
        (sign->specials & ~below) != 0 || (sign->has_finite && mpfr_sgn(sign->high) >= 0);
    enclosed_set_negate(negated, at(a, i));
    enclosed_copy(out, may_be_below ? negated : at(a, i));
    if (may_be_below && may_be_other) enclosed_unite(out, at(a, i));
  }
  return row;
}

static row_t maximum(formula_t *formula, row_t a, row_t b) {
  row_t row = new_row(formula, common_count(a, b));
  for (size_t i = 0; i < row.count; i++) {
    enclosed_set_maximum(&row.enclosed[i], at(a, i), at(b, i));
  }
  return row;
}

static row_t row_maximum(formula_t *formula, row_t a) {
  row_t row = new_row(formula, 1);
  enclosed_t *spare = enclosed_new(formula->arena, 1);
  enclosed_set_double(row.enclosed, -INFINITY);
  for (size_t i = 0; i < a.count; i++) {
    enclosed_set_maximum(spare, row.enclosed, &a.enclosed[i]);
    enclosed_copy(row.enclosed, spare);
  }
  return row;
}

/* The exact value is the same both ways: the first is taken. */
static row_t either(formula_t *formula, row_t a, row_t b) {
  if (enclosed_settings(formula)->is_exact) return a;
  row_t row = new_row(formula, common_count(a, b));
  for (size_t i = 0; i < row.count; i++) {
    const enclosed_t *first = at(a, i), *second = at(b, i);
    enclosed_t *out = &row.enclosed[i];
    enclosed_copy(out, first);
    enclosed_unite(out, second);
    bool differ = first->is_delivered != second->is_delivered;
    if (!differ && first->ways[0] == NULL && second->ways[0] == NULL) continue;
    out->ways[0] = first;
    out->ways[1] = second;
  }
  return row;
}

static row_t nearby(formula_t *formula, row_t a, double distance) {
  if (enclosed_settings(formula)->is_exact) return a;
  row_t row = new_row(formula, a.count);
  for (size_t i = 0; i < a.count; i++) {
    enclosed_t *number = &row.enclosed[i];
    enclosed_copy(number, &a.enclosed[i]);
    enclosed_join_zero(number);
    number->is_delivered = false;
    if (!number->has_finite) continue;
    mpfr_sub_d(number->low, number->low, distance, MPFR_RNDD);
    mpfr_add_d(number->high, number->high, distance, MPFR_RNDU);
    if (mpfr_sgn(number->low) > 0 || mpfr_sgn(number->high) < 0) continue;
    number->specials |= ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  }
  return row;
}

/* Sets are shared, since nobody writes to a row again. */
static row_t pick(formula_t *formula, row_t a, const size_t *places, size_t count) {
  row_t row = {.count = count, .enclosed = ARENA_NEW_ARRAY(formula->arena, enclosed_t, count)};
  for (size_t i = 0; i < count; i++) row.enclosed[i] = a.enclosed[places[i]];
  return row;
}

static row_t join(formula_t *formula, const row_t *rows, size_t row_count) {
  size_t count = formula_total(rows, row_count), next = 0;
  row_t row = {.count = count, .enclosed = ARENA_NEW_ARRAY(formula->arena, enclosed_t, count)};
  for (size_t r = 0; r < row_count; r++) {
    for (size_t i = 0; i < rows[r].count; i++) row.enclosed[next++] = rows[r].enclosed[i];
  }
  return row;
}

const evaluator_t enclosed_evaluator = {
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
    .sum = enclosed_sum,
    .sum_of_products = enclosed_sum_of_products,
    .squared_deviations = enclosed_squared_deviations,
    .running_moments = enclosed_running_moments,
    .shares = enclosed_shares,
    .online_sum = enclosed_online_sum,
    .nearby = nearby,
    .either = either,
    .pick = pick,
    .join = join,
};
