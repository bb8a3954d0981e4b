/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of sets: any values of the terms, in any order (error_bound.h). */
#include <glib.h>
#include <math.h>

#include "oracles/exact/error_bound.h"
#include "oracles/exact/magnitude.h"
#include "oracles/exact/wider_node.h"
#include "oracles/formula/enclosed_set.h"

/* Totals over the terms.  Of points they are exact. */
typedef struct totals {
  mpfr_t low; /* Sum of the lower ends, and of the upper ones; */
  mpfr_t high;
  mpfr_t low_magnitude; /* of their absolute values; */
  mpfr_t high_magnitude;
  mpfr_t positive; /* of what is above zero, and of what is below it. */
  mpfr_t negative;
  bool are_points;
  bool are_in_format; /* Of points: the working format holds them all. */
  bool have_finite;
  bool is_nan;    /* A term can be nothing else. */
  int lowest_bit; /* Of points: all are multiples of 2^lowest_bit. */
  size_t nonzero; /* Terms that are not 0. */
  size_t nans, positive_infinities, negative_infinities, both_infinities;
  size_t positive_zeros, negative_zeros; /* Terms that may be such. */
} totals_t;

static void add_end(mpfr_ptr sum, mpfr_ptr magnitude, mpfr_srcptr end, mpfr_rnd_t rounding) {
  mpfr_add(sum, sum, end, rounding);
  if (mpfr_sgn(end) < 0) {
    mpfr_sub(magnitude, magnitude, end, MPFR_RNDU);
  } else {
    mpfr_add(magnitude, magnitude, end, MPFR_RNDU);
  }
}

static void note_specials(totals_t *totals, uint8_t specials) {
  bool positive = (specials & ENCLOSED_POSITIVE_INFINITY) != 0;
  bool negative = (specials & ENCLOSED_NEGATIVE_INFINITY) != 0;
  totals->nans += (specials & ENCLOSED_NAN) != 0;
  totals->positive_infinities += positive;
  totals->negative_infinities += negative;
  totals->both_infinities += positive && negative;
  totals->positive_zeros += (specials & ENCLOSED_POSITIVE_ZERO) != 0;
  totals->negative_zeros += (specials & ENCLOSED_NEGATIVE_ZERO) != 0;
}

static void note_lowest_bit(totals_t *totals, mpfr_srcptr point) {
  if (mpfr_zero_p(point)) return;
  int bit = (int)(mpfr_get_exp(point) - (mpfr_exp_t)mpfr_min_prec(point));
  totals->lowest_bit = MIN(totals->lowest_bit, bit);
}

/* Of terms whose intervals reach their zeros. */
static void totals_init(totals_t *totals, const formula_t *formula, const enclosed_t *terms,
                        size_t count) {
  *totals = (totals_t){
      .are_points = true, .are_in_format = true, .have_finite = true, .lowest_bit = INT32_MAX};
  for (size_t i = 0; i < count; i++) totals->are_points &= enclosed_is_point(&terms[i]);
  mpfr_prec_t precision = totals->are_points ? exact_sum_precision(formula->format)
                                             : (mpfr_prec_t)ENCLOSED_PRECISION + 64;
  mpfr_inits2(precision, totals->low, totals->high, totals->low_magnitude, totals->high_magnitude,
              totals->positive, totals->negative, (mpfr_ptr)0);
  mpfr_ptr all[] = {totals->low,           totals->high,
                    totals->low_magnitude, totals->high_magnitude,
                    totals->positive,      totals->negative};
  for (size_t i = 0; i < G_N_ELEMENTS(all); i++) mpfr_set_zero(all[i], 1);
  for (size_t i = 0; i < count; i++) {
    const enclosed_t *term = &terms[i];
    note_specials(totals, term->specials);
    totals->have_finite &= term->has_finite;
    totals->is_nan |= !term->has_finite && term->specials == ENCLOSED_NAN;
    if (!term->has_finite) continue;
    add_end(totals->low, totals->low_magnitude, term->low, MPFR_RNDD);
    add_end(totals->high, totals->high_magnitude, term->high, MPFR_RNDU);
    if (mpfr_sgn(term->high) > 0) {
      mpfr_add(totals->positive, totals->positive, term->high, MPFR_RNDU);
    }
    if (mpfr_sgn(term->low) < 0) {
      mpfr_sub(totals->negative, totals->negative, term->low, MPFR_RNDU);
    }
    if (!totals->are_points) continue;
    note_lowest_bit(totals, term->low);
    totals->nonzero += !mpfr_zero_p(term->low);
    totals->are_in_format = totals->are_in_format && format_holds(formula->format, term->low);
  }
}

