/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of exponentials and shares of a sum, sharper than step by step: a number and the sum that it
 * is part of err together. */
#include <glib.h>
#include <math.h>

#include "oracles/exact/error_bound.h"
#include "oracles/formula/enclosed_set.h"

/* ---- Shares ---------------------------------------------------------------------------------- */

/* All terms a_i of a sum, and how it may err: it is (a_i + the others)(1 + t) with |t| <= error. */
typedef struct whole {
  mpfr_t low;
  mpfr_t high;
  double error;
} whole_t;

/* Whether sum and quotients can be bounded so (theory.md, T67): they stay in the range of the
 * format, normal. */
static bool find_whole(const formula_t *formula, row_t a, whole_t *whole) {
  const format_t *format = formula->format;
  const bound_shape_t shape = {.terms = a.count};
  whole->error = error_bound_sum(format, formula->contract, shape).total_factor;
  mpfr_set_zero(whole->low, 1);
  mpfr_set_zero(whole->high, 1);
  const uint8_t not_finite = ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY | ENCLOSED_NEGATIVE_INFINITY;
  for (size_t i = 0; i < a.count; i++) {
    const enclosed_t *term = &a.enclosed[i];
    if (!term->has_finite || (term->specials & not_finite) != 0) return false;
    if (mpfr_sgn(term->low) < 0 || !mpfr_number_p(term->high)) return false;
    if (!enclosed_has_zero(term)) {
      mpfr_add(whole->low, whole->low, term->low, MPFR_RNDD);
    }
    mpfr_add(whole->high, whole->high, term->high, MPFR_RNDU);
  }
  double least = format_smallest_normal(format) * 16;
  double largest = format_to_double(format, format->largest_bits) / 16;
  return PERMITTED(formula->contract, ftz) == FTZ_NONE && whole->error < 0.25 &&
         mpfr_cmp_d(whole->low, least) > 0 && mpfr_cmp_d(whole->high, largest) < 0;
}

/* a / ((a + others) (1 + error)): it grows with a, and falls with the others (theory.md, T67). */
static void share_of(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr others, double error,
                     mpfr_rnd_t rounding) {
  if (mpfr_zero_p(a)) {
    mpfr_set_zero(out, 1);
    return;
  }
  mpfr_rnd_t opposite = rounding == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD;
  LOCAL_NUMBER(scale);
  mpfr_set_d(scale, error, MPFR_RNDN);
  mpfr_add_ui(scale, scale, 1, MPFR_RNDN);
  mpfr_add(out, a, others, opposite);
  mpfr_mul(out, out, scale, opposite);
  mpfr_div(out, a, out, rounding);
}

/* A quotient is at most 1, and a product with the sum's inverse at most 1 + u / (1 + u), which
 * rounds to 1: theory.md, T67. */
static void cap_share(const formula_t *formula, enclosed_t *inout) {
  double u = enclosed_unit_roundoff(formula);
  LOCAL_NUMBER(cap);
  mpfr_set_d(cap, u, MPFR_RNDD);
  mpfr_add_ui(cap, cap, 1, MPFR_RNDU);
  mpfr_d_div(cap, u, cap, MPFR_RNDD);
  mpfr_add_ui(cap, cap, 1, MPFR_RNDD);
  mpfr_min(inout->high, inout->high, cap, MPFR_RNDD);
}

/* theory.md, T67. */
static void set_share(const formula_t *formula, const whole_t *whole, const enclosed_t *a,
                      enclosed_t *out) {
  LOCAL_NUMBER(others);
  out->has_finite = true;
  out->specials = a->specials & (ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO);
  mpfr_sub(others, whole->high, a->high, MPFR_RNDU);
  share_of(out->low, a->low, others, whole->error, MPFR_RNDD);
  mpfr_set(others, whole->low, MPFR_RNDD);
  if (!enclosed_has_zero(a)) mpfr_sub(others, others, a->low, MPFR_RNDD);
  if (mpfr_sgn(others) < 0) mpfr_set_zero(others, 1);
  share_of(out->high, a->high, others, -whole->error, MPFR_RNDU);
  /* One more rounding, of the inverse. */
  double u = enclosed_unit_roundoff(formula);
  mpfr_set_d(others, 1 - u, MPFR_RNDD);
  mpfr_mul(out->low, out->low, others, MPFR_RNDD);
  mpfr_set_d(others, 1 + u, MPFR_RNDU);
  mpfr_mul(out->high, out->high, others, MPFR_RNDU);
  enclosed_round(formula, out, false);
  cap_share(formula, out);
}

