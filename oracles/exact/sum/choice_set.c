/* SPDX-License-Identifier: Apache-2.0 */
/* A small list of permitted bit patterns, each with the reason that permits it: adds patterns
 * without duplicates, extends the list by what flushing allows, decides whether an observed
 * pattern is in it, and prints the list for reports. */
#include "oracles/exact/sum/choice_set.h"

#include <glib.h>
#include <inttypes.h>
#include <math.h>

#include "oracles/exact/value_range.h"

void choice_set_add(choice_set_t *set, uint64_t bits, const char *by) {
  for (size_t i = 0; i < set->count; i++) {
    if (set->choices[i].bits == bits) return;
  }
  g_assert(set->count < CHOICES_MAX);
  set->choices[set->count++] = (choice_t){bits, by};
}

static uint64_t zero_of_sign(const format_t *format, bool negative) {
  return format_from_double(format, negative ? -0.0 : 0.0);
}

void choice_set_loosen(choice_set_t *set, const format_t *format, const contract_t *contract) {
  if (format->specials == FORMAT_EXPONENT_ONLY) return;
  bool flushes = PERMITTED(contract, ftz) == FTZ_OUTPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
  size_t count = set->count;
  for (size_t i = 0; i < count && flushes; i++) {
    uint64_t bits = set->choices[i].bits;
    if (!format_is_subnormal(format, bits)) continue;
    choice_set_add(set, zero_of_sign(format, format_is_negative(format, bits)),
                   "subnormal result flushed");
  }
  bool has_zero = false;
  for (size_t i = 0; i < set->count; i++) {
    has_zero |= format_is_zero(format, set->choices[i].bits);
  }
  if (!has_zero || PERMITTED(contract, zero_sign) != ZERO_SIGN_ANY) return;
  choice_set_add(set, zero_of_sign(format, false), "zero of the other sign");
  if (format_has_negative_zero(format)) {
    choice_set_add(set, zero_of_sign(format, true), "zero of the other sign");
  }
}

/* ---- Words ----------------------------------------------------------------------------------- */

static void print_bits(const element_t *element, uint64_t bits, GString *out_text) {
  if (element->format != NULL) {
    g_string_append_printf(out_text, "%a", format_to_double(element->format, bits));
  } else if (element->kind == ELEMENT_SIGNED) {
    g_string_append_printf(out_text, "%" PRId64, element_signed_value(element, bits));
  } else {
    g_string_append_printf(out_text, "%" PRIu64, bits);
  }
}

static void print_set(const choice_set_t *set, const element_t *element, char *out,
                      size_t out_bytes) {
  enum { PRINTED_MAX = 4 };
  GString *text = g_string_new(set->any ? "anything" : NULL);
  for (size_t i = 0; i < MIN(set->count, PRINTED_MAX) && !set->any; i++) {
    if (i > 0) g_string_append(text, " or ");
    print_bits(element, set->choices[i].bits, text);
  }
  if (set->nan && !set->any) g_string_append(text, set->count > 0 ? " or NaN" : "NaN");
  g_strlcpy(out, text->str, out_bytes);
  g_string_free(text, TRUE);
}

static bool are_infinite(const choice_set_t *set, const element_t *element) {
  bool are_all = set->count > 0 && element->format != NULL && !set->nan;
  for (size_t i = 0; i < set->count; i++) {
    are_all = are_all && format_is_infinity(element->format, set->choices[i].bits);
  }
  return are_all;
}

void choice_set_judge(const choice_set_t *set, const element_t *element, uint64_t bits,
                      answer_t *answer) {
  bool is_nan = element->format != NULL && format_is_nan(element->format, bits);
  bool is_held = set->nan && is_nan;
  for (size_t i = 0; i < set->count && !is_held; i++) {
    if (set->choices[i].bits != bits) continue;
    is_held = true;
    g_strlcpy(answer->observed, set->choices[i].by, sizeof answer->observed);
  }
  answer->conforms = is_held || set->any;
  answer->is_vacuous = set->any;
  answer->nan_expected = set->nan && set->count == 0 && !set->any;
  answer->infinity_expected = !set->any && are_infinite(set, element);
  print_set(set, element, answer->expected, sizeof answer->expected);
}

/* ---- Measures -------------------------------------------------------------------------------- */

void choice_set_measure(const choice_set_t *set, const format_t *format, mpfr_srcptr exact,
                        mpfr_srcptr magnitude, uint64_t bits, answer_t *answer) {
  if (!mpfr_number_p(exact) || set->nan) return;
  mpfr_t error, farthest;
  mpfr_inits2(mpfr_get_prec(exact) + 64, error, farthest, (mpfr_ptr)NULL);
  mpfr_set_zero(farthest, 1);
  bool are_finite = true;
  for (size_t i = 0; i < set->count; i++) {
    double value = format_to_double(format, set->choices[i].bits);
    are_finite = are_finite && isfinite(value);
    mpfr_set_d(error, value, MPFR_RNDN);
    mpfr_sub(error, error, exact, MPFR_RNDN);
    mpfr_abs(error, error, MPFR_RNDN);
    mpfr_max(farthest, farthest, error, MPFR_RNDN);
  }
  if (are_finite) answer_measure(answer, format, bits, exact, farthest, magnitude);
  mpfr_clears(error, farthest, (mpfr_ptr)NULL);
}
