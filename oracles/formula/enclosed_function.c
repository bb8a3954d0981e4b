/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions of sets: f of all its numbers, and of each what the contract permits, so
 * many units in the last place of the exact value. */
#include <glib.h>
#include <math.h>

#include "oracles/formula/enclosed_set.h"
#include "oracles/formula/quick_erfc.h"

typedef int compute_t(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding);

typedef struct function_row {
  compute_t *compute;
  bool decreases;
  bool is_periodic;    /* Neither grows nor decreases. */
  bool is_odd;         /* Keeps the sign of its argument. */
  bool is_zero_at_one; /* Of either sign. */
  bool has_start;      /* NaN of numbers below `start`, where it is infinite. */
  double start;
  double least; /* Its range; infinite where it has no bound. */
  double greatest;
} function_row_t;

static const function_row_t functions[ELEMENTARY_COUNT] = {
    [ELEMENTARY_exp] = {.compute = mpfr_exp, .greatest = INFINITY},
    [ELEMENTARY_exp2] = {.compute = mpfr_exp2, .greatest = INFINITY},
    [ELEMENTARY_log] = {.compute = mpfr_log,
                        .is_zero_at_one = true,
                        .has_start = true,
                        .least = -INFINITY,
                        .greatest = INFINITY},
    [ELEMENTARY_erf] = {.compute = mpfr_erf, .is_odd = true, .least = -1, .greatest = 1},
    [ELEMENTARY_erfc] = {.compute = quick_erfc, .decreases = true, .greatest = 2},
    [ELEMENTARY_tanh] = {.compute = mpfr_tanh, .is_odd = true, .least = -1, .greatest = 1},
    [ELEMENTARY_rsqrt] = {.compute = mpfr_rec_sqrt,
                          .decreases = true,
                          .has_start = true,
                          .greatest = INFINITY},
    [ELEMENTARY_expm1] = {.compute = mpfr_expm1, .is_odd = true, .least = -1, .greatest = INFINITY},
    [ELEMENTARY_log1p] = {.compute = mpfr_log1p,
                          .is_odd = true,
                          .has_start = true,
                          .start = -1,
                          .least = -INFINITY,
                          .greatest = INFINITY},
    [ELEMENTARY_sin] = {.compute = mpfr_sin, .is_periodic = true, .least = -1, .greatest = 1},
    [ELEMENTARY_cos] = {.compute = mpfr_cos, .is_periodic = true, .least = -1, .greatest = 1},
};

/* ---- Exact values ---------------------------------------------------------------------------- */

/* f at a zero or an infinity. */
static double image_of(const function_row_t *row, double special) {
  mpfr_t x, y;
  mpfr_inits2(ENCLOSED_PRECISION, x, y, (mpfr_ptr)0);
  mpfr_set_d(x, special, MPFR_RNDN);
  row->compute(y, x, MPFR_RNDD);
  double value = mpfr_get_d(y, MPFR_RNDD); /* A whole number, or special itself. */
  mpfr_clears(x, y, (mpfr_ptr)0);
  return value;
}

static const struct {
  uint8_t flag;
  double value;
} specials[] = {{ENCLOSED_POSITIVE_INFINITY, INFINITY},
                {ENCLOSED_NEGATIVE_INFINITY, -INFINITY},
                {ENCLOSED_POSITIVE_ZERO, 0.0},
                {ENCLOSED_NEGATIVE_ZERO, -0.0}};

/* Adds the others, which are not. */
static void add_special_images(const function_row_t *row, enclosed_t *out, const enclosed_t *a) {
  out->specials |= a->specials & ENCLOSED_NAN;
  for (size_t i = 0; i < G_N_ELEMENTS(specials); i++) {
    if ((a->specials & specials[i].flag) == 0) continue;
    double value = image_of(row, specials[i].value);
    if (isnan(value)) out->specials |= ENCLOSED_NAN;
    if (value == (double)INFINITY) out->specials |= ENCLOSED_POSITIVE_INFINITY;
    if (value == -(double)INFINITY) out->specials |= ENCLOSED_NEGATIVE_INFINITY;
    if (value == 0) {
      enclosed_add_zero(out, signbit(value) ? ENCLOSED_NEGATIVE_ZERO : ENCLOSED_POSITIVE_ZERO);
    }
    /* Whether the inverse root of -0 keeps its sign is left open. */
    bool is_inverse_of_zero = row->decreases && row->has_start && specials[i].value == 0;
    if (is_inverse_of_zero && signbit(specials[i].value)) {
      out->specials |= ENCLOSED_NEGATIVE_INFINITY;
    }
  }
}

/* NaN of what lies before a function's start, and what there is at a start that is not zero. */
static void add_start(const function_row_t *row, enclosed_t *out, const enclosed_t *a) {
  if (!row->has_start || !a->has_finite) return;
  if (mpfr_cmp_d(a->low, row->start) < 0) out->specials |= ENCLOSED_NAN;
  bool is_within = row->start != 0 && mpfr_cmp_d(a->low, row->start) <= 0 &&
                   mpfr_cmp_d(a->high, row->start) >= 0;
  if (is_within) out->specials |= ENCLOSED_NEGATIVE_INFINITY;
}