static void totals_deinit(totals_t *totals) {
  mpfr_clears(totals->low, totals->high, totals->low_magnitude, totals->high_magnitude,
              totals->positive, totals->negative, (mpfr_ptr)0);
}

/* theory.md, T17. */
static bool is_exact(const formula_t *formula, const totals_t *totals) {
  if (enclosed_settings(formula)->is_exact) return true;
  double magnitude = mpfr_get_d(totals->low_magnitude, MPFR_RNDU);
  if (magnitude == 0) return totals->are_points;
  return totals->are_points &&
         error_bound_sum_is_exact(formula->format, totals->lowest_bit, magnitude);
}

/* Whether a partial sum may be subnormal, and so be lost, though nothing is rounded: theory.md,
 * T17. */
static bool may_lose_nodes(const formula_t *formula, const totals_t *totals) {
  const enclosing_t *settings = enclosed_settings(formula);
  if (settings->is_exact || settings->is_unbounded) return false;
  return PERMITTED(formula->contract, ftz) != FTZ_NONE && totals->nonzero > 1 &&
         totals->lowest_bit < formula->format->exponent_min;
}

/* Whether one operation at the most rounds, and none in a wider node: theory.md, T18. */
static bool is_rounded_once(const formula_t *formula, const totals_t *totals, bool are_products) {
  if (PERMITTED(formula->contract, accum_wider) == ACCUM_WIDER_NO || !totals->are_points)
    return false;
  bool may_lose_product = are_products && PERMITTED(formula->contract, ftz) != FTZ_NONE;
  bool are_few = totals->nonzero <= 1 || (totals->nonzero == 2 && !may_lose_product &&
                                          (!are_products || totals->are_in_format));
  return are_few && wider_node_holds(formula->format, totals->low);
}

/* Whether all terms but one are zeros, and that is a product below the normal numbers: one
 * operation rounds it, and what that may lose is all of it. */
static bool is_tiny_product(const formula_t *formula, const totals_t *totals, bool are_products) {
  if (!are_products || !totals->are_points || totals->nonzero != 1) return false;
  if (PERMITTED(formula->contract, ftz) != FTZ_NONE) return false;
  if (PERMITTED(formula->contract, accum_rounding) != ACCUM_ROUNDING_RN) return false;
  double normal = format_smallest_normal(formula->format);
  return !enclosed_settings(formula)->is_unbounded && mpfr_cmp_d(totals->low_magnitude, normal) < 0;
}

/* What wider nodes make of it, as many as there are terms: theory.md, T18. */
static double tiny_product_error(const formula_t *formula, const totals_t *totals, size_t count) {
  bool may_be_wider = PERMITTED(formula->contract, accum_wider) == ACCUM_WIDER_YES;
  if (!may_be_wider || wider_node_holds(formula->format, totals->low)) return 0;
  error_bound_t bound = error_bound_wide_roundings(formula->format, formula->contract, count);
  return upper_scale(upper_of(bound.factor), format_smallest_normal(formula->format)).value;
}

/* end -+ (factor * magnitude + offset), outwards; both magnitudes count unless the factor is below
 * 1 (theory.md, T28). */
