/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the terms of a sum that accumulates, without rounding, the total, positive and
 * negative parts, magnitude, extreme runs and special values: in integers of 128 bits
 * (quick/fixed_totals.h), or, where these do not hold them, in MPFR. Assertions check that every
 * MPFR addition was exact. */
#include "oracles/exact/sum/totals.h"

#include <glib.h>
#include <math.h>

#include "harness/num/binary64.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/sum/quick/fixed_totals.h"
#include "oracles/exact/value_range.h"

/* Whether a term of this exact value may be -0 in the accumulation format: rounding to nearest
 * sends magnitudes up to half the smallest number to zero. */
static bool may_be_minus_zero(const sum_problem_t *question, mpfr_srcptr term) {
  if (mpfr_signbit(term) == 0) return false;
  if (mpfr_zero_p(term)) return true;
  const format_t *format = question->format;
  int half_smallest = format->exponent_min - format->precision;
  return question->right != NULL && mpfr_cmp_si_2exp(term, -1, half_smallest) >= 0;
}

/* Notes a term that is not finite; returns false for a finite one. */
static bool note_special(sum_totals_t *totals, mpfr_srcptr term) {
  if (mpfr_nan_p(term)) {
    totals->has_nan = true;
  } else if (mpfr_inf_p(term)) {
    if (mpfr_sgn(term) > 0) totals->has_positive_infinity = true;
    if (mpfr_sgn(term) < 0) totals->has_negative_infinity = true;
  } else {
    return false;
  }
  totals->can_be_minus_zero = totals->must_be_minus_zero = false;
  return true;
}

/* Adds a finite term to all totals.  Every addition is exact at the precision chosen, which the
 * assertion proves for each. */
static void add_term(sum_totals_t *totals, mpfr_ptr run_high, mpfr_ptr run_low, mpfr_srcptr term,
                     bool flushable) {
  int inexact = mpfr_add(totals->sum, totals->sum, term, MPFR_RNDN);
  if (mpfr_sgn(term) > 0) totals->positive_count++;
  if (mpfr_sgn(term) < 0) totals->negative_count++;
  if (mpfr_sgn(term) > 0) {
    inexact |= mpfr_add(totals->positive, totals->positive, term, MPFR_RNDN);
    inexact |= mpfr_add(totals->magnitude, totals->magnitude, term, MPFR_RNDN);
  } else {
    inexact |= mpfr_add(totals->negative, totals->negative, term, MPFR_RNDN);
    inexact |= mpfr_sub(totals->magnitude, totals->magnitude, term, MPFR_RNDN);
  }
  inexact |= mpfr_add(run_high, run_high, term, MPFR_RNDN);
  inexact |= mpfr_add(run_low, run_low, term, MPFR_RNDN);
  if (mpfr_sgn(run_high) < 0) mpfr_set_zero(run_high, 1);
  if (mpfr_sgn(run_low) > 0) mpfr_set_zero(run_low, 1);
  mpfr_max(totals->highest, totals->highest, run_high, MPFR_RNDN);
  mpfr_min(totals->lowest, totals->lowest, run_low, MPFR_RNDN);
  if (flushable) {
    inexact |= (mpfr_sgn(term) > 0 ? mpfr_add : mpfr_sub)(totals->flushable, totals->flushable,
                                                          term, MPFR_RNDN);
  }
  g_assert(inexact == 0);
}

/* Whether all terms so far may be -0, and whether they must.  A zero of the low-order part may have
 * either sign, since nobody says which sign a component of zero has. */
static void note_sign(sum_totals_t *totals, const sum_problem_t *question, size_t index,
                      mpfr_srcptr term) {
  bool is_low = sum_is_split(question) && index < question->count - question->group;
  totals->can_be_minus_zero &= may_be_minus_zero(question, term) || (is_low && mpfr_zero_p(term));
  totals->must_be_minus_zero &= mpfr_zero_p(term) && mpfr_signbit(term);
}

mpfr_prec_t sum_precision(const sum_problem_t *question) {
  mpfr_prec_t precision = exact_sum_precision(question->format);
  if (!question->factors_exceed) return precision;
  precision = MAX(precision, exact_sum_precision(question->left_format));
  return MAX(precision, exact_sum_precision(question->right_format));
}

static void add_all(sum_totals_t *totals, const sum_problem_t *question, mpfr_prec_t precision) {
  mpfr_t run_high, run_low, term, factor;
  mpfr_inits2(precision, run_high, run_low, (mpfr_ptr)0);
  mpfr_init2(term, 106);
  mpfr_init2(factor, 53);
  mpfr_set_zero(run_high, 1);
  mpfr_set_zero(run_low, 1);
  for (size_t i = 0; i < question->count; i++) {
    mpfr_set_d(term, question->left[i], MPFR_RNDN);
    bool flushable =
        sum_may_flush_factor(question->left[i], question->left_format, question->left_storage);
    if (question->right != NULL) {
      mpfr_set_d(factor, question->right[i], MPFR_RNDN);
      mpfr_mul(term, term, factor, MPFR_RNDN);
      flushable |=
          sum_may_flush_factor(question->right[i], question->right_format, question->right_storage);
    }
    if (note_special(totals, term)) continue;
    note_sign(totals, question, i, term);
    add_term(totals, run_high, run_low, term, flushable);
  }
  mpfr_clears(run_high, run_low, term, factor, (mpfr_ptr)0);
}