/* Whether all terms are known not to be negative. */
static bool are_shares(row_t a) {
  for (size_t i = 0; i < a.count; i++) {
    if (enclosed_has_negative(&a.enclosed[i])) return false;
    if ((a.enclosed[i].specials & ENCLOSED_NEGATIVE_INFINITY) != 0) return false;
  }
  return true;
}

/* What a / s may be, a one of the terms of the computed sum s: theory.md, T101.  The sum of a
 * single term is that term. */
static void limit_quotient(const formula_t *formula, const enclosed_t *a, bool is_single,
                           enclosed_t *inout) {
  const uint8_t undefined = ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY;
  const uint8_t zeros = ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  inout->specials &= (uint8_t)~(ENCLOSED_POSITIVE_INFINITY | ENCLOSED_NEGATIVE_INFINITY);
  if ((a->specials & (undefined | zeros)) == 0) inout->specials &= (uint8_t)~ENCLOSED_NAN;
  double error = PERMITTED(formula->contract, accum_wider) == ACCUM_WIDER_NO
                     ? 0
                     : 4 * enclosed_unit_roundoff(formula);
  if (is_single) {
    inout->specials &= (uint8_t)~zeros;
    inout->has_finite = enclosed_has_positive(a);
    mpfr_set_d(inout->low, 1 - error, MPFR_RNDD);
    mpfr_set_d(inout->high, 1 + error, MPFR_RNDU);
  } else if (inout->has_finite && mpfr_cmp_d(inout->high, 1 + error) > 0) {
    mpfr_set_d(inout->high, 1 + error, MPFR_RNDU);
  }
}

/* Whether 1 / x, rounded, overflows. */
static bool inverse_overflows(const formula_t *formula, mpfr_srcptr x) {
  if (mpfr_zero_p(x)) return true;
  LOCAL_NUMBER(inverse);
  mpfr_ui_div(inverse, 1, x, MPFR_RNDU);
  return mpfr_overflows(inverse, formula->format);
}

/* What a fl(1 / s) may be: the inverse is infinite if it overflows, and loses more than its last
 * bit below the normal numbers (theory.md, T101). */
static void limit_product(const formula_t *formula, const enclosed_t *sum, bool is_single,
                          enclosed_t *inout) {
  const uint8_t zeros = ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  bool may_overflow = enclosed_has_positive(sum) && inverse_overflows(formula, sum->low);
  if (!may_overflow) inout->specials &= (uint8_t)~ENCLOSED_POSITIVE_INFINITY;
  if (!inout->has_finite) return;
  LOCAL_NUMBER(error);
  LOCAL_NUMBER(end);
  mpfr_set_d(error, format_to_double(formula->format, formula->format->largest_bits), MPFR_RNDN);
  mpfr_mul_d(error, error, enclosed_underflow_loss(formula), MPFR_RNDU);
  mpfr_add_d(error, error, 4 * enclosed_unit_roundoff(formula), MPFR_RNDU);
  mpfr_add_ui(end, error, 1, MPFR_RNDU);
  mpfr_min(inout->high, inout->high, end, MPFR_RNDU);
  mpfr_ui_sub(end, 1, error, MPFR_RNDD);
  if (!is_single || mpfr_sgn(end) <= 0) return;
  inout->specials &= (uint8_t)~zeros;
  inout->has_finite = enclosed_has_positive(sum);
  mpfr_max(inout->low, inout->low, end, MPFR_RNDD);
}

static row_t plain_shares(formula_t *formula, row_t a) {
  row_t sum = formula_sum(formula, a);
  row_t inverse = formula_divide(formula, formula_number(formula, 1), sum);
  row_t quotients = formula_divide(formula, a, sum);
  row_t products = formula_multiply(formula, a, inverse);
  const enclosing_t *settings = enclosed_settings(formula);
  bool may_flush = PERMITTED(formula->contract, ftz) != FTZ_NONE;
  bool is_limited = !settings->is_exact && !settings->is_unbounded && !may_flush && are_shares(a);
  for (size_t i = 0; is_limited && i < a.count; i++) {
    limit_quotient(formula, &a.enclosed[i], a.count == 1, &quotients.enclosed[i]);
    limit_product(formula, sum.enclosed, a.count == 1, &products.enclosed[i]);
  }
  return formula_either(formula, quotients, products);
}