static void move_end(mpfr_ptr out, mpfr_srcptr end, const totals_t *totals, bool is_low,
                     double factor, double offset) {
  mpfr_t error;
  mpfr_init2(error, ENCLOSED_PRECISION);
  mpfr_set(error, is_low ? totals->low_magnitude : totals->high_magnitude, MPFR_RNDU);
  if (factor >= 1) mpfr_add(error, totals->low_magnitude, totals->high_magnitude, MPFR_RNDU);
  if (factor == 0) mpfr_set_zero(error, 1); /* However large: there may be no bound. */
  if (!mpfr_zero_p(error)) mpfr_mul_d(error, error, factor, MPFR_RNDU);
  mpfr_add_d(error, error, offset, MPFR_RNDU);
  if (is_low) {
    mpfr_sub(out, end, error, MPFR_RNDD);
  } else {
    mpfr_add(out, end, error, MPFR_RNDU);
  }
  mpfr_clear(error);
}

/* Partial sums may overflow where the whole would not: theory.md, T20. */
static bool may_overflow(const formula_t *formula, mpfr_srcptr part, double factor) {
  if (enclosed_settings(formula)->is_exact || enclosed_settings(formula)->is_unbounded) {
    return false;
  }
  mpfr_t largest;
  mpfr_init2(largest, ENCLOSED_PRECISION);
  mpfr_set_d(largest, factor, MPFR_RNDU);
  mpfr_add_ui(largest, largest, 1, MPFR_RNDU);
  mpfr_mul(largest, largest, part, MPFR_RNDU);
  bool overflows = mpfr_overflows(largest, formula->format);
  mpfr_clear(largest);
  return overflows;
}

static void set_sum_specials(const formula_t *formula, const totals_t *totals, size_t count,
                             double factor, enclosed_t *out) {
  bool overflows_up = may_overflow(formula, totals->positive, factor);
  bool overflows_down = may_overflow(formula, totals->negative, factor);
  bool up = overflows_up || totals->positive_infinities > 0;
  bool down = overflows_down || totals->negative_infinities > 0;
  /* Infinities of both signs must come from two terms, or from overflow. */
  size_t infinite = totals->positive_infinities + totals->negative_infinities;
  bool is_one_term =
      !overflows_up && !overflows_down && infinite == 2 && totals->both_infinities == 1;
  out->specials = 0;
  if (totals->is_nan) { /* Whatever it is added to: theory.md, T280. */
    out->specials = ENCLOSED_NAN;
    return;
  }
  if (totals->nans > 0 || (up && down && !is_one_term)) out->specials |= ENCLOSED_NAN;
  if (up) out->specials |= ENCLOSED_POSITIVE_INFINITY;
  if (down) out->specials |= ENCLOSED_NEGATIVE_INFINITY;
  if (!out->has_finite || mpfr_sgn(out->low) > 0 || mpfr_sgn(out->high) < 0) return;
  /* Sums start from their first term or from +0; what cancels is +0. */
  out->specials |= ENCLOSED_POSITIVE_ZERO;
  bool is_interval = mpfr_sgn(out->low) < 0 && mpfr_sgn(out->high) > 0;
  bool are_negative = count > 0 && totals->negative_zeros == count;
  if (are_negative || is_interval) out->specials |= ENCLOSED_NEGATIVE_ZERO;
}

/* Terms that are not negative have no negative sum, whatever they lose: theory.md, T28. */
static void keep_sign(enclosed_t *inout, const totals_t *totals) {
  if (mpfr_zero_p(totals->negative) && mpfr_sgn(inout->low) < 0) mpfr_set_zero(inout->low, 1);
  if (mpfr_zero_p(totals->positive) && mpfr_sgn(inout->high) > 0) mpfr_set_zero(inout->high, 1);
}

/* By how much computed sums may differ from those of the terms: theory.md, T10 to T18. */
static error_bound_t bound_of(const formula_t *formula, const totals_t *totals,
                              bound_shape_t shape) {
  bool loses = may_lose_nodes(formula, totals);
  bool exact = is_exact(formula, totals);
  if (exact && !loses) return (error_bound_t){0};
  error_bound_t bound = error_bound_sum(formula->format, formula->contract, shape);
  bool once = is_rounded_once(formula, totals, shape.is_product);
  if (exact) bound.total_factor = 0;
  if (exact || once) bound.factor = 0;
  bool keeps_all = once && !loses;
  if (keeps_all || enclosed_settings(formula)->is_unbounded) bound.offset = 0;
  if (enclosed_settings(formula)->is_unbounded) bound.total_offset = 0;
  return bound;
}

