/* SPDX-License-Identifier: Apache-2.0 */
/* Running moments: a mean and a sum of squared deviations that are updated from one number to the
 * next, or merged from parts in any tree. */
#include <glib.h>
#include <math.h>
#include <stdlib.h>

#include "oracles/exact/error_bound.h"
#include "oracles/exact/magnitude.h"
#include "oracles/exact/wider_node.h"
#include "oracles/formula/enclosed_moments.h"

/* Of each operation here, since what is updated is an accumulator: its additions may truncate
 * (theory.md, T13). */
static double running_roundoff(const formula_t *formula) {
  double u = enclosed_unit_roundoff(formula);
  if (PERMITTED(formula->contract, accum_rounding) == ACCUM_ROUNDING_RN) return u;
  return upper_scale(upper_of(2 * u), 1 + u).value;
}

/* ---- Parts of a row -------------------------------------------------------------------------- */

/* How far the sums of parts may be from their shares of the whole, over all sizes from 2 to n: h(k)
 * is the most for parts of up to k numbers (theory.md, T75). */
typedef struct part_sums {
  upper_t deviations;      /* sum h(k) */
  upper_t root_of_squares; /* sqrt(sum h(k)^2) */
  upper_t squares;         /* sum of the most of h(j)^2 / j, j <= k */
} part_sums_t;

static int compare_descending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/* The numbers less their mean, the largest first, in units of a power of two that is at least the
 * largest magnitude. */
static double *sorted_deviations(const formula_t *formula, const moments_t *moments, row_t a,
                                 double *out_unit) {
  double *deviations = ARENA_NEW_ARRAY(formula->arena, double, a.count);
  double largest = 0;
  mpfr_t deviation;
  mpfr_init2(deviation, MOMENT_PRECISION);
  for (size_t i = 0; i < a.count; i++) {
    mpfr_sub(deviation, a.enclosed[i].low, moments->mean, MPFR_RNDN);
    deviations[i] = mpfr_get_d(deviation, MPFR_RNDN);
    largest = fmax(largest, fabs(deviations[i]));
  }
  mpfr_clear(deviation);
  int exponent = 0;
  (void)frexp(largest, &exponent);
  for (size_t i = 0; i < a.count; i++) deviations[i] = ldexp(deviations[i], -exponent);
  *out_unit = ldexp(1, exponent);
  qsort(deviations, a.count, sizeof *deviations, compare_descending);
  return deviations;
}

/* What sums of up to n such deviations lose by n additions of binary64, by the rounding of each,
 * and by that of the mean: theory.md, T10. */
static double lost_of_sums(const moments_t *moments, const double *deviations, size_t count,
                           double unit) {
  double magnitude = 0, n = (double)count;
  for (size_t i = 0; i < count; i++) magnitude += fabs(deviations[i]);
  double each = (mpfr_get_d(moments->mean_error, MPFR_RNDU) + 0x1p-1073) / unit;
  return (n + 4) * (magnitude * 0x1p-52 + each);
}

/* theory.md, T75.  The sums that are returned are of n terms, none of which is negative.  A number
 * may be up to `spread` above what `a` says it is (T214). */
