/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding of sets: what a step of the formula may make of the exact results of its operation, and
 * what may become of them in the result. */
#include <glib.h>
#include <math.h>

#include "oracles/exact/error_bound.h"
#include "oracles/exact/magnitude.h"
#include "oracles/exact/quick_mpfr.h"
#include "oracles/exact/wider_node.h"
#include "oracles/formula/enclosed_set.h"

static bool may_be_wider(const formula_t *formula) {
  return PERMITTED(formula->contract, accum_wider) == ACCUM_WIDER_YES;
}

/* (1 + u) (1 + w) - 1: theory.md, T12. */
double enclosed_unit_roundoff(const formula_t *formula) {
  double u = format_unit_roundoff(formula->format);
  if (!may_be_wider(formula)) return u;
  double w = error_bound_wide_unit_roundoff(formula->format);
  return upper_add(upper_of(u + w), upper_of(u * w)).value;
}

/* theory.md, T2 and T16. */
double enclosed_underflow_loss(const formula_t *formula) {
  if (enclosed_settings(formula)->is_unbounded) return 0;
  return PERMITTED(formula->contract, ftz) == FTZ_NONE ? format_smallest(formula->format)
                                                       : format_smallest_normal(formula->format);
}

/* `x` rounded to the format of the step, whose exponents may have no bounds; and on which side of x
 * that lies: above 0 if it is greater. */