/* theory.md, T10 to T18 and T28. */
static row_t sum_terms(formula_t *formula, enclosed_t *terms, size_t count, bool are_products) {
  row_t row = {.count = 1, .enclosed = enclosed_new(formula->arena, 1)};
  enclosed_t *out = row.enclosed;
  for (size_t i = 0; i < count; i++) enclosed_join_zero(&terms[i]);
  totals_t totals;
  totals_init(&totals, formula, terms, count);
  const bound_shape_t shape = {.terms = count,
                               .leaves = count,
                               .products_round = are_products,
                               .products_underflow = are_products,
                               .is_product = are_products};
  error_bound_t bound = bound_of(formula, &totals, shape);
  bool with_last = bound.last_truncates;
  double factor = with_last ? bound.total_factor : bound.factor;
  double offset = with_last ? bound.total_offset : bound.offset;
  bool is_tiny =
      !enclosed_settings(formula)->is_exact && is_tiny_product(formula, &totals, are_products);
  if (is_tiny) factor = 0;
  if (is_tiny) offset = tiny_product_error(formula, &totals, count);
  out->has_finite = totals.have_finite;
  if (out->has_finite) {
    move_end(out->low, totals.low, &totals, true, factor, offset);
    move_end(out->high, totals.high, &totals, false, factor, offset);
    keep_sign(out, &totals);
  }
  set_sum_specials(formula, &totals, count, bound.total_factor, out);
  enclosed_round(formula, out, !is_tiny);
  /* A product that underflows may meet the +0 from which the sum starts. */
  if ((out->specials & ENCLOSED_NEGATIVE_ZERO) != 0 && totals.negative_zeros < count) {
    enclosed_add_zero(out, ENCLOSED_POSITIVE_ZERO);
  }
  totals_deinit(&totals);
  return row;
}

row_t enclosed_sum(formula_t *formula, row_t a) {
  enclosed_t *terms = enclosed_new(formula->arena, a.count);
  for (size_t i = 0; i < a.count; i++) enclosed_copy(&terms[i], &a.enclosed[i]);
  return sum_terms(formula, terms, a.count, false);
}

/* Where each product is rounded to the working format by itself, those below the normal numbers are
 * known as that is, and lose nothing to a bound. */
static void round_tiny_products(const formula_t *formula, enclosed_t *products, size_t count) {
  const contract_t *contract = formula->contract;
  bool are_rounded =
      PERMITTED(contract, fma) == FMA_NO && PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO &&
      PERMITTED(contract, ftz) == FTZ_NONE && !enclosed_settings(formula)->is_exact &&
      !enclosed_settings(formula)->is_unbounded;
  double normal = format_smallest_normal(formula->format);
  for (size_t i = 0; are_rounded && i < count; i++) {
    enclosed_t *product = &products[i];
    bool is_tiny = product->has_finite && mpfr_cmp_d(product->low, -normal) > 0 &&
                   mpfr_cmp_d(product->high, normal) < 0;
    if (is_tiny) enclosed_round(formula, product, false);
  }
}

row_t enclosed_sum_of_products(formula_t *formula, row_t a, row_t b) {
  enclosed_t *products = enclosed_new(formula->arena, a.count);
  for (size_t i = 0; i < a.count; i++) {
    if (a.enclosed == b.enclosed) {
      enclosed_set_square(&products[i], &a.enclosed[i]);
    } else {
      enclosed_set_multiply(&products[i], &a.enclosed[i], &b.enclosed[i]);
    }
  }
  round_tiny_products(formula, products, a.count);
  return sum_terms(formula, products, a.count, true);
}
