/* SPDX-License-Identifier: Apache-2.0 */
/* Online sums of exponentials, whose parts are corrected whenever the largest number grows. */
#include <math.h>
#include <stdlib.h>

#include "oracles/exact/error_bound.h"
#include "oracles/formula/enclosed_set.h"

/* What theory.md, T78 takes of the arithmetic. */
typedef struct online {
  double u;        /* Of one operation. */
  double ulps;     /* Of the exponential: at 0; */
  double growth;   /* and what distances add to that. */
  double greatest; /* At any distance. */
  double sum;      /* The factor of all additions. */
} online_t;

/* theory.md, T78. */
static online_t online_arithmetic(const formula_t *formula, size_t count) {
  const contract_t *contract = formula->contract;
  const format_t *format = formula->format;
  const bound_shape_t shape = {.terms = count, .leaves = count};
  return (online_t){
      .u = enclosed_unit_roundoff(formula),
      .ulps = contract_elementary_ulps(contract, ELEMENTARY_exp, format, 0),
      .growth = contract_elementary_growth(contract, ELEMENTARY_exp, format),
      .greatest = contract_elementary_ulps(contract, ELEMENTARY_exp, format, INFINITY),
      .sum = error_bound_sum(format, contract, shape).total_factor};
}

/* What one term of an online sum may err by, as the exponent of a factor: it is exp(x - m_1), m_1
 * the largest number when it came, times exp(m_k - m_k+1) for each larger one after it, which are
 * `larger` at the most (theory.md, T78). */
static double online_exponent(const online_t *online, size_t larger, double distance) {
  double steps = (double)larger, u = online->u;
  double functions = online->ulps * (steps + distance / M_LN2) + 2 * online->growth * distance;
  const double second_order = 1 + 0x1p-5;
  return (u * (functions + steps + distance) + online->sum) * second_order;
}

/* The bounds of a term fall as it is farther from the largest one (theory.md, T220): where it is
 * nothing it may as well be nearer, lest what it errs by is beyond binary64. */
static void limit_distance(mpfr_ptr inout_difference) {
  const int far = 1000; /* exp(-2^1000) is below all numbers of MPFR. */
  if (mpfr_cmp_si_2exp(inout_difference, -1, far) < 0)
    mpfr_set_si_2exp(inout_difference, -1, far, MPFR_RNDN);
}

static void add_exponential(enclosed_t *inout, mpfr_srcptr difference, double exponent) {
  mpfr_t term, shifted;
  mpfr_inits2(ENCLOSED_PRECISION, term, shifted, (mpfr_ptr)0);
  mpfr_sub_d(shifted, difference, exponent, MPFR_RNDD);
  mpfr_exp(term, shifted, MPFR_RNDD);
  mpfr_add(inout->low, inout->low, term, MPFR_RNDD);
  mpfr_add_d(shifted, difference, exponent, MPFR_RNDU);
  mpfr_exp(term, shifted, MPFR_RNDU);
  mpfr_add(inout->high, inout->high, term, MPFR_RNDU);
  mpfr_clears(term, shifted, (mpfr_ptr)0);
}

/* The larger one first. */
static int compare_points(const void *a, const void *b) {
  const enclosed_t *const *x = a, *const *y = b;
  return mpfr_cmp((*y)->low, (*x)->low);
}

/* The numbers of a row of points, the largest first, without -infinity. */
static const enclosed_t **sort_points(const formula_t *formula, row_t a, size_t *out_count) {
  const enclosed_t **points = ARENA_NEW_ARRAY(formula->arena, const enclosed_t *, a.count);
  size_t count = 0;
  for (size_t i = 0; i < a.count; i++) {
    if (a.enclosed[i].has_finite) points[count++] = &a.enclosed[i];
  }
  qsort(points, count, sizeof(const enclosed_t *), compare_points);
  *out_count = count;
  return points;
}

