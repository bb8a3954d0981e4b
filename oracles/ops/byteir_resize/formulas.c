/* SPDX-License-Identifier: Apache-2.0 */
/* Linear interpolation in each known variant, dimension by dimension. Where weights are intervals,
 * each step is evaluated exactly and then widened by its rounding, which keeps the two uses of one
 * weight together; intersected with plain interval evaluation. */
#include "oracles/ops/byteir_resize/formulas.h"

#include <math.h>
#include <string.h>

#include "generated/byteir_resize_faults.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/magnitude.h"

/* Who carries out the steps.  Loosely: exactly, and each result is then multiplied by all that a
 * rounding may multiply it by.  For any fixed roundings a result is affine in each weight, so that
 * what the ends of the weights give encloses what all weights between them give, roundings
 * included; and 1 - t and t belong to one t.  The last step alone is rounded as usual. */
typedef struct steps {
  formula_t *formula;
  formula_t *last; /* Carries out the last step. */
  bool is_loose;
  row_t relative; /* [1 - u, 1 + u] */
  row_t absolute; /* [-s, s]: what underflow may cost */
} steps_t;

static row_t rounded(const steps_t *steps, row_t a) {
  if (!steps->is_loose) return a;
  row_t scaled = formula_multiply(steps->formula, a, steps->relative);
  return formula_add(steps->formula, scaled, steps->absolute);
}

static row_t round_last(const steps_t *steps, row_t a) {
  if (!steps->is_loose) return a;
  return formula_multiply(steps->last, a, formula_number(steps->last, 1));
}

/* ---- Weights --------------------------------------------------------------------------------- */

typedef struct weights {
  row_t lower[RESIZE_AXES_MAX];
  row_t upper[RESIZE_AXES_MAX];
} weights_t;

/* The error of a step in the working format, or in a wider one and then in that: theory.md, T12. */
static double step_roundoff(const formula_t *formula) {
  double u = format_unit_roundoff(formula->format);
  if (PERMITTED(formula->contract, accum_wider) == ACCUM_WIDER_NO) return u;
  double w = error_bound_wide_unit_roundoff(formula->format);
  return upper_add(upper_of(u + w), upper_of(u * w)).value;
}

/* Where sets are computed with, which do not know that two numbers belong together: keeps what lies
 * between two numbers (theory.md, T102). */
static void keep_within(const formula_t *formula, row_t inout, double least, double greatest) {
  if (formula->evaluator != &enclosed_evaluator) return;
  for (size_t i = 0; i < inout.count; i++) {
    enclosed_t *set = &inout.enclosed[i];
    set->specials &= least > 0 ? 0 : ENCLOSED_POSITIVE_ZERO;
    if (mpfr_cmp_d(set->low, least) < 0) mpfr_set_d(set->low, least, MPFR_RNDN);
    if (mpfr_cmp_d(set->high, greatest) > 0) mpfr_set_d(set->high, greatest, MPFR_RNDN);
  }
}

/* Divided by their sum, as computed: t is w1 / (w0 + w1), and 1 - t and t get two roundings. */
static void normalize(const steps_t *steps, row_t *lower, row_t *upper) {
  formula_t *formula = steps->formula;
  if (steps->is_loose) {
    *lower = rounded(steps, rounded(steps, *lower));
    *upper = rounded(steps, rounded(steps, *upper));
    return;
  }
  *upper = formula_subtract(formula, formula_number(formula, 1), *lower);
  row_t sum = formula_add(formula, *lower, *upper);
  double error = 4 * step_roundoff(formula);
  keep_within(formula, sum, 1 - error, 1 + error);
  *lower = formula_divide(formula, *lower, sum);
  *upper = formula_divide(formula, *upper, sum);
  keep_within(formula, *lower, 0, 1 + error);
  keep_within(formula, *upper, 0, 1 + error);
}