static int round_to(mpfr_ptr out, const formula_t *formula, mpfr_srcptr x) {
  const format_t *format = formula->format;
  double value;
  int side;
  if (enclosed_settings(formula)->is_unbounded) {
    mpfr_t rounded;
    mpfr_init2(rounded, format->precision);
    mpfr_set(rounded, x, MPFR_RNDN);
    mpfr_set(out, rounded, MPFR_RNDN);
    mpfr_clear(rounded);
  } else if (quick_round(format, x, &value, &side)) {
    quick_set_double(out, value);
    return side;
  } else {
    uint64_t bits = format_from_mpfr(format, x, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
    quick_set_double(out, format_to_double(format, bits));
  }
  return mpfr_cmp(out, x);
}

/* Whether a wider node rounds nothing below `x` from there on: it holds x (theory.md, D6). */
static bool wider_holds(const formula_t *formula, mpfr_srcptr x) {
  if (!enclosed_settings(formula)->is_unbounded) return wider_node_holds(formula->format, x);
  int precision = formula->format->precision + error_bound_wider_bits(formula->format);
  return mpfr_zero_p(x) || mpfr_min_prec(x) <= precision;
}

/* Below the smallest normal number a wider node errs as it does there: theory.md, T18. */
static void raise_to_normal(const formula_t *formula, mpfr_ptr inout) {
  if (enclosed_settings(formula)->is_unbounded) return;
  double normal = format_smallest_normal(formula->format);
  if (quick_compare(inout, normal) < 0) quick_set_double(inout, normal);
}

/* Times the unit roundoff of wider nodes, which is a power of two (theory.md, D6). */
static void scale_to_wide_roundoff(const formula_t *formula, mpfr_ptr inout) {
  const format_t *format = formula->format;
  mpfr_div_2ui(inout, inout, (unsigned long)(format->precision + error_bound_wider_bits(format)),
               MPFR_RNDU);
}

/* The least number other than zero that a step may make of numbers from `x` > 0 on, though x itself
 * rounds to zero: the smallest one; or x, or what a wider node makes of it, which is perhaps
 * nothing but zero (theory.md, T100). */
static void round_above_zero(const formula_t *formula, mpfr_ptr x, bool may_stay) {
  if (!may_be_wider(formula)) {
    if (!may_stay) mpfr_set_d(x, format_smallest(formula->format), MPFR_RNDN);
  } else if (!wider_holds(formula, x)) {
    LOCAL_NUMBER(error);
    raise_to_normal(formula, error);
    scale_to_wide_roundoff(formula, error);
    mpfr_sub(x, x, error, MPFR_RNDD);
    if (mpfr_sgn(x) < 0) mpfr_set_zero(x, 1);
  }
}

/* The least that a step may make of numbers from `x` on; -infinity stands for no bound, +infinity
 * for nothing finite.  It is what x rounds to if that is below x, since every rounding to the
 * working format or a wider one keeps to one side of what the working format holds.  Else x may
 * stay nearly as it is, in a wider node: within w of x, or just there if wider nodes hold x
 * (theory.md, T60). */
static void round_low(const formula_t *formula, mpfr_ptr x, bool may_stay, bool *out_overflows) {
  *out_overflows = false;
  if (mpfr_inf_p(x)) return;
  LOCAL_NUMBER(nearest);
  int side = round_to(nearest, formula, x);
  *out_overflows = mpfr_inf_p(nearest) && mpfr_sgn(nearest) < 0;
  if (mpfr_zero_p(nearest) && mpfr_sgn(x) > 0) {
    round_above_zero(formula, x, may_stay);
    return;
  }
  bool is_wider = may_be_wider(formula);
  may_stay = may_stay && !mpfr_inf_p(nearest); /* There are no numbers beyond the largest one. */
  if ((side > 0 || *out_overflows) && (is_wider || may_stay)) {
    if (!is_wider || wider_holds(formula, x)) return;
    mpfr_abs(nearest, x, MPFR_RNDU);
    raise_to_normal(formula, nearest);
    scale_to_wide_roundoff(formula, nearest);
    mpfr_sub(x, x, nearest, MPFR_RNDD);
  } else if (*out_overflows) {
    mpfr_set_d(x, -format_to_double(formula->format, formula->format->largest_bits), MPFR_RNDN);
  } else {
    mpfr_set(x, nearest, MPFR_RNDN);
  }
}

/* Rounding is the same on both sides of zero. */
static void round_high(const formula_t *formula, mpfr_ptr x, bool may_stay, bool *out_overflows) {
  mpfr_neg(x, x, MPFR_RNDN);
  round_low(formula, x, may_stay, out_overflows);
  mpfr_neg(x, x, MPFR_RNDN);
}

/* Positive numbers up to `largest` may become zero; likewise negative ones. */
static void add_underflow(enclosed_t *inout, double largest, bool includes_it) {
  if (enclosed_has_positive(inout)) {
    int order = quick_compare(inout->low, largest);
    if (order < 0 || (order == 0 && includes_it)) enclosed_add_zero(inout, ENCLOSED_POSITIVE_ZERO);
  }
  if (enclosed_has_negative(inout)) {
    int order = quick_compare(inout->high, -largest);
    if (order > 0 || (order == 0 && includes_it)) enclosed_add_zero(inout, ENCLOSED_NEGATIVE_ZERO);
  }
}

/* What is at most half the smallest number rounds to zero, and what is subnormal may be flushed. */
static void underflow(const formula_t *formula, const format_t *format, enclosed_t *inout) {
  if (PERMITTED(formula->contract, ftz) != FTZ_NONE) {
    add_underflow(inout, format_smallest_normal(format), false);
  } else if (format == &format_table[FORMAT_f64]) {
    mpfr_t half; /* Which binary64 has not. */
    mpfr_init2(half, 53);
    mpfr_set_ui_2exp(half, 1, format->exponent_min - format->precision, MPFR_RNDN);
    if (enclosed_has_positive(inout) && mpfr_lessequal_p(inout->low, half)) {
      enclosed_add_zero(inout, ENCLOSED_POSITIVE_ZERO);
    }
    mpfr_neg(half, half, MPFR_RNDN);
    if (enclosed_has_negative(inout) && mpfr_greaterequal_p(inout->high, half)) {
      enclosed_add_zero(inout, ENCLOSED_NEGATIVE_ZERO);
    }
    mpfr_clear(half);
  } else {
    add_underflow(inout, format_smallest(format) / 2, true);
  }
}

void enclosed_limit(const formula_t *formula, enclosed_t *inout) {
  const format_t *format = formula->format;
  const enclosing_t *settings = enclosed_settings(formula);
  if (settings->is_exact || settings->is_unbounded) return;
  underflow(formula, format, inout);
  if (!inout->has_finite) return;
  double largest = format_to_double(format, format->largest_bits);
  bool is_wider = may_be_wider(formula);
  bool low_overflows = mpfr_overflows(inout->low, format);
  bool high_overflows = mpfr_overflows(inout->high, format);
  if (high_overflows && mpfr_sgn(inout->high) > 0) {
    inout->specials |= ENCLOSED_POSITIVE_INFINITY;
    if (low_overflows && mpfr_sgn(inout->low) > 0) inout->has_finite = is_wider;
    if (!is_wider) mpfr_set_d(inout->high, largest, MPFR_RNDN);
  }
  if (low_overflows && mpfr_sgn(inout->low) < 0) {
    inout->specials |= ENCLOSED_NEGATIVE_INFINITY;
    if (high_overflows && mpfr_sgn(inout->high) < 0) inout->has_finite = is_wider;
    if (!is_wider) mpfr_set_d(inout->low, -largest, MPFR_RNDN);
  }
}

void enclosed_round(const formula_t *formula, enclosed_t *inout, bool may_stay) {
  inout->is_delivered = false;
  if (enclosed_settings(formula)->is_exact || !inout->has_finite) return;
  if (!enclosed_settings(formula)->is_unbounded) underflow(formula, formula->format, inout);
  bool overflows = false;
  round_low(formula, inout->low, may_stay, &overflows);
  if (overflows) inout->specials |= ENCLOSED_NEGATIVE_INFINITY;
  round_high(formula, inout->high, may_stay, &overflows);
  if (overflows) inout->specials |= ENCLOSED_POSITIVE_INFINITY;
  bool is_nothing = mpfr_inf_p(inout->low) && mpfr_sgn(inout->low) > 0;
  is_nothing = is_nothing || (mpfr_inf_p(inout->high) && mpfr_sgn(inout->high) < 0);
  bool is_empty = is_nothing || mpfr_greater_p(inout->low, inout->high);
  if (!is_empty) return;
  inout->has_finite = enclosed_has_zero(inout); /* All else has overflowed, or rounded to zero. */
  mpfr_set_zero(inout->low, 1);
  mpfr_set_zero(inout->high, 1);
}

/* ---- The result ------------------------------------------------------------------------------ */

static double finish_end(const format_t *format, mpfr_srcptr end, rounding_t rounding) {
  return format_to_double(format, format_from_mpfr(format, end, rounding, OVERFLOW_FORMAT));
}

/* An end of a set that has been delivered in the result's format is rounded inwards: what lies
 * beyond is not in the set.  Steps whose exponents have no bounds deliver numbers that the format
 * has not, and these are rounded as always. */
static rounding_t end_rounding(const formula_t *formula, const enclosed_t *set,
                               const format_t *format, mpfr_srcptr end, rounding_t inwards) {
  if (!set->is_delivered || format != formula->format) return ROUNDING_NEAREST_EVEN;
  if (!enclosed_settings(formula)->is_unbounded || mpfr_zero_p(end)) return inwards;
  double magnitude = fabs(mpfr_get_d(end, MPFR_RNDZ));
  bool is_normal = magnitude >= format_smallest_normal(format) && !mpfr_overflows(end, format);
  return is_normal ? inwards : ROUNDING_NEAREST_EVEN;
}

/* Ends and what has overflowed, beside what `range` has already. */
static void finish_finite(const formula_t *formula, const enclosed_t *set, const format_t *format,
                          value_range_t *range) {
  if (!set->has_finite) return;
  if (set->ways[0] != NULL) {
    for (size_t i = 0; i < G_N_ELEMENTS(set->ways); i++) {
      bool is_zero = mpfr_zero_p(set->ways[i]->low) && mpfr_zero_p(set->ways[i]->high);
      if (!is_zero || mpfr_zero_p(set->high)) finish_finite(formula, set->ways[i], format, range);
    }
    return;
  }
  double largest = format_to_double(format, format->largest_bits);
  double low =
      finish_end(format, set->low, end_rounding(formula, set, format, set->low, ROUNDING_UP));
  double high =
      finish_end(format, set->high, end_rounding(formula, set, format, set->high, ROUNDING_DOWN));
  if (low < -largest) range->negative_infinity = true;
  if (high > largest) range->positive_infinity = true;
  if (low > largest || high < -largest) return;
  range->low = fmin(range->low, fmax(low, -largest));
  range->high = fmax(range->high, fmin(high, largest));
}

/* Where every number overflows, the low end stays above the high one. */
void enclosed_finish(const formula_t *formula, const enclosed_t *set, const format_t *format,
                     value_range_t *out_range) {
  enclosed_t *result = enclosed_new(formula->arena, 1);
  enclosed_copy(result, set);
  if (!enclosed_settings(formula)->is_exact) underflow(formula, format, result);
  *out_range = (value_range_t){
      .low = INFINITY,
      .high = -INFINITY,
      .nan = (result->specials & ENCLOSED_NAN) != 0,
      .positive_infinity = (result->specials & ENCLOSED_POSITIVE_INFINITY) != 0,
      .negative_infinity = (result->specials & ENCLOSED_NEGATIVE_INFINITY) != 0,
      .positive_zero = (result->specials & ENCLOSED_POSITIVE_ZERO) != 0,
      .negative_zero = (result->specials & ENCLOSED_NEGATIVE_ZERO) != 0,
  };
  finish_finite(formula, set, format, out_range);
}