/* False if a term may err by too much: theory.md, T78. */
static bool set_online_sum(const formula_t *formula, row_t a, enclosed_t *out) {
  const online_t online = online_arithmetic(formula, a.count);
  if (2 * online.greatest * online.u > 0x1p-5 || online.sum > 0x1p-5) return false;
  size_t count, larger = 0;
  const enclosed_t **points = sort_points(formula, a, &count);
  mpfr_t difference;
  mpfr_init2(difference, ENCLOSED_PRECISION);
  out->has_finite = true;
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && mpfr_less_p(points[i]->low, points[i - 1]->low)) larger++;
    mpfr_sub(difference, points[i]->low, points[0]->low, MPFR_RNDN);
    limit_distance(difference);
    double exponent = online_exponent(&online, larger, -mpfr_get_d(difference, MPFR_RNDD));
    add_exponential(out, difference, exponent);
  }
  /* What underflows on the way, in each term at each correction. */
  double n = (double)a.count;
  double lost = n * n * 8 * online.greatest * enclosed_underflow_loss(formula);
  mpfr_sub_d(out->low, out->low, lost, MPFR_RNDD);
  mpfr_add_d(out->high, out->high, lost, MPFR_RNDU);
  mpfr_clear(difference);
  return online_exponent(&online, larger, 0) <= 0.5; /* Of the last term it is the largest. */
}

/* Whether all numbers are points or -infinity, and some are points. */
static bool are_points_or_nothing(row_t a) {
  bool has_one = false;
  for (size_t i = 0; i < a.count; i++) {
    const enclosed_t *x = &a.enclosed[i];
    if (!x->has_finite && x->specials == ENCLOSED_NEGATIVE_INFINITY) continue;
    if (!enclosed_is_point(x)) return false;
    has_one = true;
  }
  return has_one;
}

/* Numbers of a row of sets: finite ones, of which some may also be -infinity. */
typedef struct online_row {
  row_t a;
  mpfr_t least, most; /* Of what the largest number of the row may be. */
} online_row_t;

/* The finite numbers of a set, zeros that stand apart from the others included. */
static bool find_ends(const enclosed_t *x, mpfr_ptr out_low, mpfr_ptr out_high) {
  mpfr_set_inf(out_low, 1);
  mpfr_set_inf(out_high, -1);
  if (x->has_finite) {
    mpfr_set(out_low, x->low, MPFR_RNDD);
    mpfr_set(out_high, x->high, MPFR_RNDU);
  }
  if (enclosed_has_zero(x)) {
    if (mpfr_sgn(out_low) > 0) mpfr_set_zero(out_low, 1);
    if (mpfr_sgn(out_high) < 0) mpfr_set_zero(out_high, 1);
  }
  return x->has_finite || enclosed_has_zero(x);
}

/* False if a number may be NaN or infinity, or all may be -infinity. */
static bool find_maximum_of_sets(online_row_t *row) {
  LOCAL_NUMBER(low);
  LOCAL_NUMBER(high);
  mpfr_set_inf(row->least, -1);
  mpfr_set_inf(row->most, -1);
  for (size_t i = 0; i < row->a.count; i++) {
    const enclosed_t *x = &row->a.enclosed[i];
    if ((x->specials & (ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY)) != 0) return false;
    if (!find_ends(x, low, high)) continue;
    mpfr_max(row->most, row->most, high, MPFR_RNDU);
    bool may_be_less = (x->specials & ENCLOSED_NEGATIVE_INFINITY) != 0;
    if (!may_be_less) mpfr_max(row->least, row->least, low, MPFR_RNDD);
  }
  return mpfr_number_p(row->least) && mpfr_number_p(row->most);
}

