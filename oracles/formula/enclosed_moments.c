/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of squared deviations from a mean: step by step, and mostly sharper than that, since
 * deviations from the exact mean sum to zero, so that an error of the mean counts only squared. */
#include <glib.h>
#include <math.h>

#include "oracles/exact/error_bound.h"
#include "oracles/exact/magnitude.h"
#include "oracles/formula/enclosed_moments.h"

bool enclosed_are_finite_points(row_t a) {
  for (size_t i = 0; i < a.count; i++) {
    if (!enclosed_is_point(&a.enclosed[i])) return false;
  }
  return true;
}

/* theory.md, T8. */
static double range_of(double least, double greatest) {
  double range = greatest - least;
  return upper_of_rounded(range, magnitude_error_of_sum(greatest, -least, range)).value;
}

static void find_mean(moments_t *moments, row_t a) {
  mpfr_set_zero(moments->mean, 1);
  mpfr_t magnitude;
  mpfr_init2(magnitude, MOMENT_PRECISION);
  mpfr_set_zero(magnitude, 1);
  double least = INFINITY, greatest = -INFINITY;
  for (size_t i = 0; i < a.count; i++) {
    mpfr_srcptr x = a.enclosed[i].low;
    mpfr_add(moments->mean, moments->mean, x, MPFR_RNDN);
    mpfr_abs(moments->mean_error, x, MPFR_RNDU);
    mpfr_add(magnitude, magnitude, moments->mean_error, MPFR_RNDU);
    moments->largest = fmax(moments->largest, mpfr_get_d(moments->mean_error, MPFR_RNDU));
    least = fmin(least, mpfr_get_d(x, MPFR_RNDD));
    greatest = fmax(greatest, mpfr_get_d(a.enclosed[i].high, MPFR_RNDU));
    mpfr_abs(moments->mean_error, a.enclosed[i].high, MPFR_RNDU);
    moments->largest = fmax(moments->largest, mpfr_get_d(moments->mean_error, MPFR_RNDU));
    mpfr_sub(moments->mean_error, a.enclosed[i].high, x, MPFR_RNDU);
    moments->width = fmax(moments->width, mpfr_get_d(moments->mean_error, MPFR_RNDU));
  }
  moments->range = range_of(least, greatest);
  mpfr_div_ui(moments->mean, moments->mean, (unsigned long)a.count, MPFR_RNDN);
  /* Each of n roundings errs by at most 2^-MOMENT_PRECISION of what has been summed: theory.md,
   * T10. */
  mpfr_mul_2si(moments->mean_error, magnitude, 1 - MOMENT_PRECISION, MPFR_RNDU);
  mpfr_clear(magnitude);
}

/* The sum of squares from the mean that was found exceeds the one from the exact mean by n times
 * the square of their distance: theory.md, T63. */
static void find_squares(moments_t *moments, row_t a) {
  mpfr_t square;
  mpfr_init2(square, MOMENT_PRECISION);
  mpfr_set_zero(moments->squares_low, 1);
  mpfr_set_zero(moments->squares_high, 1);
  for (size_t i = 0; i < a.count; i++) {
    mpfr_sub(square, a.enclosed[i].low, moments->mean, MPFR_RNDZ);
    mpfr_sqr(square, square, MPFR_RNDD);
    mpfr_add(moments->squares_low, moments->squares_low, square, MPFR_RNDD);
    mpfr_sub(square, a.enclosed[i].low, moments->mean, MPFR_RNDA);
    mpfr_sqr(square, square, MPFR_RNDU);
    mpfr_add(moments->squares_high, moments->squares_high, square, MPFR_RNDU);
  }
  mpfr_sqr(square, moments->mean_error, MPFR_RNDU);
  mpfr_mul_ui(square, square, (unsigned long)a.count, MPFR_RNDU);
  mpfr_sub(moments->squares_low, moments->squares_low, square, MPFR_RNDD);
  if (mpfr_sgn(moments->squares_low) < 0) mpfr_set_zero(moments->squares_low, 1);
  mpfr_clear(square);
}