static part_sums_t sum_over_sizes(const formula_t *formula, const moments_t *moments, row_t a,
                                  double spread) {
  size_t n = a.count;
  double unit;
  double *ends = sorted_deviations(formula, moments, a, &unit);
  double lost = lost_of_sums(moments, ends, n, unit);
  for (size_t i = 1; i < n; i++) ends[i] += ends[i - 1]; /* Of the i + 1 largest. */
  double most = 0, most_square = 0, sum = 0, squares = 0, shares = 0;
  for (size_t k = 2; k <= n; k++) {
    double others = k == n ? 0 : ends[n - k - 1]; /* The k smallest are what these leave. */
    double part = fmax(fmax(ends[k - 1], others), 0) + lost + (double)k * (spread / unit);
    most = fmax(most, part);
    most_square = fmax(most_square, part * part / (double)k);
    sum += most;
    squares += most * most;
    shares += most_square;
  }
  double rounded = 1 + ((double)n + 8) * 0x1p-52; /* theory.md, T10. */
  upper_t root = upper_sqrt(upper_scale(upper_of(squares), rounded));
  upper_t share = upper_scale(upper_scale(upper_of(shares), rounded), unit);
  return (part_sums_t){.deviations = upper_scale(upper_scale(upper_of(sum), rounded), unit),
                       .root_of_squares = upper_scale(root, unit),
                       .squares = upper_scale(share, unit)};
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* What T76 and T77 of theory.md speak of, by their names there. */
typedef struct running {
  bool are_stored; /* Numbers are anywhere in their sets, the same at each use: T214. */
  size_t n;
  double v;       /* Of one operation; */
  upper_t c;      /* of four. */
  upper_t L;      /* What one loses to underflow. */
  upper_t g;      /* How far a leaf may be from its number. */
  upper_t M;      /* The absolute mean. */
  upper_t S2;     /* The sum of squared deviations. */
  part_sums_t h;  /* By the sizes of parts. */
  upper_t D0, D1; /* Means are within D = D0 + D1 sqrt(T), beside g. */
  upper_t D;
  upper_t root_T; /* The root of the sum of d^2 w, as the merges have it. */
} running_t;

/* The two parts of D: theory.md, T76. */
static void bound_means(running_t *r) {
  double n = (double)r->n;
  lower_t left = lower_subtract(lower_of(1), upper_scale(upper_of(r->v), (n + 1) / 2));
  upper_t sums = upper_add(upper_scale(upper_add(r->M, r->g), (n + 1) / 2),
                           upper_divide(r->h.deviations, lower_of(n)));
  upper_t lost = upper_scale(r->L, 1.5 * (n + 1));
  r->D0 = upper_divide(upper_add(upper_scale(sums, r->v), lost), left);
  upper_t root = upper_sqrt(upper_divide(upper_of(n), lower_of(3)));
  r->D1 = upper_divide(upper_multiply(r->c, root), left);
}

/* v (M + g + D) + 3 L of theory.md, T77, D being the part of it that is given. */
static upper_t of_update(const running_t *r, upper_t distance) {
  upper_t mean = upper_add(upper_add(r->M, r->g), distance);
  return upper_add(upper_scale(mean, r->v), upper_scale(r->L, 3));
}

/* The largest t with t^2 <= p0 + p1 t + p2 t^2, p2 < 1: theory.md, T77. */
static upper_t solve(upper_t p0, upper_t p1, upper_t p2) {
  upper_t square = upper_add(upper_multiply(p1, p1), upper_scale(p0, 4));
  lower_t left = lower_subtract(lower_of(1), p2);
  return upper_divide(upper_add(p1, upper_sqrt(square)), lower_multiply(lower_of(2), left));
}

/* What all sums of deviations add up to at the most: 2 (b H_1 + v Q) of theory.md, T77. */
static upper_t of_deviations(const running_t *r, upper_t distance) {
  upper_t means = upper_multiply(of_update(r, distance), r->h.deviations);
  return upper_scale(upper_add(means, upper_scale(r->h.squares, r->v)), 2);
}

/* 2 c sqrt(H_2) of theory.md, T77. */
static upper_t of_merges(const running_t *r) {
  return upper_scale(upper_multiply(r->c, r->h.root_of_squares), 2);
}

/* The root of T: theory.md, T77. */
static upper_t bound_root(const running_t *r) {
  double n = (double)r->n;
  upper_t leaves = upper_add(upper_sqrt(r->S2), upper_multiply(upper_sqrt(upper_of(n)), r->g));
  upper_t of_means = upper_multiply(upper_add(r->g, r->D0), r->D0);
  upper_t p0 = upper_add(upper_multiply(leaves, leaves),
                         upper_add(of_deviations(r, r->D0), upper_scale(of_means, 2 * n)));
  upper_t slope = upper_scale(upper_multiply(r->D1, r->h.deviations), 2 * r->v);
  upper_t twice = upper_multiply(upper_add(r->g, upper_scale(r->D0, 2)), r->D1);
  upper_t p1 = upper_add(upper_add(slope, of_merges(r)), upper_scale(twice, 2 * n));
  upper_t p2 = upper_scale(upper_multiply(r->D1, r->D1), 2 * n);
  return solve(p0, p1, p2);
}

/* How far sums of squares without roundings of their own may be above S2, and below it. */
typedef struct excess {
  upper_t above;
  upper_t below;
} excess_t;

/* theory.md, T77. */
static excess_t bound_of_means(const running_t *r) {
  double n = (double)r->n;
  upper_t updates = upper_multiply(upper_sqrt(upper_of(2 * n)), of_update(r, r->D));
  upper_t merges = upper_multiply(upper_add(of_merges(r), updates), r->root_T);
  upper_t terms = upper_multiply(r->c, upper_multiply(r->root_T, r->root_T));
  upper_t first = upper_add(upper_add(of_deviations(r, r->D), merges), terms);
  upper_t distance = upper_add(r->g, r->D);
  upper_t of_leaves =
      upper_add(upper_scale(upper_sqrt(upper_scale(r->S2, n)), 2),
                upper_scale(upper_multiply(upper_sqrt(upper_of(2 * n)), r->root_T), 4));
  upper_t leaves = upper_multiply(upper_add(of_leaves, upper_scale(distance, 9 * n)), r->g);
  upper_t above = upper_scale(upper_multiply(distance, r->D), 2 * n);
  upper_t below = upper_scale(upper_multiply(distance, distance), 4 * n);
  upper_t both = upper_add(first, leaves);
  return (excess_t){.above = upper_add(both, above), .below = upper_add(both, below)};
}

/* How far computed sums of squares may be above S2, and below it: theory.md, T77. */
static excess_t bound_squares(const running_t *r) {
  double n = (double)r->n;
  excess_t of_means = bound_of_means(r);
  upper_t roundings = upper_expm1(upper_scale(upper_of(r->v), n + 6));
  upper_t depth = upper_larger(upper_of(1), upper_log2(upper_of(n)));
  upper_t losses = upper_multiply(upper_scale(upper_add(upper_of(3), depth), n), r->L);
  upper_t terms = upper_add(upper_add(r->S2, of_means.above), losses);
  upper_t rest = upper_add(losses, upper_multiply(terms, roundings));
  return (excess_t){.above = upper_add(of_means.above, rest),
                    .below = upper_add(of_means.below, rest)};
}

/* How far below 0 a computed sum of squares may be: theory.md, T66. */
static upper_t depth_below_zero(const running_t *r, double largest) {
  if (r->g.value == 0) return upper_of(0);
  upper_t mean = upper_add(upper_of(largest), upper_add(r->g, r->D));
  upper_t update = upper_add(upper_scale(mean, r->v), upper_scale(r->L, 3));
  upper_t apart = upper_add(r->g, update);
  upper_t term = upper_add(upper_scale(upper_multiply(apart, apart), 2), r->L);
  return upper_scale(term, (double)r->n);
}

/* Whether T76 or T77 of theory.md do not apply, since n v is no longer small. */
static bool is_unbounded(const formula_t *formula, size_t count) {
  double n = (double)count, v = running_roundoff(formula);
  return n * v > 0x1p-3 || v > 0x1p-7 || n * format_smallest_normal(formula->format) > 1;
}

/* (sqrt(S2) + sqrt(n) spread)^2, where S2 is that of lower ends: theory.md, T214. */
static upper_t largest_squares(const moments_t *moments, size_t count, double spread) {
  upper_t apart = upper_scale(upper_sqrt(upper_of((double)count)), spread);
  upper_t root = upper_add(upper_sqrt(upper_of_mpfr(moments->squares_high)), apart);
  return upper_multiply(root, root);
}

/* theory.md, T76 and T77; of numbers anywhere in their sets, the same at each use, T214. */
static running_t find_bounds(const formula_t *formula, const moments_t *moments, row_t a,
                             bool are_stored) {
  double v = running_roundoff(formula), spread = are_stored ? moments->width : 0;
  running_t r = {.are_stored = are_stored,
                 .n = a.count,
                 .v = v,
                 .c = upper_expm1(upper_scale(upper_of(v), 4)),
                 .L = upper_of(enclosed_underflow_loss(formula)),
                 .g = upper_of(are_stored ? 0 : moments->width),
                 .S2 = are_stored ? largest_squares(moments, a.count, spread)
                                  : upper_of_mpfr(moments->squares_high),
                 .h = sum_over_sizes(formula, moments, a, spread)};
  upper_t mean = upper_of(fabs(mpfr_get_d(moments->mean, MPFR_RNDA)));
  r.M = upper_add(upper_add(mean, upper_of(spread)), upper_of_mpfr(moments->mean_error));
  bound_means(&r);
  r.root_T = bound_root(&r);
  r.D = upper_add(r.D0, upper_multiply(r.D1, r.root_T));
  return r;
}

/* ---- Sets ------------------------------------------------------------------------------------ */

static void set_interval(enclosed_t *out, mpfr_srcptr low_centre, double below,
                         mpfr_srcptr high_centre, double above) {
  mpfr_sub_d(out->low, low_centre, below, MPFR_RNDD);
  mpfr_add_d(out->high, high_centre, above, MPFR_RNDU);
  out->has_finite = true;
  bool has_zero = mpfr_sgn(out->low) <= 0 && mpfr_sgn(out->high) >= 0;
  if (has_zero) out->specials |= ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
}

/* Of numbers anywhere in their sets, the same at each use: theory.md, T214. */
static void set_stored_bounds(const running_t *r, const moments_t *moments, row_t a,
                              enclosed_t *mean, enclosed_t *squares) {
  excess_t error = bound_squares(r);
  upper_t mean_error = upper_add(r->D, upper_of_mpfr(moments->mean_error));
  upper_t above = upper_add(mean_error, upper_of(moments->width));
  set_interval(mean, moments->mean, mean_error.value, moments->mean, above.value);
  mpfr_t least, most;
  mpfr_inits2(MOMENT_PRECISION, least, most, (mpfr_ptr)0);
  mpfr_set_d(least, moments_least_squares(a), MPFR_RNDD);
  mpfr_set_d(most, r->S2.value, MPFR_RNDU);
  set_interval(squares, least, error.below.value, most, error.above.value);
  if (mpfr_sgn(squares->low) <= 0) mpfr_set_zero(squares->low, 1);
  mpfr_clears(least, most, (mpfr_ptr)0);
}

/* theory.md, T66, T76 and T77; A6. */
static void set_bounds(const formula_t *formula, const running_t *r, const moments_t *moments,
                       row_t a, enclosed_t *mean, enclosed_t *squares) {
  double n = (double)r->n;
  excess_t error = bound_squares(r);
  double largest = format_to_double(formula->format, formula->format->largest_bits);
  bool is_tame = moments->range < largest / 4 && n * moments->largest < largest / 4 &&
                 n * (r->S2.value + error.above.value) < largest / 4;
  if (!is_tame) {
    enclosed_set_anything(mean);
    enclosed_set_anything(squares);
    return;
  }
  if (r->are_stored) {
    set_stored_bounds(r, moments, a, mean, squares);
    return;
  }
  upper_t mean_error = upper_add(upper_add(r->g, r->D), upper_of_mpfr(moments->mean_error));
  set_interval(mean, moments->mean, mean_error.value, moments->mean, mean_error.value);
  set_interval(squares, moments->squares_low, error.below.value, moments->squares_high,
               error.above.value);
  double least = -depth_below_zero(r, moments->largest).value;
  if (mpfr_cmp_d(squares->low, least) < 0) mpfr_set_d(squares->low, least, MPFR_RNDD);
  if (mpfr_zero_p(squares->low)) mpfr_set_zero(squares->low, 1);
}

/* The numbers, with intervals that reach their zeros. */
static row_t join_zeros(const formula_t *formula, row_t a) {
  row_t joined = {.count = a.count, .enclosed = enclosed_new(formula->arena, a.count)};
  for (size_t i = 0; i < a.count; i++) {
    enclosed_copy(&joined.enclosed[i], &a.enclosed[i]);
    enclosed_join_zero(&joined.enclosed[i]);
  }
  return joined;
}

/* Whether sets are of numbers that the working format has, each the same at all its uses. */
static bool are_numbers_of_format(const formula_t *formula) {
  const format_t *stored = enclosed_settings(formula)->stored, *format = formula->format;
  return stored != NULL && (stored == format || (format->bits > 16 && format->bits > stored->bits));
}

static void set_running(const formula_t *formula, row_t a, enclosed_t *mean, enclosed_t *squares) {
  if (is_unbounded(formula, a.count)) {
    enclosed_set_anything(mean);
    enclosed_set_anything(squares);
    return;
  }
  bool are_points = enclosed_are_finite_points(a);
  bool are_stored = !are_points && are_numbers_of_format(formula);
  if (!are_points) a = join_zeros(formula, a);
  moments_t moments;
  moments_init(&moments, a);
  const running_t bounds = find_bounds(formula, &moments, a, are_stored);
  set_bounds(formula, &bounds, &moments, a, mean, squares);
  moments_deinit(&moments);
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
  mpfr_srcptr number = a.enclosed[0].low;
  double normal = format_smallest_normal(formula->format);
  bool is_subnormal =
      !mpfr_zero_p(number) && mpfr_cmp_d(number, -normal) > 0 && mpfr_cmp_d(number, normal) < 0;
  if (is_subnormal && PERMITTED(formula->contract, ftz) != FTZ_NONE) return false;
  if (!format_holds(formula->format, number)) return false;
  for (size_t i = 0; i < a.count; i++) {
    const enclosed_t *x = &a.enclosed[i];
    if (!enclosed_is_point(x) || !mpfr_equal_p(x->low, a.enclosed[0].low)) return false;
  }
  return true;
}

/* Whether the sum of a part of these equal numbers may overflow: theory.md, T103. */
static bool may_overflow(const formula_t *formula, row_t equals) {
  if (equals.count < 3) return false; /* A part is one number at most. */
  double part = (double)equals.count - 1, number = mpfr_get_d(equals.enclosed[0].low, MPFR_RNDA);
  double growth = 1 + ldexp(part - 1, -formula->format->precision);
  double largest = format_to_double(formula->format, formula->format->largest_bits);
  return part * growth * fabs(number) * (1 + 0x1p-50) > largest;
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
  } else if (!enclosed_are_finite_points(a) && PERMITTED(formula->contract, ftz) != FTZ_NONE) {
    enclosed_set_anything(mean.enclosed);
    enclosed_set_anything(squares.enclosed);
  } else if (a.count == 1 || are_equal_points(formula, a)) {
    set_single(a.enclosed, mean.enclosed, squares.enclosed);
    if (may_overflow(formula, a)) {
      permit_merged_specials(mean.enclosed, squares.enclosed, a.count);
      mean.enclosed->specials |= mpfr_signbit(a.enclosed[0].low) != 0 ? ENCLOSED_NEGATIVE_INFINITY
                                                                      : ENCLOSED_POSITIVE_INFINITY;
    }
  } else {
    set_running(formula, a, mean.enclosed, squares.enclosed);
  }
  *out_mean = mean;
  *out_squares = squares;
}