/* Adds exp(x - m), as it may be for any numbers of the sets: theory.md, T220. */
static void add_exponential_of_set(const online_t *online, const online_row_t *row,
                                   const enclosed_t *x, enclosed_t *inout) {
  LOCAL_NUMBER(nearest);
  LOCAL_NUMBER(farthest);
  LOCAL_NUMBER(term);
  LOCAL_NUMBER(low);
  LOCAL_NUMBER(high);
  size_t larger = row->a.count - 1;
  if (!find_ends(x, low, high)) return;
  mpfr_sub(nearest, high, row->least, MPFR_RNDU);
  if (mpfr_sgn(nearest) > 0) mpfr_set_zero(nearest, 1);
  limit_distance(nearest);
  double distance = -mpfr_get_d(nearest, MPFR_RNDU);
  mpfr_add_d(term, nearest, online_exponent(online, larger, distance), MPFR_RNDU);
  mpfr_exp(term, term, MPFR_RNDU);
  mpfr_add(inout->high, inout->high, term, MPFR_RNDU);
  if ((x->specials & ENCLOSED_NEGATIVE_INFINITY) != 0 || !mpfr_number_p(low)) return;
  mpfr_sub(farthest, low, row->most, MPFR_RNDD);
  limit_distance(farthest);
  distance = -mpfr_get_d(farthest, MPFR_RNDD);
  mpfr_sub_d(term, farthest, online_exponent(online, larger, distance), MPFR_RNDD);
  mpfr_exp(term, term, MPFR_RNDD);
  mpfr_add(inout->low, inout->low, term, MPFR_RNDD);
}

/* False if a term may err by too much: theory.md, T220. */
static bool set_online_sum_of_sets(const formula_t *formula, row_t a, enclosed_t *out) {
  const online_t online = online_arithmetic(formula, a.count);
  if (2 * online.greatest * online.u > 0x1p-5 || online.sum > 0x1p-5) return false;
  online_row_t row = {.a = a};
  mpfr_inits2(ENCLOSED_PRECISION, row.least, row.most, (mpfr_ptr)0);
  bool is_known = find_maximum_of_sets(&row) && online_exponent(&online, a.count - 1, 0) <= 0.5;
  out->has_finite = true;
  for (size_t i = 0; i < a.count && is_known; i++) {
    add_exponential_of_set(&online, &row, &a.enclosed[i], out);
  }
  mpfr_clears(row.least, row.most, (mpfr_ptr)0);
  if (!is_known) return false;
  /* One of the terms is that of the largest number. */
  double own = exp(-online_exponent(&online, a.count - 1, 0)) * (1 - 0x1p-50);
  if (mpfr_cmp_d(out->low, own) < 0) mpfr_set_d(out->low, own, MPFR_RNDD);
  double n = (double)a.count;
  double lost = n * n * 8 * online.greatest * enclosed_underflow_loss(formula);
  mpfr_sub_d(out->low, out->low, lost, MPFR_RNDD);
  mpfr_add_d(out->high, out->high, lost, MPFR_RNDU);
  return true;
}

/* Whether NaN or infinity settles the sum: they are known where they stand, and one is +infinity or
 * NaN, or nothing is larger than -infinity. */
static bool are_settled(row_t a) {
  const uint8_t beyond = ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY | ENCLOSED_NEGATIVE_INFINITY;
  bool has_finite = false, has_other = false;
  for (size_t i = 0; i < a.count; i++) {
    const enclosed_t *x = &a.enclosed[i];
    bool is_finite = x->has_finite || enclosed_has_zero(x);
    if (is_finite && (x->specials & beyond) != 0) return false;
    has_finite |= is_finite;
    has_other |= (x->specials & (ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY)) != 0;
  }
  return has_other || !has_finite;
}

/* theory.md, T78, T220, and their conditions. */
row_t enclosed_online_sum(formula_t *formula, row_t a) {
  row_t row = {.count = 1, .enclosed = enclosed_new(formula->arena, 1)};
  if (enclosed_settings(formula)->is_exact || are_settled(a)) {
    row_t shifted = formula_subtract(formula, a, formula_row_maximum(formula, a));
    return formula_sum(formula, formula_function(formula, ELEMENTARY_exp, shifted));
  }
  bool is_known = are_points_or_nothing(a) ? set_online_sum(formula, a, row.enclosed)
                                           : set_online_sum_of_sets(formula, a, row.enclosed);
  if (!is_known) enclosed_set_anything(row.enclosed);
  if (is_known) enclosed_round(formula, row.enclosed, true);
  return row;
}