row_t enclosed_shares(formula_t *formula, row_t a) {
  whole_t whole;
  mpfr_inits2(ENCLOSED_PRECISION, whole.low, whole.high, (mpfr_ptr)0);
  bool is_known = !enclosed_settings(formula)->is_exact && find_whole(formula, a, &whole);
  row_t row = plain_shares(formula, a);
  for (size_t i = 0; is_known && i < a.count; i++) { /* Neither is always the smaller one. */
    enclosed_t *share = enclosed_new(formula->arena, 1);
    set_share(formula, &whole, &a.enclosed[i], share);
    enclosed_intersect(&row.enclosed[i], share);
  }
  mpfr_clears(whole.low, whole.high, (mpfr_ptr)0);
  return row;
}

/* ---- Online sums ----------------------------------------------------------------------------- */

/* What one term of an online sum may err by, as the exponent of a factor: it is exp(x - m_1), m_1
 * the largest number when it came, times exp(m_k - m_k+1) for each larger one after it (theory.md,
 * T68). */
static double online_exponent(const formula_t *formula, size_t count, double distance) {
  double n = (double)count;
  double u = enclosed_unit_roundoff(formula);
  double ulps = contract_elementary_ulps(formula->contract, ELEMENTARY_exp, formula->format, 0);
  double growth = contract_elementary_growth(formula->contract, ELEMENTARY_exp, formula->format);
  const bound_shape_t shape = {.terms = count};
  double sum = error_bound_sum(formula->format, formula->contract, shape).total_factor;
  double functions = 2 * u * (n * ulps + growth * distance);
  const double second_order = 1 + 0x1p-6;
  return (functions + n * u + u * distance + sum) * second_order;
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

/* The largest of numbers that are points or -infinity; false if there is none, or another. */
static bool find_largest(row_t a, mpfr_ptr out_largest) {
  bool has_one = false;
  for (size_t i = 0; i < a.count; i++) {
    const enclosed_t *x = &a.enclosed[i];
    if (!x->has_finite && x->specials == ENCLOSED_NEGATIVE_INFINITY) continue;
    if (!enclosed_is_point(x)) return false;
    if (!has_one || mpfr_greater_p(x->low, out_largest)) mpfr_set(out_largest, x->low, MPFR_RNDN);
    has_one = true;
  }
  return has_one;
}

static void set_online_sum(const formula_t *formula, row_t a, mpfr_srcptr largest,
                           enclosed_t *out) {
  mpfr_t difference;
  mpfr_init2(difference, ENCLOSED_PRECISION);
  out->has_finite = true;
  for (size_t i = 0; i < a.count; i++) {
    if (!a.enclosed[i].has_finite) continue;
    mpfr_sub(difference, a.enclosed[i].low, largest, MPFR_RNDN);
    double distance = -mpfr_get_d(difference, MPFR_RNDD);
    add_exponential(out, difference, online_exponent(formula, a.count, distance));
  }
  /* What underflows on the way, in each term at each correction: theory.md, T68. */
  double n = (double)a.count;
  double ulps =
      contract_elementary_ulps(formula->contract, ELEMENTARY_exp, formula->format, INFINITY);
  double lost = n * n * 8 * ulps * enclosed_underflow_loss(formula);
  mpfr_sub_d(out->low, out->low, lost, MPFR_RNDD);
  mpfr_add_d(out->high, out->high, lost, MPFR_RNDU);
  mpfr_clear(difference);
}

/* theory.md, T68, and its condition. */
row_t enclosed_online_sum(formula_t *formula, row_t a) {
  row_t row = {.count = 1, .enclosed = enclosed_new(formula->arena, 1)};
  mpfr_t largest;
  mpfr_init2(largest, ENCLOSED_PRECISION);
  bool is_known = find_largest(a, largest);
  double ulps =
      contract_elementary_ulps(formula->contract, ELEMENTARY_exp, formula->format, INFINITY);
  double u = enclosed_unit_roundoff(formula);
  if (!is_known || enclosed_settings(formula)->is_exact) {
    row_t shifted = formula_subtract(formula, a, formula_row_maximum(formula, a));
    row = formula_sum(formula, formula_function(formula, ELEMENTARY_exp, shifted));
  } else if ((double)a.count * ulps * u > 0x1p-8) {
    enclosed_set_anything(row.enclosed);
  } else {
    set_online_sum(formula, a, largest, row.enclosed);
    enclosed_round(formula, row.enclosed, true);
  }
  mpfr_clear(largest);
  return row;
}
