/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of squared deviations from a mean: step by step, and mostly sharper than that, since
 * deviations from the exact mean sum to zero, so that an error of the mean counts only squared. */
#include <glib.h>
#include <math.h>

#include "oracles/exact/error_bound.h"
#include "oracles/exact/magnitude.h"
#include "oracles/formula/enclosed_set.h"

enum { MOMENT_PRECISION = 320 };

/* Exact moments of a row of points, from both sides; of intervals, those of their lower ends. */
typedef struct moments {
  mpfr_t mean; /* Within mean_error of the exact one. */
  mpfr_t mean_error;
  mpfr_t squares_low; /* The sum of squared deviations from the exact mean lies between them. */
  mpfr_t squares_high;
  double largest; /* Of |x|, rounded up. */
  double range;   /* max x - min x, rounded up: theory.md, T8. */
  double width;   /* Of the widest interval, rounded up: 0 for points. */
} moments_t;

static bool are_finite_points(row_t a) {
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

static void moments_init(moments_t *moments, row_t a) {
  *moments = (moments_t){.largest = 0};
  mpfr_inits2(MOMENT_PRECISION, moments->mean, moments->mean_error, moments->squares_low,
              moments->squares_high, (mpfr_ptr)0);
  find_mean(moments, a);
  find_squares(moments, a);
}

static void moments_deinit(moments_t *moments) {
  mpfr_clears(moments->mean, moments->mean_error, moments->squares_low, moments->squares_high,
              (mpfr_ptr)0);
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
  const bound_shape_t shape = {
      .terms = count, .products_round = true, .products_underflow = true, .is_product = true};
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
  if (is_interval && !may_flush && !enclosed_settings(formula)->is_exact && are_finite_points(a)) {
    enclosed_intersect(squares.enclosed, squares_about(formula, a, m).enclosed);
  }
  return squares;
}

/* ---- Running moments ------------------------------------------------------------------------- */

/* Of each operation here, since what is updated is an accumulator: its additions may truncate
 * (theory.md, T13). */
static double running_roundoff(const formula_t *formula) {
  double u = enclosed_unit_roundoff(formula);
  return PERMITTED(formula->contract, accum_rounding) == ACCUM_ROUNDING_RN ? u : 2 * u;
}

/* How far the computed mean of any part may be from its exact one: theory.md, T64 and A6.  The
 * factor is for what the roundings of erring means add. */
static upper_t mean_distance(const formula_t *formula, const moments_t *moments, size_t count) {
  const double second_order = 1 + 0x1p-10;
  upper_t u = upper_of(running_roundoff(formula));
  upper_t magnitude =
      upper_add(upper_of(moments->largest), upper_scale(upper_of(moments->range), 4));
  upper_t step = upper_add(upper_multiply(u, magnitude),
                           upper_scale(upper_of(enclosed_underflow_loss(formula)), 3));
  upper_t steps = upper_scale(step, ((double)count + 1) / 2);
  return upper_scale(upper_add(steps, upper_of(moments->width)), second_order);
}

/* The weights of all merges add up to no more: theory.md, T65. */
static upper_t sum_of_weights(size_t count) {
  upper_t depth = upper_larger(upper_of(1), upper_log2(upper_of((double)count)));
  return upper_scale(depth, (double)count);
}

/* What means that err by `distance` make of sums of squares: theory.md, T65. */
static upper_t squares_error(upper_t distance, upper_t squares, size_t count, bool are_points) {
  upper_t weights = upper_scale(sum_of_weights(count), are_points ? 1 : 2);
  upper_t cross = upper_multiply(distance, upper_sqrt(upper_multiply(weights, squares)));
  upper_t square = upper_multiply(upper_multiply(distance, distance), weights);
  return upper_scale(upper_add(cross, square), 4);
}

/* What a computed sum of squares may be off by: theory.md, T65. */
static upper_t running_error(const formula_t *formula, const moments_t *moments, size_t count,
                             upper_t distance) {
  const double second_order = 1 + 0x1p-10;
  double n = (double)count;
  upper_t squares = upper_of_mpfr(moments->squares_high);
  upper_t of_means = squares_error(distance, squares, count, moments->width == 0);
  upper_t roundings = upper_scale(upper_of((n + 8) * running_roundoff(formula)), second_order);
  upper_t losses = upper_scale(upper_add(upper_of(3 * n), sum_of_weights(count)),
                               enclosed_underflow_loss(formula));
  upper_t error =
      upper_add(upper_scale(of_means, second_order), upper_multiply(squares, roundings));
  return upper_add(error, losses);
}

/* How far below 0 a computed sum of squares may be: theory.md, T66. */
static upper_t depth_below_zero(const formula_t *formula, const moments_t *moments, size_t count,
                                upper_t distance) {
  if (moments->width == 0) return upper_of(0);
  upper_t lost = upper_of(enclosed_underflow_loss(formula));
  upper_t largest = upper_add(upper_of(moments->largest), distance);
  upper_t update = upper_add(upper_scale(largest, running_roundoff(formula)), upper_scale(lost, 3));
  upper_t apart = upper_add(upper_of(moments->width), update);
  upper_t term = upper_add(upper_scale(upper_multiply(apart, apart), 2), lost);
  return upper_scale(term, (double)count);
}

static void set_interval(enclosed_t *out, mpfr_srcptr low_centre, mpfr_srcptr high_centre,
                         double error) {
  mpfr_sub_d(out->low, low_centre, error, MPFR_RNDD);
  mpfr_add_d(out->high, high_centre, error, MPFR_RNDU);
  out->has_finite = true;
  bool has_zero = mpfr_sgn(out->low) <= 0 && mpfr_sgn(out->high) >= 0;
  if (has_zero) out->specials |= ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
}

static void set_running(const formula_t *formula, const moments_t *moments, size_t count,
                        enclosed_t *mean, enclosed_t *squares) {
  double n = (double)count;
  upper_t distance = mean_distance(formula, moments, count);
  double upper = mpfr_get_d(moments->squares_high, MPFR_RNDU);
  double error = running_error(formula, moments, count, distance).value;
  double largest = format_to_double(formula->format, formula->format->largest_bits);
  bool is_tame = moments->range < largest / 4 && n * moments->largest < largest / 4 &&
                 n * (upper + error) < largest / 4;
  if (n * running_roundoff(formula) >= 0x1p-14 || !is_tame) { /* theory.md, T64. */
    enclosed_set_anything(mean);
    enclosed_set_anything(squares);
    return;
  }
  upper_t mean_error = upper_add(distance, upper_of_mpfr(moments->mean_error));
  set_interval(mean, moments->mean, moments->mean, mean_error.value);
  set_interval(squares, moments->squares_low, moments->squares_high, error);
  double least = -depth_below_zero(formula, moments, count, distance).value;
  if (mpfr_cmp_d(squares->low, least) < 0) mpfr_set_d(squares->low, least, MPFR_RNDD);
  if (mpfr_zero_p(squares->low)) mpfr_set_zero(squares->low, 1);
}

static bool has_special(row_t a) {
  const uint8_t not_finite = ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY | ENCLOSED_NEGATIVE_INFINITY;
  uint8_t specials = 0;
  for (size_t i = 0; i < a.count; i++) specials |= a.enclosed[i].specials;
  return (specials & not_finite) != 0;
}

/* Where parts are merged, the distance of an infinite mean from a finite one is infinite, and that
 * from another infinite one NaN; so the squares are NaN or infinite, and the mean may become NaN
 * too.  A single number has no squares at all, whatever it is. */
static void permit_merged_specials(enclosed_t *mean, enclosed_t *squares, size_t count) {
  mean->specials |= ENCLOSED_NAN;
  squares->specials |= ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY;
  if (count == 1) enclosed_add_zero(squares, ENCLOSED_POSITIVE_ZERO);
}

/* No merge moves the number: it is the mean, added to +0 perhaps, and there are no squares. */
static void set_single(const enclosed_t *number, enclosed_t *mean, enclosed_t *squares) {
  enclosed_copy(mean, number);
  if (mpfr_zero_p(number->low)) mean->specials |= ENCLOSED_POSITIVE_ZERO;
  enclosed_set_double(squares, 0);
}

/* Of equal numbers all differences of means are zero: theory.md, T103. */
static bool are_equal_points(const formula_t *formula, row_t a) {
  if (PERMITTED(formula->contract, ftz) != FTZ_NONE) return false;
  for (size_t i = 0; i < a.count; i++) {
    const enclosed_t *x = &a.enclosed[i];
    if (!enclosed_is_point(x) || !mpfr_equal_p(x->low, a.enclosed[0].low)) return false;
  }
  return true;
}

void enclosed_running_moments(formula_t *formula, row_t a, row_t *out_mean, row_t *out_squares) {
  row_t mean = {.count = 1, .enclosed = enclosed_new(formula->arena, 1)};
  row_t squares = {.count = 1, .enclosed = enclosed_new(formula->arena, 1)};
  bool is_special = has_special(a);
  if (a.count == 0 || enclosed_settings(formula)->is_exact || is_special) {
    mean = formula_mean(formula, a);
    squares = formula_squared_deviations(formula, a, mean);
    bool is_exact = enclosed_settings(formula)->is_exact;
    if (is_special && !is_exact) permit_merged_specials(mean.enclosed, squares.enclosed, a.count);
  } else if (!are_finite_points(a) && PERMITTED(formula->contract, ftz) != FTZ_NONE) {
    enclosed_set_anything(mean.enclosed);
    enclosed_set_anything(squares.enclosed);
  } else if (a.count == 1 || are_equal_points(formula, a)) {
    set_single(a.enclosed, mean.enclosed, squares.enclosed);
  } else {
    moments_t moments;
    moments_init(&moments, a);
    set_running(formula, &moments, a.count, mean.enclosed, squares.enclosed);
    moments_deinit(&moments);
  }
  *out_mean = mean;
  *out_squares = squares;
}
