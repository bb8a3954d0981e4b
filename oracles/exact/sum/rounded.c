/* SPDX-License-Identifier: Apache-2.0 */
/* Adds any number of values or products with MPFR, at a precision that holds the exact sum, and
 * rounds once; optionally cuts addends to a common alignment first. Infinities, NaNs and signed
 * zeros are settled beforehand. */
#include "oracles/exact/sum/rounded.h"

#include <glib.h>
#include <math.h>
#include <stdbool.h>

#include "oracles/exact/value_range.h"

enum { PRODUCT_BITS = 2 * 53 }; /* Holds the product of two binary64 numbers. */

/* The sum of specials in *out_value, and true, if there is a special addend or nothing but zeros.
 */
static bool sum_specials(const rounded_sum_t *sum, double *out_value) {
  double specials = -0.0;
  bool decided = false;
  bool is_zero = true;
  for (size_t i = 0; i < sum->count; i++) {
    double product = sum->left[i] * sum->right[i];
    bool is_special = !isfinite(sum->left[i]) || !isfinite(sum->right[i]);
    bool is_zero_addend = sum->left[i] == 0 || sum->right[i] == 0;
    if (is_special || is_zero_addend) specials += product;
    decided = decided || is_special;
    is_zero = is_zero && is_zero_addend;
  }
  *out_value = specials;
  return decided || is_zero;
}

/* The exponent of a finite number that is not zero. */
static int exponent_of(double value) { return ilogb(value); }

/* Cuts an addend to a multiple of 2^unit. */
static void cut(mpfr_ptr addend, int unit) {
  mpfr_mul_2si(addend, addend, -unit, MPFR_RNDN);
  mpfr_trunc(addend, addend);
  mpfr_mul_2si(addend, addend, unit, MPFR_RNDN);
}

static void cut_all(const rounded_sum_t *sum, mpfr_t *addends) {
  bool found = false;
  int largest = 0;
  for (size_t i = 0; i < sum->count; i++) {
    if (mpfr_zero_p(addends[i])) continue;
    int exponent = sum->exponents != NULL ? (int)sum->exponents[i]
                                          : exponent_of(sum->left[i]) + exponent_of(sum->right[i]);
    if (!found || exponent > largest) largest = exponent;
    found = true;
  }
  for (size_t i = 0; i < sum->count; i++) cut(addends[i], largest - sum->aligned_bits + 1);
}

/* The exact sum of all addends fits: the exponents of products span less than 4400 bits. */
static double sum_finite(const rounded_sum_t *sum, mpfr_t *addends, mpfr_ptr *pointers) {
  enum { EXACT_BITS = 4400 };
  for (size_t i = 0; i < sum->count; i++) {
    mpfr_init2(addends[i], PRODUCT_BITS);
    mpfr_set_d(addends[i], sum->left[i], MPFR_RNDN);
    mpfr_mul_d(addends[i], addends[i], sum->right[i], MPFR_RNDN);
    pointers[i] = addends[i];
  }
  if (sum->aligned_bits > 0) cut_all(sum, addends);
  mpfr_t total;
  mpfr_init2(total, EXACT_BITS);
  mpfr_sum(total, pointers, sum->count, MPFR_RNDN);
  if (sum->cuts_sum && !mpfr_zero_p(total)) {
    cut(total, (int)mpfr_get_exp(total) - sum->aligned_bits);
  }
  double value = 0;
  bool is_beyond = !mpfr_zero_p(total) && mpfr_get_exp(total) > sum->format->exponent_max + 1;
  if (is_beyond && sum->overflows && format_has_infinity(sum->format)) {
    value = copysign((double)INFINITY, mpfr_sgn(total));
  } else if (!mpfr_zero_p(total)) {
    uint64_t bits = format_from_mpfr(sum->format, total, sum->rounding, OVERFLOW_FORMAT);
    value = format_to_double(sum->format, bits);
  }
  mpfr_clear(total);
  for (size_t i = 0; i < sum->count; i++) mpfr_clear(addends[i]);
  return value;
}

double rounded_sum(const rounded_sum_t *sum) {
  double value;
  if (sum_specials(sum, &value)) {
    return format_to_double(sum->format, format_from_double(sum->format, value));
  }
  mpfr_t *addends = g_new(mpfr_t, sum->count);
  mpfr_ptr *pointers = g_new(mpfr_ptr, sum->count);
  value = sum_finite(sum, addends, pointers);
  g_free(pointers);
  g_free(addends);
  return value;
}
