/* SPDX-License-Identifier: Apache-2.0 */
/* From integers to floats, and from floats to the integers that they may be rounded to. */
#include "oracles/ops/byteir_resize/integers.h"

#include <math.h>
#include <stdio.h>

#include "generated/byteir_resize_permissions.h"
#include "oracles/exact/error_bound.h"
#include "oracles/ops/byteir_resize/formulas.h"

/* ---- From integers --------------------------------------------------------------------------- */

double resize_integer_number(const element_t *element, const format_t *format, uint64_t bits) {
  return format_round_double(format, (double)element_signed_value(element, bits));
}

row_t resize_integer_load(formula_t *formula, const element_t *element, uint64_t bits) {
  return formula_number(formula, (double)element_signed_value(element, bits));
}

/* ---- To integers ----------------------------------------------------------------------------- */

/* Bits of a sum of 1/2 and a number of ENCLOSED_PRECISION bits: one more, and rounded outwards. */
enum { SUM_PRECISION = 2 * ENCLOSED_PRECISION };

/* The largest integer that x is rounded to, to nearest: with ties anywhere; or as the floor of
 * x + 1/2, which may have been rounded to the working format, or in a wider one (theory.md,
 * T185). */
static double nearest_above(const formula_t *formula, mpfr_srcptr x) {
  mpfr_t sum, whole;
  mpfr_inits2(SUM_PRECISION, sum, whole, (mpfr_ptr)0);
  mpfr_add_d(sum, x, 0.5, MPFR_RNDU);
  mpfr_floor(whole, sum);
  double largest = mpfr_get_d(whole, MPFR_RNDU);
  uint64_t bits = format_from_mpfr(formula->format, sum, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  largest = fmax(largest, floor(format_to_double(formula->format, bits)));
  if (PERMITTED(formula->contract, accum_wider) == ACCUM_WIDER_YES) {
    mpfr_abs(whole, sum, MPFR_RNDU);
    mpfr_mul_d(whole, whole, error_bound_wide_unit_roundoff(formula->format), MPFR_RNDU);
    mpfr_add(whole, whole, sum, MPFR_RNDU);
    mpfr_floor(whole, whole);
    largest = fmax(largest, mpfr_get_d(whole, MPFR_RNDU));
  }
  mpfr_clears(sum, whole, (mpfr_ptr)0);
  return largest;
}

/* The largest integer that x is rounded to in any permitted way. */
static double largest_of(const formula_t *formula, mpfr_srcptr x, bool is_mirrored) {
  uint8_t permitted = PERMITTED(formula->contract, resize_rounding);
  bool is_any = permitted == RESIZE_ANY_ROUNDING;
  mpfr_t whole;
  mpfr_init2(whole, SUM_PRECISION);
  double largest = -(double)INFINITY;
  if (is_any || permitted == RESIZE_TO_ZERO) {
    mpfr_trunc(whole, x);
    largest = fmax(largest, mpfr_get_d(whole, MPFR_RNDN));
  }
  if (is_any || permitted == RESIZE_DOWN) {
    if (is_mirrored) mpfr_ceil(whole, x);
    if (!is_mirrored) mpfr_floor(whole, x);
    largest = fmax(largest, mpfr_get_d(whole, MPFR_RNDN));
  }
  if (is_any || permitted == RESIZE_TO_NEAREST) {
    largest = fmax(largest, nearest_above(formula, x));
  }
  mpfr_clear(whole);
  return largest;
}

/* The least one is that of -x, mirrored: there rounding down is rounding up. */
static double least_of(const formula_t *formula, mpfr_srcptr x) {
  mpfr_t mirrored;
  mpfr_init2(mirrored, ENCLOSED_PRECISION);
  mpfr_neg(mirrored, x, MPFR_RNDN);
  double least = -largest_of(formula, mirrored, true);
  mpfr_clear(mirrored);
  return least;
}

value_range_t resize_integer_range(const formula_t *formula, const enclosed_t *set,
                                   const element_t *element) {
  value_range_t range = {.low = INFINITY, .high = -(double)INFINITY};
  if ((set->specials & (ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO)) != 0) {
    range.low = range.high = 0;
  }
  if (set->has_finite) {
    range.low = fmin(range.low, least_of(formula, set->low));
    range.high = fmax(range.high, largest_of(formula, set->high, false));
  }
  double least = (double)element_integer_min(element);
  double largest = (double)element_integer_max(element);
  if (range.low > range.high) return range;
  range.low = CLAMP(range.low, least, largest);
  range.high = CLAMP(range.high, least, largest);
  return range;
}

value_range_t resize_integer_alone(const element_t *element, uint64_t bits) {
  double value = (double)element_signed_value(element, bits);
  return (value_range_t){.low = value, .high = value};
}

bool resize_integer_holds(const value_range_t *range, const element_t *element, uint64_t bits) {
  double value = (double)element_signed_value(element, bits);
  return range->low <= value && value <= range->high;
}

void resize_integer_print(const value_range_t *range, char *out, size_t out_bytes) {
  if (range->low == range->high) {
    snprintf(out, out_bytes, "%.0f", range->low);
  } else if (range->low + 1 == range->high) {
    snprintf(out, out_bytes, "{%.0f, %.0f}", range->low, range->high);
  } else {
    snprintf(out, out_bytes, "%.0f .. %.0f", range->low, range->high);
  }
}

uint64_t resize_integer_of(resize_rounding_t rounding, const element_t *element, double number) {
  double whole = rounding == RESIZE_TO_ZERO ? trunc(number) : nearbyint(number);
  if (rounding == RESIZE_DOWN) whole = floor(number);
  double least = (double)element_integer_min(element);
  double largest = (double)element_integer_max(element);
  return (uint64_t)(int64_t)CLAMP(whole, least, largest) & element_mask(element);
}
