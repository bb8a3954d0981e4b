/* SPDX-License-Identifier: Apache-2.0 */
/* The least and the greatest product and quotient of the numbers of two intervals: of ends that
 * their signs tell, so that nothing is computed that is thrown away.  theory.md, T241. */
#include "oracles/formula/enclosed_set.h"

/* The ends of both operands that make the ends of the hull. */
typedef struct corners {
  mpfr_srcptr low[2];
  mpfr_srcptr high[2];
} corners_t;

/* 0 times no bound is 0. */
static void set_product(mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding) {
  if (mpfr_zero_p(x) || mpfr_zero_p(y)) {
    mpfr_set_zero(out, 1);
  } else {
    mpfr_mul(out, x, y, rounding);
  }
}

/* Which ends make the least and the greatest product, if `a` keeps to one side of zero: theory.md,
 * T241. */
static corners_t find_product_corners(const enclosed_t *a, const enclosed_t *b) {
  bool b_reaches_below = mpfr_sgn(b->low) < 0, b_reaches_above = mpfr_sgn(b->high) > 0;
  if (mpfr_sgn(a->low) >= 0) {
    return (corners_t){{b_reaches_below ? a->high : a->low, b->low},
                       {b_reaches_above ? a->high : a->low, b->high}};
  }
  return (corners_t){{b_reaches_above ? a->low : a->high, b->high},
                     {b_reaches_below ? a->low : a->high, b->low}};
}

static bool keeps_side(const enclosed_t *a) {
  return mpfr_sgn(a->low) >= 0 || mpfr_sgn(a->high) <= 0;
}

/* The hull of all products, where both operands have numbers on both sides of zero. */
static void set_mixed_products(mpfr_ptr low, mpfr_ptr high, const enclosed_t *a,
                               const enclosed_t *b) {
  LOCAL_NUMBER(other);
  set_product(low, a->low, b->high, MPFR_RNDD);
  set_product(other, a->high, b->low, MPFR_RNDD);
  mpfr_min(low, low, other, MPFR_RNDD);
  set_product(high, a->low, b->low, MPFR_RNDU);
  set_product(other, a->high, b->high, MPFR_RNDU);
  mpfr_max(high, high, other, MPFR_RNDU);
}

void enclosed_hull_of_products(mpfr_ptr low, mpfr_ptr high, const enclosed_t *a,
                               const enclosed_t *b) {
  if (!keeps_side(a) && !keeps_side(b)) {
    set_mixed_products(low, high, a, b);
    return;
  }
  corners_t corners = keeps_side(a) ? find_product_corners(a, b) : find_product_corners(b, a);
  set_product(low, corners.low[0], corners.low[1], MPFR_RNDD);
  set_product(high, corners.high[0], corners.high[1], MPFR_RNDU);
}

/* Zero stands for the quotient of two ends without bound: numbers of both tend to it. */
static void set_quotient(mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding) {
  if (mpfr_inf_p(x) && mpfr_inf_p(y)) {
    mpfr_set_zero(out, 1);
  } else {
    mpfr_div(out, x, y, rounding);
  }
}

void enclosed_hull_of_quotients(mpfr_ptr low, mpfr_ptr high, const enclosed_t *a,
                                const enclosed_t *b) {
  bool is_positive = mpfr_sgn(b->low) > 0;
  mpfr_srcptr nearest = is_positive ? b->low : b->high, farthest = is_positive ? b->high : b->low;
  mpfr_srcptr least = is_positive ? a->low : a->high, greatest = is_positive ? a->high : a->low;
  bool falls = is_positive ? mpfr_sgn(least) < 0 : mpfr_sgn(least) > 0;
  bool rises = is_positive ? mpfr_sgn(greatest) > 0 : mpfr_sgn(greatest) < 0;
  set_quotient(low, least, falls ? nearest : farthest, MPFR_RNDD);
  set_quotient(high, greatest, rises ? nearest : farthest, MPFR_RNDU);
}