void moments_init(moments_t *moments, row_t a) {
  *moments = (moments_t){.largest = 0};
  mpfr_inits2(MOMENT_PRECISION, moments->mean, moments->mean_error, moments->squares_low,
              moments->squares_high, (mpfr_ptr)0);
  find_mean(moments, a);
  find_squares(moments, a);
}

void moments_deinit(moments_t *moments) {
  mpfr_clears(moments->mean, moments->mean_error, moments->squares_low, moments->squares_high,
              (mpfr_ptr)0);
}

/* ---- Numbers anywhere in their intervals ----------------------------------------------------- */

/* The sum of squared distances of a number from intervals, without roundings a convex function;
 * half its slope; and what the magnitudes of these distances add up to. */
typedef struct distances {
  double squares;
  double half_slope;
  double magnitude;
} distances_t;

static distances_t distances_from(double centre, const double *low, const double *high,
                                  size_t count) {
  distances_t sum = {0};
  for (size_t i = 0; i < count; i++) {
    double distance = fmax(low[i] - centre, 0) - fmax(centre - high[i], 0);
    sum.squares += distance * distance;
    sum.half_slope -= distance;
    sum.magnitude += fabs(distance);
  }
  return sum;
}

/* Where the function is least, nearly. */
static double find_centre(double least, double greatest, const double *low, const double *high,
                          size_t count) {
  enum { HALVINGS = 60 };
  for (int i = 0; i < HALVINGS; i++) {
    double middle = least + (greatest - least) / 2;
    bool is_left = distances_from(middle, low, high, count).half_slope > 0;
    *(is_left ? &greatest : &least) = middle;
  }
  return least;
}

double moments_least_squares(row_t a) {
  double *low = g_new(double, a.count), *high = g_new(double, a.count);
  double least = INFINITY, greatest = -INFINITY;
  for (size_t i = 0; i < a.count; i++) {
    low[i] = mpfr_get_d(a.enclosed[i].low, MPFR_RNDD);
    high[i] = mpfr_get_d(a.enclosed[i].high, MPFR_RNDU);
    least = fmin(least, low[i]);
    greatest = fmax(greatest, high[i]);
  }
  double centre = find_centre(least, greatest, low, high, a.count);
  const distances_t at = distances_from(centre, low, high, a.count);
  g_free(low);
  g_free(high);
  /* Each distance rounds once, its square and n additions: theory.md, T10. */
  double lost = ((double)a.count + 4) * 0x1p-52;
  upper_t slope =
      upper_add(upper_of(fabs(at.half_slope)), upper_scale(upper_of(at.magnitude), lost));
  upper_t change = upper_scale(upper_scale(slope, 2), range_of(least, greatest));
  upper_t error = upper_add(change, upper_scale(upper_of(at.squares), lost));
  upper_t underflow = upper_of((double)a.count * 0x1p-1022);
  double found = lower_subtract(lower_of(at.squares), upper_add(error, underflow)).value;
  return fmax(found, 0);
}

/* ---- Two passes ------------------------------------------------------------------------------ */

/* n * distance^2, the distance being that of the exact mean from one end of what was computed. */
static void add_squared_distance(mpfr_ptr inout, const moments_t *moments, mpfr_srcptr end,
                                 size_t count) {
  mpfr_t distance;
  mpfr_init2(distance, MOMENT_PRECISION);
  mpfr_sub(distance, end, moments->mean, MPFR_RNDA);
  mpfr_abs(distance, distance, MPFR_RNDU);
  mpfr_add(distance, distance, moments->mean_error, MPFR_RNDU);
  mpfr_sqr(distance, distance, MPFR_RNDU);
  mpfr_mul_ui(distance, distance, (unsigned long)count, MPFR_RNDU);
  mpfr_add(inout, inout, distance, MPFR_RNDU);
  mpfr_clear(distance);
}

/* Multiplies by (1 +- u)^2 of the subtractions and 1 +- factor of squares and sum, and adds what
 * underflows: theory.md, T63. */
