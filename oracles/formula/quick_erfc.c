/* SPDX-License-Identifier: Apache-2.0 */
/* erfc by a continued fraction whose rest is bounded beforehand; where that does not tell how to
 * round, MPFR is asked. */
#include "oracles/formula/quick_erfc.h"

#include <stdbool.h>

enum {
  PRECISION = 192,
  SQUARE_PRECISION = 320,  /* Holds x^2 of 128 bits, and whole numbers added to it. */
  CERTAIN_BITS = 147,      /* Of the value: theory.md, T242. */
  OPERAND_PRECISION = 128, /* Of results, too. */
};

/* Levels after which the rest is small enough; `z` = x^2. */
static unsigned long count_levels(double z) { return 12 + (unsigned long)(1500 / z); }

/* Whether the first quotient errs by less than 2^-150 of itself after so many levels. */
static bool is_small_rest(double z, unsigned long levels) {
  double rest = (double)levels + 1;
  for (unsigned long k = 0; k < levels; k++) {
    double level = (double)k + 1;
    rest *= (level / (z + level)) * (level / (z + level));
  }
  return rest < 0x1p-151 * z;
}

/* t_0 of t_k = z + 2 k + 1/2 - (k + 1/2) (k + 1) / t_(k+1). */
static void find_quotient(mpfr_ptr out, mpfr_srcptr z, unsigned long levels) {
  mpfr_t linear, part;
  mpfr_init2(linear, SQUARE_PRECISION);
  mpfr_init2(part, PRECISION);
  mpfr_add_d(linear, z, 2 * (double)levels + 0.5, MPFR_RNDN);
  mpfr_set(out, linear, MPFR_RNDN);
  for (unsigned long k = levels; k-- > 0;) {
    mpfr_sub_ui(linear, linear, 2, MPFR_RNDN);
    mpfr_ui_div(part, (2 * k + 1) * (k + 1), out, MPFR_RNDN);
    mpfr_div_2ui(part, part, 1, MPFR_RNDN);
    mpfr_sub(out, linear, part, MPFR_RNDN);
  }
  mpfr_clears(linear, part, (mpfr_ptr)0);
}

int quick_erfc(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding) {
  bool is_directed = rounding == MPFR_RNDD || rounding == MPFR_RNDU;
  bool is_inside = mpfr_regular_p(x) && mpfr_cmp_ui(x, 5) >= 0 && mpfr_cmp_ui(x, 21) <= 0;
  if (!is_directed || !is_inside || mpfr_get_prec(out) > OPERAND_PRECISION ||
      mpfr_get_prec(x) > OPERAND_PRECISION) {
    return mpfr_erfc(out, x, rounding);
  }
  mpfr_t z, quotient, factor;
  mpfr_init2(z, SQUARE_PRECISION);
  mpfr_inits2(PRECISION, quotient, factor, (mpfr_ptr)0);
  mpfr_sqr(z, x, MPFR_RNDN); /* Exact. */
  double below = mpfr_get_d(z, MPFR_RNDD);
  unsigned long levels = count_levels(below);
  find_quotient(quotient, z, levels);
  mpfr_neg(z, z, MPFR_RNDN);
  mpfr_exp(factor, z, MPFR_RNDN);
  mpfr_mul(factor, factor, x, MPFR_RNDN);
  mpfr_div(quotient, factor, quotient, MPFR_RNDN);
  mpfr_const_pi(factor, MPFR_RNDN);
  mpfr_rec_sqrt(factor, factor, MPFR_RNDN);
  mpfr_mul(quotient, quotient, factor, MPFR_RNDN);
  bool is_known = is_small_rest(below, levels) &&
                  mpfr_can_round(quotient, CERTAIN_BITS, MPFR_RNDN, rounding, mpfr_get_prec(out));
  int direction = is_known ? mpfr_set(out, quotient, rounding) : mpfr_erfc(out, x, rounding);
  mpfr_clears(z, quotient, factor, (mpfr_ptr)0);
  return direction;
}