/* Whether an end is only a bound, which no exact value is: where it was rounded outwards. */
typedef struct ends {
  bool low_is_open;
  bool high_is_open;
} ends_t;

/* f of the interval; nothing if it lies where f is not defined. */
static ends_t set_interval(const function_row_t *row, enclosed_t *out, const enclosed_t *a) {
  ends_t ends = {false, false};
  out->specials = 0;
  out->has_finite = a->has_finite && !(row->has_start && mpfr_cmp_d(a->high, row->start) <= 0);
  add_start(row, out, a);
  if (!out->has_finite) return ends;
  if (row->is_periodic && !mpfr_equal_p(a->low, a->high)) {
    mpfr_set_d(out->low, row->least, MPFR_RNDD);
    mpfr_set_d(out->high, row->greatest, MPFR_RNDU);
    return ends;
  }
  LOCAL_NUMBER(from);
  mpfr_set(from, a->low, MPFR_RNDD);
  if (row->has_start && mpfr_cmp_d(from, row->start) < 0) mpfr_set_d(from, row->start, MPFR_RNDN);
  ends.low_is_open = row->compute(out->low, row->decreases ? a->high : from, MPFR_RNDD) != 0;
  if (mpfr_equal_p(from, a->high)) { /* Then the other end is the next number, or the same. */
    mpfr_set(out->high, out->low, MPFR_RNDN);
    ends.high_is_open = ends.low_is_open;
    if (ends.high_is_open) mpfr_nextabove(out->high);
  } else {
    ends.high_is_open = row->compute(out->high, row->decreases ? from : a->high, MPFR_RNDU) != 0;
  }
  return ends;
}

