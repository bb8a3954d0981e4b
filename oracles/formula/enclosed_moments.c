/* Sums of squared deviations from a mean: step by step, and mostly sharper than that, since
 * deviations from the exact mean sum to zero, so that an error of the mean counts only squared. */
#include <glib.h>
#include <math.h>

#include "oracles/exact/error_bound.h"
#include "oracles/formula/enclosed_set.h"

enum { MOMENT_PRECISION = 320 };

/* Exact moments of a row of points, from both sides; of intervals, those of their lower ends. */
typedef struct moments {
  mpfr_t mean; /* Within mean_error of the exact one. */
  mpfr_t mean_error;
  mpfr_t squares_low; /* The sum of squared deviations from the exact mean lies between them. */
  mpfr_t squares_high;
  double largest; /* Of |x|, rounded up. */
  double range;   /* max x - min x, rounded up. */
  double width;   /* Of the widest interval, rounded up: 0 for points. */
} moments_t;

static bool are_finite_points(row_t a) {
  for (size_t i = 0; i < a.count; i++) {
    if (!enclosed_is_point(&a.enclosed[i])) return false;
  }
  return true;
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
  moments->range = (greatest - least) * (1 + 0x1p-50);
  mpfr_div_ui(moments->mean, moments->mean, (unsigned long)a.count, MPFR_RNDN);
  /* Each of n roundings errs by at most 2^-MOMENT_PRECISION of what has been summed. */
  mpfr_mul_2si(moments->mean_error, magnitude, 1 - MOMENT_PRECISION, MPFR_RNDU);
  mpfr_clear(magnitude);
}

/* The sum of squares from the mean that was found exceeds the one from the exact mean by n times
 * the square of their distance. */
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
 * underflows. */
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

/* Let m be the computed mean and d its distance from the exact one.  The sum of (x - m)^2 is that
 * of squared deviations plus n d^2, since the deviations themselves sum to 0. */
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
  const enclosed_t *m = mean.enclosed;
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

/* Of each operation here, since what is updated is an accumulator: its additions may truncate. */
static double running_roundoff(const formula_t *formula) {
  double u = enclosed_unit_roundoff(formula);
  return PERMITTED(formula->contract, accum_rounding) == ACCUM_ROUNDING_RN ? u : 2 * u;
}

/* How far the computed mean of any part may be from its exact one.  Parts a and b of sizes k and l
 * are merged as m = a + (b - a) l / (k + l), in whatever way that is rounded: the difference, the
 * quotient and the product err by 4 u |b - a| at the most, the sum by u |m|, and each of three
 * operations may underflow.  So the error is the mean of those of the parts, weighted by size, plus
 * r = u A + 4 u R + 3 eta, with A the largest |x| and R the range of the x.  Unrolled over the tree
 * that is r times the mean depth of the leaves, at most (n + 1) / 2.  (The computed means exceed A
 * and R by as much; while n u < 2^-14, 1 + 2^-10 covers it.)  A number that may be anything within
 * an interval, another thing at each use, is a part of one element whose mean errs by its width. */
static double mean_distance(const formula_t *formula, const moments_t *moments, size_t count) {
  double u = running_roundoff(formula);
  double step =
      u * moments->largest + 4 * u * moments->range + 3 * enclosed_underflow_loss(formula);
  return (((double)count + 1) / 2 * step + moments->width) * (1 + 0x1p-10);
}

/* Merging adds d^2 k l / (k + l), d the distance of the means; without errors these add up to the
 * sum S of squared deviations (Chan, Golub and LeVeque, equation 2.1).  With means that err by D, d
 * errs by 2 D, and the sum by 4 D sum(w |d|) + 4 D^2 W, where the weights w = k l / (k + l) are at
 * most the size of the smaller part, so that W = sum w <= n max(1, log2 n): an element is in the
 * smaller part at most log2 n times.  By Cauchy and Schwarz sum(w |d|) <= sqrt(W S).  (Welford's
 * (x - m)(x - m'), m before and m' after x, errs by less: 2 D sum |x - m| + n D^2, the sum being at
 * most sqrt(2 n S); where x errs by up to D too, by twice that and 4 n D^2, which is less with 2
 * W.)  Each such term is rounded 8 times at the most, and then n - 1 times added.
 *
 * No computed sum is negative: d^2 is not, nor is (x - m)(x - m'), since m' = m + (x - m) / k with
 * k >= 2 has not gone beyond x: half of the rounded difference is less than the exact one, and
 * rounding is monotone.  Where x differs by up to w at each of its three uses, m' = m + (x'' - m) /
 * k too, the factors are d = x - m and, with the sign of d, at least |d| / 2 - w - w / 2.  So the
 * product is at least d^2 / 2 - (3/2) |d| w >= -(9/8) w^2, and -2 n w^2 is below the sum of n of
 * these, rounding included. */
static double squares_error(double distance, double squares, size_t count, bool are_points) {
  double weights = (double)count * fmax(1, log2((double)count) * (1 + 0x1p-40));
  if (!are_points) weights *= 2;
  return (4 * distance * sqrt(weights * squares) + 4 * distance * distance * weights) *
         (1 + 0x1p-40);
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
  double u = running_roundoff(formula);
  double distance = mean_distance(formula, moments, count);
  double upper = mpfr_get_d(moments->squares_high, MPFR_RNDU);
  double rounding = (n + 8) * u * (1 + 0x1p-10);
  double error = squares_error(distance, upper, count, moments->width == 0) * (1 + 0x1p-10) +
                 upper * rounding + 4 * n * enclosed_underflow_loss(formula);
  double largest = format_to_double(formula->format, formula->format->largest_bits);
  bool is_tame = moments->range < largest / 4 && n * moments->largest < largest / 4 &&
                 n * (upper + error) < largest / 4;
  if (n * u >= 0x1p-14 || !is_tame) {
    enclosed_set_anything(mean);
    enclosed_set_anything(squares);
    return;
  }
  set_interval(mean, moments->mean, moments->mean,
               distance + mpfr_get_d(moments->mean_error, MPFR_RNDU));
  set_interval(squares, moments->squares_low, moments->squares_high, error);
  double least = -2 * n * moments->width * moments->width;
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

/* Nothing is merged: the number is the mean, added to +0 perhaps, and there are no squares. */
static void set_single(const enclosed_t *number, enclosed_t *mean, enclosed_t *squares) {
  enclosed_copy(mean, number);
  if (mpfr_zero_p(number->low)) mean->specials |= ENCLOSED_POSITIVE_ZERO;
  enclosed_set_double(squares, 0);
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
  } else if (a.count == 1) {
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