/* Weights come from coordinates, whose precision need not be that of the working format. */
static weights_t make_weights(const steps_t *steps, resize_formula_t which,
                              const resize_cell_t *cell) {
  formula_t *formula = steps->formula;
  row_t one = formula_number(formula, 1);
  weights_t weights;
  for (size_t i = 0; i < cell->axis_count; i++) {
    weights.upper[i] = formula_multiply(formula, cell->weights[i], one);
    weights.lower[i] = rounded(steps, formula_subtract(formula, one, weights.upper[i]));
    if (which == RESIZE_NORMALIZED) normalize(steps, &weights.lower[i], &weights.upper[i]);
  }
  return weights;
}

/* ---- Dimension by dimension ------------------------------------------------------------------ */

/* (1 - t) a + t b; either product may be added unrounded. */
static row_t weigh(const steps_t *steps, row_t a, row_t b, row_t lower, row_t upper) {
  formula_t *formula = steps->formula;
  row_t left = rounded(steps, formula_multiply(formula, a, lower));
  if (steps->is_loose) {
    return formula_add(formula, left, rounded(steps, formula_multiply(formula, b, upper)));
  }
  row_t right = formula_multiply(formula, b, upper);
  return formula_either(formula, formula_multiply_add(formula, b, upper, left),
                        formula_multiply_add(formula, a, lower, right));
}

/* a + t (b - a) */
static row_t move(const steps_t *steps, row_t a, row_t b, row_t upper) {
  formula_t *formula = steps->formula;
  row_t difference = rounded(steps, formula_subtract(formula, b, a));
  if (!steps->is_loose) return formula_multiply_add(formula, difference, upper, a);
  return formula_add(formula, a, rounded(steps, formula_multiply(formula, difference, upper)));
}

/* A planted fault of models of integers. */
static void spoil(const formula_t *formula, row_t inout) {
  const implementation_model_t *schedule = formula->schedule;
  if (schedule == NULL || schedule->fault != FAULT_resize_rounds_between) return;
  if (formula->program->operands[0].element->format != NULL) return;
  for (size_t i = 0; i < inout.count; i++) inout.values[i] = trunc(inout.values[i]);
}

static row_t interpolate_in_order(const steps_t *steps, resize_formula_t which,
                                  const resize_cell_t *cell, const weights_t *weights,
                                  bool is_from_last) {
  row_t rows[RESIZE_CORNERS_MAX];
  memcpy(rows, cell->corners, sizeof rows[0] << cell->axis_count);
  size_t done = 0; /* Bits of the axes that are interpolated. */
  for (size_t i = 0; i < cell->axis_count; i++) {
    size_t axis = is_from_last ? cell->axis_count - 1 - i : i, bit = (size_t)1 << axis;
    done |= bit;
    bool is_last = i + 1 == cell->axis_count;
    for (size_t c = 0; c < (size_t)1 << cell->axis_count; c++) {
      if ((c & done) != 0) continue;
      row_t upper = weights->upper[axis];
      rows[c] = which == RESIZE_DIFFERENCE
                    ? move(steps, rows[c], rows[c | bit], upper)
                    : weigh(steps, rows[c], rows[c | bit], weights->lower[axis], upper);
      rows[c] = is_last ? round_last(steps, rows[c]) : rounded(steps, rows[c]);
      if (!is_last) spoil(steps->formula, rows[c]);
    }
  }
  return rows[0];
}

/* ---- All at once ----------------------------------------------------------------------------- */

static row_t special_value_weight(const steps_t *steps, const resize_cell_t *cell,
                                  const weights_t *weights, size_t special_value,
                                  bool is_from_last) {
  row_t product = {0};
  for (size_t i = 0; i < cell->axis_count; i++) {
    size_t axis = is_from_last ? cell->axis_count - 1 - i : i;
    bool is_upper = (special_value >> axis & 1) != 0;
    row_t weight = is_upper ? weights->upper[axis] : weights->lower[axis];
    product = i == 0 ? weight : rounded(steps, formula_multiply(steps->formula, product, weight));
  }
  return product;
}

