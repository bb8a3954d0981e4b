/* SPDX-License-Identifier: Apache-2.0 */
/* The cosine of a set of numbers, which is no monotone function. */
#include "oracles/formula/periodic/enclosed_cosine.h"

#include <glib.h>

#include "oracles/exact/error_bound.h"
#include "oracles/formula/enclosed_set.h"

/* Multiples of pi that are not above a number. */
static long half_turns(mpfr_srcptr x) {
  LOCAL_NUMBER(turns);
  mpfr_const_pi(turns, MPFR_RNDN);
  mpfr_div(turns, x, turns, MPFR_RNDN);
  return mpfr_get_si(turns, MPFR_RNDD);
}

/* The cosines of [low, high]: those of its ends, and 1 or -1 at each multiple of pi between them.
 * Numbers of 128 bits that are computed with 128 are told from multiples of pi by their distance;
 * where they are not, the extreme is within 2^-100 of what the end gives. */
static void set_image(enclosed_t *out, const enclosed_t *a) {
  LOCAL_NUMBER(other);
  mpfr_cos(out->low, a->low, MPFR_RNDD);
  mpfr_cos(other, a->high, MPFR_RNDD);
  mpfr_min(out->low, out->low, other, MPFR_RNDD);
  mpfr_cos(out->high, a->low, MPFR_RNDU);
  mpfr_cos(other, a->high, MPFR_RNDU);
  mpfr_max(out->high, out->high, other, MPFR_RNDU);
  long first = half_turns(a->low) + 1, last = half_turns(a->high);
  for (long turn = first; turn <= last && turn <= first + 1; turn++) {
    bool is_whole = turn % 2 == 0;
    if (is_whole) mpfr_set_si(out->high, 1, MPFR_RNDN);
    if (!is_whole) mpfr_set_si(out->low, -1, MPFR_RNDN);
  }
}

/* theory.md, T188. */
static void widen(const formula_t *formula, double ulps, enclosed_t *inout) {
  LOCAL_NUMBER(error);
  LOCAL_NUMBER(magnitude);
  mpfr_abs(error, inout->low, MPFR_RNDU);
  mpfr_abs(magnitude, inout->high, MPFR_RNDU);
  mpfr_max(error, error, magnitude, MPFR_RNDU);
  mpfr_mul_d(error, error, 2 * ulps * format_unit_roundoff(formula->format), MPFR_RNDU);
  mpfr_add_d(error, error, ulps * format_smallest(formula->format), MPFR_RNDU);
  mpfr_sub(inout->low, inout->low, error, MPFR_RNDD);
  mpfr_add(inout->high, inout->high, error, MPFR_RNDU);
  if (mpfr_cmp_si(inout->low, -1) < 0) mpfr_set_si(inout->low, -1, MPFR_RNDN);
  if (mpfr_cmp_si(inout->high, 1) > 0) mpfr_set_si(inout->high, 1, MPFR_RNDN);
}

row_t enclosed_cosine(formula_t *formula, row_t a, double ulps) {
  row_t row = {.count = a.count, .enclosed = enclosed_new(formula->arena, a.count)};
  for (size_t i = 0; i < a.count; i++) {
    enclosed_t *from = enclosed_new(formula->arena, 1), *out = &row.enclosed[i];
    enclosed_copy(from, &a.enclosed[i]);
    enclosed_join_zero(from);
    g_assert(from->has_finite && mpfr_number_p(from->low) && mpfr_number_p(from->high));
    out->has_finite = true;
    set_image(out, from);
    if (enclosed_settings(formula)->is_exact) continue;
    widen(formula, ulps, out);
    if (mpfr_sgn(out->low) <= 0 && mpfr_sgn(out->high) >= 0) {
      out->specials |= ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
    }
    out->is_delivered = true;
  }
  return row;
}
