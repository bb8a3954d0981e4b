/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding of rationals, written for plainness: to a float format, and to integers. */
#ifndef ASSAY_TESTS_OPS_NAIVE_RATIONAL_H
#define ASSAY_TESTS_OPS_NAIVE_RATIONAL_H

#include <glib.h>
#include <gmp.h>
#include <math.h>

#include "harness/num/format.h"

typedef enum rational_ties { TIES_EVEN, TIES_AWAY } rational_ties_t;

/* The integer nearest to q: floor(q + 1/2), but for some ties one less. */
static inline void rational_round(mpz_t out, const mpq_t q, rational_ties_t ties) {
  mpz_t numerator, denominator, rest;
  mpz_inits(numerator, denominator, rest, NULL);
  mpz_mul_ui(denominator, mpq_denref(q), 2);
  mpz_mul_ui(numerator, mpq_numref(q), 2);
  mpz_add(numerator, numerator, mpq_denref(q));
  mpz_fdiv_qr(out, rest, numerator, denominator);
  bool is_tie = mpz_sgn(rest) == 0;
  bool is_one_less = ties == TIES_EVEN ? mpz_odd_p(out) != 0 : mpq_sgn(q) < 0;
  if (is_tie && is_one_less) mpz_sub_ui(out, out, 1);
  mpz_clears(numerator, denominator, rest, NULL);
}

/* q * 2^exponent */
static inline void rational_scale(mpq_t out, const mpq_t q, long exponent) {
  if (exponent >= 0) {
    mpq_mul_2exp(out, q, (mp_bitcnt_t)exponent);
  } else {
    mpq_div_2exp(out, q, (mp_bitcnt_t)-exponent);
  }
}

/* Exponent e with 2^e <= |q| < 2^(e+1), q not zero. */
static inline long rational_binade(const mpq_t q) {
  mpq_t magnitude, scaled;
  mpq_inits(magnitude, scaled, NULL);
  mpq_abs(magnitude, q);
  long e = (long)mpz_sizeinbase(mpq_numref(q), 2) - (long)mpz_sizeinbase(mpq_denref(q), 2);
  rational_scale(scaled, magnitude, -e);
  if (mpq_cmp_ui(scaled, 1, 1) < 0) e--;
  mpq_clears(magnitude, scaled, NULL);
  return e;
}

/* q rounded to a format with infinities, to nearest, ties to even; false if it overflows.  The sign
 * of a zero is lost. */
static inline bool rational_round_float(const format_t *format, mpq_t inout_q) {
  if (mpq_sgn(inout_q) == 0) return true;
  long quantum = MAX(rational_binade(inout_q), (long)format->exponent_min) - format->precision + 1;
  mpz_t whole;
  mpz_init(whole);
  rational_scale(inout_q, inout_q, -quantum);
  rational_round(whole, inout_q, TIES_EVEN);
  mpq_set_z(inout_q, whole);
  rational_scale(inout_q, inout_q, quantum);
  mpz_clear(whole);
  mpq_t largest;
  mpq_init(largest);
  mpq_set_d(largest, format_to_double(format, format->largest_bits));
  bool is_finite = mpq_cmp(inout_q, largest) <= 0;
  mpq_neg(largest, largest);
  is_finite = is_finite && mpq_cmp(inout_q, largest) >= 0;
  mpq_clear(largest);
  return is_finite;
}

#endif