/* Single numbers as one row. */
static row_t join(const formula_t *formula, const row_t *rows, size_t count) {
  row_t joined = {.count = count};
  if (formula->evaluator == &enclosed_evaluator) {
    joined.enclosed = ARENA_NEW_ARRAY(formula->arena, enclosed_t, count);
    for (size_t i = 0; i < count; i++) joined.enclosed[i] = rows[i].enclosed[0];
  } else {
    joined.values = ARENA_NEW_ARRAY(formula->arena, double, count);
    for (size_t i = 0; i < count; i++) joined.values[i] = rows[i].values[0];
  }
  return joined;
}

/* Rows of many cells are summed corner by corner, one order of those that a sum has. */
static row_t sum_products(const steps_t *steps, const resize_cell_t *cell, const weights_t *weights,
                          bool is_from_last) {
  size_t count = (size_t)1 << cell->axis_count;
  row_t factors[RESIZE_CORNERS_MAX];
  for (size_t c = 0; c < count; c++) {
    factors[c] = special_value_weight(steps, cell, weights, c, is_from_last);
  }
  formula_t *formula = steps->last;
  if (cell->corners[0].count == 1) {
    return formula_sum_of_products(formula, join(formula, factors, count),
                                   join(formula, cell->corners, count));
  }
  row_t sum = formula_multiply(formula, factors[0], cell->corners[0]);
  for (size_t c = 1; c < count; c++) {
    sum = formula_multiply_add(formula, factors[c], cell->corners[c], sum);
  }
  return sum;
}

static row_t interpolate(const steps_t *steps, resize_formula_t which, const resize_cell_t *cell,
                         const weights_t *weights, bool is_from_last) {
  if (which == RESIZE_PRODUCTS) return sum_products(steps, cell, weights, is_from_last);
  return interpolate_in_order(steps, which, cell, weights, is_from_last);
}

row_t resize_interpolate(formula_t *formula, resize_formula_t which, const resize_cell_t *cell) {
  if (cell->axis_count == 0) return cell->corners[0];
  const steps_t steps = {.formula = formula, .last = formula};
  weights_t weights = make_weights(&steps, which, cell);
  row_t row = interpolate(&steps, which, cell, &weights, true);
  if (cell->axis_count == 1) return row;
  return formula_either(formula, row, interpolate(&steps, which, cell, &weights, false));
}

/* ---- Enclosures ------------------------------------------------------------------------------ */

static void set_errors(steps_t *steps) {
  const format_t *format = steps->last->format;
  const contract_t *contract = steps->last->contract;
  double u = step_roundoff(steps->last);
  double smallest = PERMITTED(contract, ftz) == FTZ_NONE ? format_smallest(format)
                                                         : format_smallest_normal(format);
  steps->relative = formula_number(steps->formula, 1);
  enclosed_t *relative = steps->relative.enclosed;
  mpfr_sub_d(relative->low, relative->low, u, MPFR_RNDD);
  mpfr_add_d(relative->high, relative->high, u, MPFR_RNDU);
  steps->absolute = formula_number(steps->formula, 0);
  enclosed_t *absolute = steps->absolute.enclosed;
  mpfr_set_d(absolute->low, -smallest, MPFR_RNDD);
  mpfr_set_d(absolute->high, smallest, MPFR_RNDU);
  absolute->specials |= ENCLOSED_NEGATIVE_ZERO;
}

static bool is_point(row_t row) { return mpfr_equal_p(row.enclosed->low, row.enclosed->high) != 0; }

/* The low or high end of a weight, for a cell of ends; an edge needs none, since its numbers are
 * all one.  Normalized weights stand for others that are near: theory.md, T74. */
static double weight_end(const formula_t *formula, resize_formula_t which, row_t weight,
                         bool is_edge, bool is_high) {
  if (is_edge) return 0;
  double moved = which == RESIZE_NORMALIZED ? 4 * format_unit_roundoff(formula->format) : 0;
  double low = mpfr_get_d(weight.enclosed->low, MPFR_RNDD) - moved;
  double high = mpfr_get_d(weight.enclosed->high, MPFR_RNDU) + moved;
  if (moved != 0) low = nextafter(low, -1);
  if (moved != 0) high = nextafter(high, 2);
  return is_high ? MIN(high, 1) : MAX(low, 0);
}

