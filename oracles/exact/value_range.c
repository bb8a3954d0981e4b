/* SPDX-License-Identifier: Apache-2.0 */
/* Tests membership in an accept range, prints it, converts MPFR numbers to formats with correct
 * rounding, and measures the error of a result in ulps and relative to the bound. */
#include "oracles/exact/value_range.h"

#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "oracles/exact/quick_mpfr.h"

bool value_range_holds(const value_range_t *range, const format_t *format, uint64_t bits,
                       bool any_zero) {
  if (format_is_nan(format, bits)) return range->nan;
  bool negative = format_is_negative(format, bits);
  if (format_is_infinity(format, bits)) {
    return negative ? range->negative_infinity : range->positive_infinity;
  }
  if (format_is_zero(format, bits)) {
    bool either = any_zero || !format_has_negative_zero(format);
    if (either) return range->positive_zero || range->negative_zero;
    return negative ? range->negative_zero : range->positive_zero;
  }
  double value = format_to_double(format, bits);
  return range->low <= value && value <= range->high;
}

value_range_t value_range_anything(const format_t *format) {
  double largest = format_to_double(format, format->largest_bits);
  return (value_range_t){.low = -largest,
                         .high = largest,
                         .nan = true,
                         .positive_infinity = true,
                         .negative_infinity = true,
                         .positive_zero = true,
                         .negative_zero = true};
}

