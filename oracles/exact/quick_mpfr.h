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
#include "harness/num/format.h"

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

/* What `x` is rounded to by the format, to nearest even, and on which side of x that lies: above 0
 * if it is greater.  False, and nothing, where the result may be no normal number of the format, or
 * beyond its last binade's begin. */
static inline bool quick_round(const format_t *format, mpfr_srcptr x, double *out_nearest,
                               int *out_side) {
  if (!mpfr_regular_p(x) || format->specials == FORMAT_EXPONENT_ONLY) return false;
  mpfr_exp_t exponent = mpfr_get_exp(x) - 1;
  if (exponent < format->exponent_min || exponent >= format->exponent_max) return false;
  bool has_more;
  uint64_t top = quick_top_bits(x, &has_more);
  int drop = QUICK_TOP_BITS - format->precision;
  uint64_t kept = top >> drop, rest = top & ((UINT64_C(1) << drop) - 1);
  uint64_t half = UINT64_C(1) << (drop - 1);
  bool is_up = rest > half || (rest == half && (has_more || (kept & 1) != 0));
  kept += is_up;
  /* What is carried goes on into the exponent, where the leading bit is added too. */
  uint64_t bits = ((uint64_t)(exponent + BINARY64_BIAS - 1) << BINARY64_FRACTION_BITS) +
                  (kept << (BINARY64_FRACTION_BITS + 1 - format->precision));
  bool is_negative = mpfr_sgn(x) < 0;
  *out_nearest = binary64_value(is_negative ? bits | BINARY64_SIGN : bits);
  int side = is_up ? 1 : rest != 0 || has_more ? -1 : 0;
  *out_side = is_negative ? -side : side;
  return true;
}

#endif