/* All numbers are 0; returns their precision. */
static mpfr_prec_t init_numbers(sum_totals_t *totals, const sum_problem_t *question) {
  *totals = (sum_totals_t){.can_be_minus_zero = question->count != 0,
                           .must_be_minus_zero = question->count != 0,
                           .lowest_bit = sum_lowest_bit(question)};
  mpfr_ptr sums[] = {totals->sum,       totals->positive, totals->negative, totals->magnitude,
                     totals->flushable, totals->highest,  totals->lowest};
  mpfr_prec_t precision = sum_precision(question);
  for (size_t i = 0; i < G_N_ELEMENTS(sums); i++) {
    mpfr_init2(sums[i], precision);
    mpfr_set_zero(sums[i], 1);
  }
  return precision;
}

void sum_totals_init_plain(sum_totals_t *totals, const sum_problem_t *question) {
  mpfr_prec_t precision = init_numbers(totals, question);
  add_all(totals, question, precision);
}

/* ---- In integers ----------------------------------------------------------------------------- */

/* The number value * 2^exponent, which `out`, which is 0, holds exactly. */
static void fixed_total_store(mpfr_ptr out, int128_t value, int exponent) {
  if (value == 0) return; /* As `out` is. */
  uint128_t magnitude = int128_magnitude(value);
  uint64_t low = (uint64_t)magnitude, top = (uint64_t)(magnitude >> 64);
  int inexact = mpfr_set_ui_2exp(out, (unsigned long)low, (mpfr_exp_t)exponent, MPFR_RNDN);
  if (top != 0) {
    mpfr_t high;
    mpfr_init2(high, 64);
    mpfr_set_ui_2exp(high, (unsigned long)top, (mpfr_exp_t)exponent + 64, MPFR_RNDN);
    inexact |= mpfr_add(out, out, high, MPFR_RNDN);
    mpfr_clear(high);
  }
  if (value < 0) mpfr_neg(out, out, MPFR_RNDN);
  g_assert(inexact == 0);
}

/* In integers, where these hold the totals. */
static bool add_fixed(sum_totals_t *totals, const sum_problem_t *question) {
  fixed_totals_t fixed;
  int unit = totals->lowest_bit;
  if (!fixed_totals_make(question, unit, &fixed)) return false;
  totals->has_nan = fixed.has_nan;
  totals->has_positive_infinity = fixed.has_positive_infinity;
  totals->has_negative_infinity = fixed.has_negative_infinity;
  totals->can_be_minus_zero = fixed.can_be_minus_zero;
  totals->must_be_minus_zero = fixed.must_be_minus_zero;
  totals->positive_count = fixed.positive_count;
  totals->negative_count = fixed.negative_count;
  fixed_total_store(totals->sum, fixed.positive + fixed.negative, unit);
  fixed_total_store(totals->positive, fixed.positive, unit);
  fixed_total_store(totals->negative, fixed.negative, unit);
  fixed_total_store(totals->magnitude, fixed.positive - fixed.negative, unit);
  fixed_total_store(totals->flushable, fixed.flushable, unit);
  fixed_total_store(totals->highest, fixed.highest, unit);
  fixed_total_store(totals->lowest, fixed.lowest, unit);
  return true;
}

bool sum_totals_init_fixed(sum_totals_t *totals, const sum_problem_t *question) {
  (void)init_numbers(totals, question);
  if (add_fixed(totals, question)) return true;
  sum_totals_deinit(totals);
  return false;
}

void sum_totals_init(sum_totals_t *totals, const sum_problem_t *question) {
  if (!sum_totals_init_fixed(totals, question)) sum_totals_init_plain(totals, question);
}

void sum_totals_deinit(sum_totals_t *totals) {
  mpfr_clears(totals->sum, totals->positive, totals->negative, totals->magnitude, totals->flushable,
              totals->highest, totals->lowest, (mpfr_ptr)0);
}

bool sum_reference(const sum_problem_t *question, double *out_sum, double *out_tail,
                   double *out_magnitude) {
  sum_totals_t totals;
  sum_totals_init(&totals, question);
  bool is_finite =
      !totals.has_nan && !totals.has_positive_infinity && !totals.has_negative_infinity;
  *out_sum = mpfr_get_d(totals.sum, MPFR_RNDN);
  *out_magnitude = mpfr_get_d(totals.magnitude, MPFR_RNDU);
  if (isfinite(*out_sum)) mpfr_sub_d(totals.sum, totals.sum, *out_sum, MPFR_RNDN);
  *out_tail = mpfr_get_d(totals.sum, MPFR_RNDN);
  sum_totals_deinit(&totals);
  return is_finite;
}

bool product_rounds(const format_t *left, const format_t *right, const format_t *format) {
  return left->precision + right->precision > format->precision;
}

bool product_underflows(const format_t *left, const format_t *right, const format_t *format) {
  int left_lowest = left->exponent_min - left->precision + 1;
  int right_lowest = right->exponent_min - right->precision + 1;
  return left_lowest + right_lowest < format->exponent_min - format->precision + 1;
}