row_t resize_hull(formula_t *formula, row_t a, row_t b) {
  row_t hull = formula_either(formula, a, b);
  for (size_t i = 0; i < hull.count; i++) enclosed_join_zero(&hull.enclosed[i]);
  return hull;
}

/* The hull over all ends of the weights and both orders: theory.md, T74. */
static row_t enclose_loosely(formula_t *formula, resize_formula_t which,
                             const resize_cell_t *cell) {
  const steps_t plain = {.formula = formula, .last = formula};
  const weights_t weights = make_weights(&plain, RESIZE_SEPARABLE, cell);
  const enclosing_t settings = {.is_exact = true};
  formula_t exact = *formula;
  exact.settings = &settings;
  steps_t steps = {.formula = &exact, .last = formula, .is_loose = true};
  set_errors(&steps);
  row_t hull = {0};
  for (size_t ends = 0; ends < (size_t)1 << cell->axis_count; ends++) {
    resize_cell_t special_value = *cell;
    bool is_known = false; /* These ends are those of others. */
    for (size_t i = 0; i < cell->axis_count; i++) {
      bool is_high = (ends >> i & 1) != 0;
      bool is_one = is_point(weights.upper[i]) && which != RESIZE_NORMALIZED;
      is_known |= is_high && (cell->is_edge[i] || is_one);
      special_value.weights[i] = formula_number(
          &exact, weight_end(formula, which, weights.upper[i], cell->is_edge[i], is_high));
    }
    if (is_known) continue;
    weights_t at_ends = make_weights(&steps, which, &special_value);
    for (int order = 0; order < (cell->axis_count == 1 ? 1 : 2); order++) {
      row_t row = interpolate(&steps, which, &special_value, &at_ends, order == 0);
      hull = hull.count == 0 ? row : resize_hull(formula, hull, row);
    }
  }
  return hull;
}

/* Whether no step reaches beyond the largest number: theory.md, T102. */
static bool cannot_overflow(const formula_t *formula, resize_formula_t which,
                            const resize_cell_t *cell) {
  if (which == RESIZE_DIFFERENCE) return false;
  double u = step_roundoff(formula);
  size_t corners = (size_t)1 << cell->axis_count;
  upper_t steps = upper_of((double)(corners + 8 * cell->axis_count + 8));
  upper_t growth = upper_add(upper_of(1), upper_expm1(upper_scale(steps, u)));
  double largest = format_to_double(formula->format, formula->format->largest_bits);
  for (size_t c = 0; c < corners; c++) {
    const enclosed_t *corner = cell->corners[c].enclosed;
    double magnitude =
        fmax(fabs(mpfr_get_d(corner->low, MPFR_RNDA)), fabs(mpfr_get_d(corner->high, MPFR_RNDA)));
    if (!corner->has_finite || upper_multiply(upper_of(magnitude), growth).value > largest) {
      return false;
    }
  }
  return true;
}

/* Numbers and zeros that both sets hold; infinities are those of the first, whose steps overflow
 * where those of an implementation do. */
static void intersect(enclosed_t *inout, const enclosed_t *other) {
  const uint8_t zeros = ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  inout->specials &= other->specials | (uint8_t)~zeros;
  inout->has_finite = inout->has_finite && other->has_finite;
  if (!inout->has_finite) return;
  mpfr_max(inout->low, inout->low, other->low, MPFR_RNDD);
  mpfr_min(inout->high, inout->high, other->high, MPFR_RNDU);
}

row_t resize_enclose(formula_t *formula, resize_formula_t which, const resize_cell_t *cell) {
  row_t row = resize_interpolate(formula, which, cell);
  const steps_t steps = {.formula = formula, .last = formula};
  weights_t weights = make_weights(&steps, which, cell);
  bool are_points = true;
  for (size_t i = 0; i < cell->axis_count; i++) are_points &= is_point(weights.upper[i]);
  if (are_points) return row;
  intersect(row.enclosed, enclose_loosely(formula, which, cell).enclosed);
  const uint8_t zeros = ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  if (cannot_overflow(formula, which, cell)) row.enclosed->specials &= zeros;
  return row;
}