static void widen_squares(const formula_t *formula, mpfr_ptr inout, size_t count, bool is_low) {
  const bound_shape_t shape = {.terms = count,
                               .leaves = count,
                               .products_round = true,
                               .products_underflow = true,
                               .is_product = true};
  error_bound_t bound = error_bound_sum(formula->format, formula->contract, shape);
  double factor = bound.last_truncates ? bound.total_factor : bound.factor;
  double offset = bound.last_truncates ? bound.total_offset : bound.offset;
  if (enclosed_settings(formula)->is_unbounded) offset = 0;
  double u = enclosed_unit_roundoff(formula);
  if (bound.last_truncates) u *= 2;
  mpfr_t scale;
  mpfr_init2(scale, MOMENT_PRECISION);
  mpfr_set_d(scale, is_low ? -u : u, MPFR_RNDN);
  mpfr_add_ui(scale, scale, 1, MPFR_RNDN);
  mpfr_sqr(scale, scale, MPFR_RNDN);
  mpfr_mul(inout, inout, scale, is_low ? MPFR_RNDD : MPFR_RNDU);
  mpfr_set_d(scale, is_low ? -factor : factor, MPFR_RNDN);
  mpfr_add_ui(scale, scale, 1, MPFR_RNDN);
  if (mpfr_sgn(scale) < 0) mpfr_set_zero(scale, 1);
  if (!mpfr_zero_p(inout)) mpfr_mul(inout, inout, scale, is_low ? MPFR_RNDD : MPFR_RNDU);
  mpfr_add_d(inout, inout, is_low ? -offset : offset, is_low ? MPFR_RNDD : MPFR_RNDU);
  if (mpfr_sgn(inout) < 0) mpfr_set_zero(inout, 1); /* No square is negative, nor a sum of them. */
  mpfr_clear(scale);
}

/* theory.md, T63. */
static row_t squares_about(formula_t *formula, row_t a, const enclosed_t *mean) {
  row_t row = {.count = 1, .enclosed = enclosed_new(formula->arena, 1)};
  enclosed_t *out = row.enclosed;
  moments_t moments;
  moments_init(&moments, a);
  mpfr_t farthest, other;
  mpfr_inits2(MOMENT_PRECISION, farthest, other, (mpfr_ptr)0);
  mpfr_set(farthest, moments.squares_high, MPFR_RNDU);
  mpfr_set(other, moments.squares_high, MPFR_RNDU);
  add_squared_distance(farthest, &moments, mean->low, a.count);
  add_squared_distance(other, &moments, mean->high, a.count);
  mpfr_max(farthest, farthest, other, MPFR_RNDU);
  widen_squares(formula, moments.squares_low, a.count, true);
  widen_squares(formula, farthest, a.count, false);
  mpfr_set(out->low, moments.squares_low, MPFR_RNDD);
  mpfr_set(out->high, farthest, MPFR_RNDU);
  out->has_finite = true;
  if (mpfr_zero_p(out->low)) out->specials |= ENCLOSED_POSITIVE_ZERO;
  mpfr_clears(farthest, other, (mpfr_ptr)0);
  moments_deinit(&moments);
  enclosed_round(formula, out, true);
  return row;
}

row_t enclosed_squared_deviations(formula_t *formula, row_t a, row_t mean) {
  enclosed_t *m = enclosed_new(formula->arena, 1);
  enclosed_copy(m, mean.enclosed);
  enclosed_join_zero(m);
  const uint8_t not_finite = ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY | ENCLOSED_NEGATIVE_INFINITY;
  bool is_interval = m->has_finite && (m->specials & not_finite) == 0 && mpfr_number_p(m->low) &&
                     mpfr_number_p(m->high) && !mpfr_equal_p(m->low, m->high);
  bool may_flush = PERMITTED(formula->contract, ftz) != FTZ_NONE;
  row_t deviations = formula_subtract(formula, a, mean);
  row_t squares = formula_sum_of_products(formula, deviations, deviations);
  if (is_interval && !may_flush && !enclosed_settings(formula)->is_exact &&
      enclosed_are_finite_points(a)) {
    enclosed_intersect(squares.enclosed, squares_about(formula, a, m).enclosed);
  }
  return squares;
}