void value_range_print(const value_range_t *range, char *out, size_t out_bytes) {
  GString *text = g_string_new(NULL);
  bool only_zero = range->low == 0 && range->high == 0;
  bool holds_zero = range->low <= 0 && range->high >= 0 && !only_zero;
  if (range->low == range->high && !only_zero) {
    g_string_append_printf(text, "%a", range->low);
  } else if (range->low < range->high) {
    g_string_append_printf(text, "%a .. %a", range->low, range->high);
  }
  const struct {
    bool allowed;
    const char *name;
  } specials[] = {
      {!holds_zero && range->positive_zero, "+0"},
      {!holds_zero && range->negative_zero, "-0"},
      {range->nan, "NaN"},
      {range->positive_infinity, "+inf"},
      {range->negative_infinity, "-inf"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(specials); i++) {
    if (!specials[i].allowed) continue;
    g_string_append_printf(text, "%s%s", text->len == 0 ? "" : " or ", specials[i].name);
  }
  snprintf(out, out_bytes, "%s", text->str);
  g_string_free(text, TRUE);
}

enum { SIGNIFICAND_BITS = 62 }; /* What format_encode() takes beside the sticky bit. */
_Static_assert((int)SIGNIFICAND_BITS == (int)QUICK_TOP_BITS, "quick_top_bits() gives as many");

uint64_t format_from_mpfr(const format_t *format, mpfr_srcptr value, rounding_t rounding,
                          overflow_t overflow) {
  number_t number = {.negative = mpfr_signbit(value) != 0};
  if (mpfr_nan_p(value)) {
    number.kind = NUMBER_NAN;
  } else if (mpfr_inf_p(value)) {
    number.kind = NUMBER_INFINITY;
  } else if (mpfr_zero_p(value)) {
    number.kind = NUMBER_ZERO;
  } else {
    number.kind = NUMBER_FINITE;
    number.significand = quick_top_bits(value, &number.sticky);
    number.exponent = (int32_t)(mpfr_get_exp(value) - SIGNIFICAND_BITS);
  }
  return format_encode(format, number, rounding, overflow);
}

void mpfr_set_format(mpfr_ptr out, const format_t *format, uint64_t bits) {
  mpfr_set_d(out, format_to_double(format, bits), MPFR_RNDN);
}

mpfr_prec_t exact_sum_precision(const format_t *format) {
  int lowest = format->exponent_min - format->precision + 1;
  return 2 * (format->exponent_max + 1 - lowest) + 64;
}

/* The least magnitude that overflows to nearest is (2 - u) 2^emax with u = 2^-p, for a format whose
 * largest significand is all ones; in general half an ulp above the largest number, and a tie goes
 * to the even significand. */
bool mpfr_overflows(mpfr_srcptr value, const format_t *format) {
  if (mpfr_zero_p(value)) return false;
  if (mpfr_regular_p(value)) { /* |value| is below 2^e, and not below half of that. */
    mpfr_exp_t e = mpfr_get_exp(value);
    if (e <= format->exponent_max) return false;
    if (e > format->exponent_max + 1) return true;
  }
  mpfr_t threshold;
  mpfr_init2(threshold, 128);
  mpfr_set_format(threshold, format, format->largest_bits);
  mpfr_t half_ulp;
  mpfr_init2(half_ulp, 53);
  mpfr_set_ui_2exp(half_ulp, 1, format_ulp_exponent(format, format->exponent_max) - 1, MPFR_RNDN);
  mpfr_add(threshold, threshold, half_ulp, MPFR_RNDN);
  int order = mpfr_cmpabs(value, threshold);
  bool tie_overflows = (format->largest_bits & 1) != 0;
  mpfr_clears(threshold, half_ulp, (mpfr_ptr)0);
  return order > 0 || (order == 0 && tie_overflows);
}

/* One end of the finite part: INFINITY or -INFINITY if nothing finite lies on that side. */
static double enclosure_end(const format_t *format, mpfr_srcptr end, bool is_low, bool outwards) {
  if (mpfr_overflows(end, format)) {
    bool beyond = (mpfr_sgn(end) > 0) == is_low; /* The whole enclosure lies beyond the range. */
    if (beyond && !outwards && format->specials != FORMAT_FINITE)
      return is_low ? INFINITY : -INFINITY;
  }
  rounding_t rounding = outwards ? (is_low ? ROUNDING_DOWN : ROUNDING_UP) : ROUNDING_NEAREST_EVEN;
  return format_to_double(format, format_from_mpfr(format, end, rounding, OVERFLOW_SATURATE));
}

bool mpfr_is_tiny(mpfr_srcptr value, const format_t *format) {
  return mpfr_regular_p(value) && mpfr_cmp_si_2exp(value, 1, format->exponent_min) < 0 &&
         mpfr_cmp_si_2exp(value, -1, format->exponent_min) > 0;
}

/* A finite number that rounds beyond the range becomes infinity or NaN, by the format. */
static void allow_overflow(value_range_t *range, const format_t *format, bool negative) {
  if (format->specials == FORMAT_FINITE) return;
  if (!format_has_infinity(format)) {
    range->nan = true;
  } else if (negative) {
    range->negative_infinity = true;
  } else {
    range->positive_infinity = true;
  }
}

void value_range_set_enclosure(value_range_t *range, const format_t *format, mpfr_srcptr reference,
                               mpfr_srcptr error, bool outwards) {
  mpfr_t low, high;
  mpfr_inits2(mpfr_get_prec(reference) + 64, low, high, (mpfr_ptr)0);
  mpfr_sub(low, reference, error, MPFR_RNDD);
  mpfr_add(high, reference, error, MPFR_RNDU);
  range->low = enclosure_end(format, low, true, outwards);
  range->high = enclosure_end(format, high, false, outwards);
  if (mpfr_overflows(low, format) && mpfr_sgn(low) < 0) allow_overflow(range, format, true);
  if (mpfr_overflows(high, format) && mpfr_sgn(high) > 0) allow_overflow(range, format, false);
  mpfr_clears(low, high, (mpfr_ptr)0);
}

/* numerator / denominator for a report: 0 where both vanish. */
static double ratio(mpfr_srcptr numerator, mpfr_srcptr denominator) {
  if (mpfr_zero_p(numerator)) return 0;
  if (mpfr_zero_p(denominator)) return INFINITY;
  mpfr_t quotient;
  mpfr_init2(quotient, 64);
  mpfr_div(quotient, numerator, denominator, MPFR_RNDN);
  double value = mpfr_get_d(quotient, MPFR_RNDN);
  mpfr_clear(quotient);
  return value;
}

void answer_measure(answer_t *answer, const format_t *format, uint64_t bits, mpfr_srcptr reference,
                    mpfr_srcptr total_error, mpfr_srcptr magnitude) {
  bool is_finite = !format_is_nan(format, bits) && !format_is_infinity(format, bits);
  answer->has_reference = is_finite || !answer->conforms;
  if (!is_finite) { /* A permitted overflow has no error; any other is infinitely wrong. */
    answer->ulp_error = answer->slack = answer->backward_error = answer->conforms ? 0 : INFINITY;
    return;
  }
  mpfr_t error, unit;
  mpfr_init2(error, mpfr_get_prec(reference) + 64);
  mpfr_init2(unit, mpfr_get_prec(magnitude));
  mpfr_set_format(error, format, bits);
  mpfr_sub(error, error, reference, MPFR_RNDN);
  mpfr_abs(error, error, MPFR_RNDN);
  int binade = mpfr_zero_p(reference) ? format->exponent_min : (int)mpfr_get_exp(reference) - 1;
  mpfr_set_ui_2exp(unit, 1, format_ulp_exponent(format, binade), MPFR_RNDN);
  answer->ulp_error = ratio(error, unit);
  answer->slack = ratio(error, total_error);
  mpfr_mul_2si(unit, magnitude, -format->precision, MPFR_RNDN);
  answer->backward_error = ratio(error, unit);
  mpfr_clears(error, unit, (mpfr_ptr)0);
}
