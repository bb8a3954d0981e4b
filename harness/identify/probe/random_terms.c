/* SPDX-License-Identifier: Apache-2.0 */
/* Random terms by regime (uniform, spread, cancelling, wide, ties, small integers, tiny, special
 * values), fitted to the format so that finite terms stay finite. */
#include "harness/identify/probe/random_terms.h"

#include <glib.h>
#include <math.h>

/* Uniform in [1, 2) with a random sign, rounded to the format's precision. */
static double random_significand(rng_t *rng, const format_t *format) {
  int bits = format->precision - 1;
  double fraction = (double)rng_below(rng, UINT64_C(1) << bits);
  double value = 1 + ldexp(fraction, -bits);
  return rng_one_in(rng, 2) ? -value : value;
}

static double with_exponent(rng_t *rng, const format_t *format, int64_t low, int64_t high) {
  int exponent = (int)rng_between(rng, MIN(low, high), high);
  return ldexp(random_significand(rng, format), exponent);
}

static double draw_wide(rng_t *rng, const format_t *format, bool is_factor) {
  int low = format->exponent_min / (is_factor ? 2 : 1);
  int high = format->exponent_max / (is_factor ? 2 : 1) - 2;
  return with_exponent(rng, format, low, high);
}

static double draw_tie(rng_t *rng, const format_t *format) {
  int p = format->precision;
  double power = ldexp(1, (int)rng_between(rng, 0, p + 1));
  double odd = rng_one_in(rng, 2) ? 0 : ldexp(power, 1 - p);
  double value = power + odd;
  return rng_one_in(rng, 2) ? -value : value;
}

/* Near the smallest normal number; of two factors the other one is near 1. */
static double draw_tiny(rng_t *rng, const format_t *format, bool is_factor) {
  int p = format->precision;
  if (is_factor && rng_one_in(rng, 2)) return with_exponent(rng, format, -1, 1);
  return with_exponent(rng, format, format->exponent_min - p / 2, format->exponent_min + 2);
}

static double draw_special(rng_t *rng, const format_t *format, bool is_factor) {
  enum { RARELY = 97 };
  if (format_has_infinity(format) && rng_one_in(rng, RARELY)) {
    return rng_one_in(rng, 2) ? (double)INFINITY : -(double)INFINITY;
  }
  if (is_factor && rng_one_in(rng, 2)) return with_exponent(rng, format, -1, 0);
  return with_exponent(rng, format, format->exponent_max - 3, format->exponent_max);
}

static double draw_one(rng_t *rng, terms_regime_t regime, const format_t *format, bool is_factor) {
  enum { UNIFORM_EXPONENTS = 12, INTEGER_MAX = 8 };
  switch (regime) {
    case TERMS_UNIFORM: {
      int exponent = -1;
      while (exponent > -UNIFORM_EXPONENTS && rng_one_in(rng, 2)) exponent--;
      return with_exponent(rng, format, exponent, exponent);
    }
    case TERMS_SPREAD:
    case TERMS_CANCEL:
      return with_exponent(rng, format, -format->precision / 2, format->precision / 2);
    case TERMS_WIDE:
      return draw_wide(rng, format, is_factor);
    case TERMS_TIES:
      return draw_tie(rng, format);
    case TERMS_INTEGERS: {
      double value = (double)rng_between(rng, -INTEGER_MAX, INTEGER_MAX);
      return value == 0 && rng_one_in(rng, 2) ? -0.0 : value;
    }
    case TERMS_TINY:
      return draw_tiny(rng, format, is_factor);
    case TERMS_SPECIALS:
      return draw_special(rng, format, is_factor);
    case TERMS_REGIMES:
      break;
  }
  g_assert_not_reached();
}

/* Finite numbers stay finite. */
static double fit(const format_t *format, double value) {
  double largest = format_to_double(format, format->largest_bits);
  if (isfinite(value) && fabs(value) > largest) return copysign(largest, value);
  return format_round_double(format, value);
}

/* Replaces terms by the negative of earlier ones, in random places. */
static void cancel(rng_t *rng, const format_t *format, double *terms, size_t count) {
  for (size_t i = 1; i < count; i++) {
    if (rng_one_in(rng, 3)) continue;
    double earlier = -terms[rng_below(rng, i)];
    double change = rng_one_in(rng, 2) ? 0 : ldexp(earlier, 1 - format->precision);
    terms[i] = fit(format, earlier + change);
  }
}

void random_terms(rng_t *rng, terms_regime_t regime, const format_t *format, bool is_factor,
                  double *out, size_t count) {
  for (size_t i = 0; i < count; i++) {
    out[i] = fit(format, draw_one(rng, regime, format, is_factor));
  }
  if (regime == TERMS_CANCEL) cancel(rng, format, out, count);
}
