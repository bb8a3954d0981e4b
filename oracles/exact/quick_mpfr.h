/* SPDX-License-Identifier: Apache-2.0 */
/* What MPFR does by general and slow ways, done to its digits: the same results, bit for bit, which
 * tests/formula/test_enclosed_hulls.c holds against MPFR. */
#ifndef ASSAY_ORACLES_EXACT_QUICK_MPFR_H
#define ASSAY_ORACLES_EXACT_QUICK_MPFR_H

#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/num/binary64.h"

_Static_assert(GMP_NUMB_BITS == 64, "digits of MPFR are taken to be 64 bits");

/* As mpfr_cmp_d(x, y), for numbers whose exponents tell most often. */
static inline int quick_compare(mpfr_srcptr x, double y) {
  uint64_t field = (binary64_bits(y) >> BINARY64_FRACTION_BITS) & 0x7ff;
  if (!mpfr_regular_p(x) || field == 0 || field == 0x7ff) return mpfr_cmp_d(x, y);
  int sign = mpfr_sgn(x) > 0 ? 1 : -1;
  if ((sign > 0) != (y > 0)) return sign;
  mpfr_exp_t exponent = (mpfr_exp_t)field - BINARY64_BIAS + 1;
  if (mpfr_get_exp(x) != exponent) return mpfr_get_exp(x) > exponent ? sign : -sign;
  return mpfr_cmp_d(x, y);
}

/* As mpfr_set_d(out, value, MPFR_RNDN), into a number of 128 bits. */
static inline void quick_set_double(mpfr_ptr out, double value) {
  uint64_t bits = binary64_bits(value);
  uint64_t field = (bits >> BINARY64_FRACTION_BITS) & 0x7ff;
  if (field == 0 || field == 0x7ff || mpfr_get_prec(out) != 128) {
    mpfr_set_d(out, value, MPFR_RNDN);
    return;
  }
  mp_limb_t *digits = mpfr_custom_get_significand(out);
  digits[0] = 0;
  digits[1] = UINT64_C(1) << 63 | bits << (63 - BINARY64_FRACTION_BITS);
  int kind = value < 0 ? -MPFR_REGULAR_KIND : MPFR_REGULAR_KIND;
  mpfr_custom_init_set(out, kind, (mpfr_exp_t)field - BINARY64_BIAS + 1, 128, digits);
}

enum { QUICK_TOP_BITS = 62 };

/* The first QUICK_TOP_BITS of the magnitude of a finite number other than zero, as a whole number
 * of so many bits, and whether there are others behind these. */
static inline uint64_t quick_top_bits(mpfr_srcptr x, bool *out_has_more) {
  const mp_limb_t *digits = mpfr_custom_get_significand(x);
  mpfr_prec_t top = (mpfr_get_prec(x) - 1) / 64;
  bool has_more = digits[top] << QUICK_TOP_BITS != 0;
  for (mpfr_prec_t i = 0; i < top && !has_more; i++) has_more = digits[i] != 0;
  *out_has_more = has_more;
  return digits[top] >> (GMP_NUMB_BITS - QUICK_TOP_BITS);
}

#endif