/* Adds the images that are numbers other than zero: what they are may be missed by some ulps. */
static void add_finite_images(const function_row_t *row, enclosed_t *out, const enclosed_t *a,
                              ends_t *ends) {
  for (size_t i = 0; i < G_N_ELEMENTS(specials); i++) {
    if ((a->specials & specials[i].flag) == 0) continue;
    double value = image_of(row, specials[i].value);
    if (value == 0 || !isfinite(value)) continue;
    if (!out->has_finite || mpfr_cmp_d(out->low, value) >= 0) {
      mpfr_set_d(out->low, value, MPFR_RNDN);
      ends->low_is_open = false;
    }
    if (!out->has_finite || mpfr_cmp_d(out->high, value) <= 0) {
      mpfr_set_d(out->high, value, MPFR_RNDN);
      ends->high_is_open = false;
    }
    out->has_finite = true;
  }
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static void set_ulp(const formula_t *formula, mpfr_ptr out, mpfr_exp_t binade) {
  const format_t *format = formula->format;
  bool is_unbounded = enclosed_settings(formula)->is_unbounded;
  mpfr_exp_t exponent =
      is_unbounded ? binade - format->precision + 1 : format_ulp_exponent(format, (int)binade);
  mpfr_set_ui_2exp(out, 1, exponent, MPFR_RNDN);
}

static mpfr_exp_t binade_of(const formula_t *formula, mpfr_srcptr x) {
  mpfr_exp_t least = formula->format->exponent_min;
  if (mpfr_zero_p(x)) return least;
  mpfr_exp_t binade = mpfr_get_exp(x) - 1;
  return binade < least && !enclosed_settings(formula)->is_unbounded ? least : binade;
}

/* The binade of the numbers just above `low`, if it is a bound, or else of low. */
static mpfr_exp_t first_binade(const formula_t *formula, mpfr_srcptr low, bool is_open) {
  if (!is_open || mpfr_sgn(low) >= 0) return binade_of(formula, low);
  LOCAL_NUMBER(inner);
  mpfr_set(inner, low, MPFR_RNDN);
  mpfr_nextabove(inner);
  return binade_of(formula, inner);
}

/* The least of y - K ulp(y) over low <= y <= high, or < where an end is open: at the lower end; or,
 * since the ulp doubles there, at the next power of two above, if there is one in the interval.
 * (theory.md, T61.) */
static void lower(const formula_t *formula, double ulps, mpfr_ptr low, mpfr_srcptr high,
                  ends_t ends) {
  if (mpfr_inf_p(low)) return;
  LOCAL_NUMBER(ulp);
  LOCAL_NUMBER(power);
  mpfr_exp_t binade = first_binade(formula, low, ends.low_is_open);
  bool has_power = mpfr_sgn(low) > 0;
  if (has_power) {
    mpfr_set_ui_2exp(power, 1, binade + 1, MPFR_RNDN);
    has_power = ends.high_is_open ? mpfr_less_p(power, high) : mpfr_lessequal_p(power, high);
    set_ulp(formula, ulp, binade + 1);
    mpfr_mul_d(ulp, ulp, ulps, MPFR_RNDU);
    mpfr_sub(power, power, ulp, MPFR_RNDD);
  }
  set_ulp(formula, ulp, binade);
  mpfr_mul_d(ulp, ulp, ulps, MPFR_RNDU);
  mpfr_sub(low, low, ulp, MPFR_RNDD);
  if (has_power && mpfr_less_p(power, low)) mpfr_set(low, power, MPFR_RNDD);
}

/* The greatest multiple of an ulp that is not above `low`: the number of the format there, or one
 * that is beyond its largest. */
static void to_neighbour_below(const formula_t *formula, mpfr_ptr low) {
  if (mpfr_inf_p(low) || mpfr_zero_p(low)) return;
  LOCAL_NUMBER(ulp);
  set_ulp(formula, ulp, binade_of(formula, low));
  mpfr_div(low, low, ulp, MPFR_RNDD); /* By a power of two: exactly. */
  mpfr_floor(low, low);
  mpfr_mul(low, low, ulp, MPFR_RNDD);
}

/* By so many ulps; or, of a faithful function, to the neighbours of the ends. */
static void widen(const formula_t *formula, double ulps, bool is_faithful, enclosed_t *inout,
                  ends_t ends) {
  LOCAL_NUMBER(low);
  LOCAL_NUMBER(high);
  mpfr_neg(low, inout->high, MPFR_RNDN);
  mpfr_neg(high, inout->low, MPFR_RNDN);
  if (is_faithful) {
    to_neighbour_below(formula, inout->low);
    to_neighbour_below(formula, low);
  } else {
    lower(formula, ulps, inout->low, inout->high, ends);
    lower(formula, ulps, low, high, (ends_t){ends.high_is_open, ends.low_is_open});
  }
  mpfr_neg(inout->high, low, MPFR_RNDN);
}

/* Cuts off what lies outside the function's range.  Odd functions keep to one side of zero, as
 * their argument does, and periodic ones as their exact value does. */
static void clamp(const formula_t *formula, const function_row_t *row, const enclosed_t *sign_of,
                  enclosed_t *inout) {
  if (PERMITTED(formula->contract, function_range) != FUNCTION_RANGE_STRICT) return;
  bool keeps_side = row->is_odd || row->is_periodic;
  bool has_negative =
      enclosed_has_negative(sign_of) || (sign_of->specials & ENCLOSED_NEGATIVE_INFINITY) != 0;
  bool has_positive =
      enclosed_has_positive(sign_of) || (sign_of->specials & ENCLOSED_POSITIVE_INFINITY) != 0;
  bool is_positive = keeps_side && !has_negative;
  bool is_negative = keeps_side && !has_positive;
  double least = is_positive ? 0 : row->least;
  double greatest = is_negative ? 0 : row->greatest;
  if (mpfr_cmp_d(inout->low, least) < 0) mpfr_set_d(inout->low, least, MPFR_RNDN);
  if (mpfr_cmp_d(inout->high, greatest) > 0) mpfr_set_d(inout->high, greatest, MPFR_RNDN);
}

/* Zero lies within so many ulps: with the sign of the numbers beside it. */
static void note_zeros(enclosed_t *inout) {
  if (mpfr_sgn(inout->low) > 0 || mpfr_sgn(inout->high) < 0) return;
  if (enclosed_has_positive(inout)) inout->specials |= ENCLOSED_POSITIVE_ZERO;
  if (enclosed_has_negative(inout)) inout->specials |= ENCLOSED_NEGATIVE_ZERO;
}

static bool holds_one(const enclosed_t *set) {
  return set->has_finite && mpfr_cmp_ui(set->low, 1) <= 0 && mpfr_cmp_ui(set->high, 1) >= 0;
}

/* Upwards. */
static double largest_magnitude(const enclosed_t *set) {
  if (!set->has_finite) return 0;
  return fmax(fabs(mpfr_get_d(set->low, MPFR_RNDA)), fabs(mpfr_get_d(set->high, MPFR_RNDA)));
}

/* theory.md, T61 and T227.  A faithful function does not miss what the working format holds
 * exactly, such as exp(0) = 1, log(1) = 0 or rsqrt(1/4) = 2, nor is the sine of zero ever missed.
 */
void enclosed_apply(const formula_t *formula, elementary_t function, enclosed_t *out,
                    const enclosed_t *a) {
  const function_row_t *row = &functions[function];
  const format_t *format = formula->format;
  ends_t ends = set_interval(row, out, a);
  add_finite_images(row, out, a, &ends);
  out->is_delivered = true;
  double ulps = contract_elementary_ulps(formula->contract, function, format, largest_magnitude(a));
  bool is_faithful = contract_elementary_is_faithful(formula->contract, function, format);
  bool is_zero = mpfr_zero_p(out->low) && mpfr_zero_p(out->high);
  bool is_kept = is_zero && (row->is_odd || row->is_periodic || is_faithful);
  if (out->has_finite && !is_kept && !enclosed_settings(formula)->is_exact) {
    enclosed_t *exact = enclosed_new(formula->arena, 1);
    enclosed_copy(exact, out);
    widen(formula, ulps, is_faithful, out, ends);
    clamp(formula, row, row->is_periodic ? exact : a, out);
    note_zeros(out);
    enclosed_limit(formula, out);
  }
  if (row->is_zero_at_one && holds_one(a)) {
    out->specials |= ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  }
  add_special_images(row, out, a);
}
