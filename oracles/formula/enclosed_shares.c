/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of a sum, sharper than step by step: a number and the sum that it is part of err
 * together. */
#include "oracles/exact/error_bound.h"
#include "oracles/formula/enclosed_set.h"

/* All terms a_i of a sum, and how it may err: it is (a_i + the others)(1 + t) with |t| <= error. */
typedef struct whole {
  mpfr_t low, high;
  double error;
} whole_t;

/* Whether a term may be left out of the sum: where it may be flushed it is (theory.md, T150). */
static bool may_vanish(const formula_t *formula, const enclosed_t *term) {
  if (enclosed_has_zero(term)) return true;
  bool may_flush = PERMITTED(formula->contract, ftz) != FTZ_NONE;
  return may_flush && mpfr_cmp_d(term->low, format_smallest_normal(formula->format)) < 0;
}

/* Whether sum and quotients can be bounded so (theory.md, T67): they stay in the range of the
 * format, normal. */
static bool find_whole(const formula_t *formula, row_t a, whole_t *whole) {
  const format_t *format = formula->format;
  const bound_shape_t shape = {.terms = a.count, .leaves = a.count};
  whole->error = error_bound_sum(format, formula->contract, shape).total_factor;
  mpfr_set_zero(whole->low, 1);
  mpfr_set_zero(whole->high, 1);
  const uint8_t not_finite = ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY | ENCLOSED_NEGATIVE_INFINITY;
  for (size_t i = 0; i < a.count; i++) {
    const enclosed_t *term = &a.enclosed[i];
    if (!term->has_finite || (term->specials & not_finite) != 0) return false;
    if (mpfr_sgn(term->low) < 0 || !mpfr_number_p(term->high)) return false;
    if (!may_vanish(formula, term)) {
      mpfr_add(whole->low, whole->low, term->low, MPFR_RNDD);
    }
    mpfr_add(whole->high, whole->high, term->high, MPFR_RNDU);
  }
  double least = format_smallest_normal(format) * 16;
  double largest = format_to_double(format, format->largest_bits) / 16;
  return whole->error < 0.25 && mpfr_cmp_d(whole->low, least) > 0 &&
         mpfr_cmp_d(whole->high, largest) < 0;
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

/* theory.md, T67, of a term that is not flushed (T150). */
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

/* Whether all terms are known not to be negative, nor NaN. */
static bool are_shares(row_t a) {
  for (size_t i = 0; i < a.count; i++) {
    if (enclosed_has_negative(&a.enclosed[i])) return false;
    if ((a.enclosed[i].specials & (ENCLOSED_NEGATIVE_INFINITY | ENCLOSED_NAN)) != 0) return false;
  }
  return true;
}

/* What a / s may be, a one of the terms of the computed sum s: theory.md, T101.  The sum of a
 * single term is that term. */
static void limit_quotient(const formula_t *formula, const enclosed_t *a, bool is_single,
                           enclosed_t *inout) {
  const uint8_t zeros = ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  inout->specials &= (uint8_t)~(ENCLOSED_POSITIVE_INFINITY | ENCLOSED_NEGATIVE_INFINITY);
  bool may_be_nan = (a->specials & (ENCLOSED_POSITIVE_INFINITY | zeros)) != 0;
  if (!may_be_nan) inout->specials &= (uint8_t)~ENCLOSED_NAN;
  double error = PERMITTED(formula->contract, accum_wider) == ACCUM_WIDER_NO
                     ? 0
                     : 4 * enclosed_unit_roundoff(formula);
  if (is_single) {
    inout->specials &= (uint8_t)~zeros;
    inout->has_finite = inout->has_finite && enclosed_has_positive(a);
    if (mpfr_cmp_d(inout->low, 1 - error) < 0) mpfr_set_d(inout->low, 1 - error, MPFR_RNDD);
  }
  if (mpfr_cmp_d(inout->high, 1 + error) > 0) mpfr_set_d(inout->high, 1 + error, MPFR_RNDU);
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
  mpfr_add_d(error, error, 8 * enclosed_unit_roundoff(formula), MPFR_RNDU);
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
  bool may_flush = PERMITTED(formula->contract, ftz) != FTZ_NONE;
  for (size_t i = 0; is_known && i < a.count; i++) { /* Neither is always the smaller one. */
    if (may_flush && may_vanish(formula, &a.enclosed[i])) continue;
    enclosed_t *share = enclosed_new(formula->arena, 1);
    set_share(formula, &whole, &a.enclosed[i], share);
    enclosed_intersect(&row.enclosed[i], share);
  }
  mpfr_clears(whole.low, whole.high, (mpfr_ptr)0);
  return row;
}
