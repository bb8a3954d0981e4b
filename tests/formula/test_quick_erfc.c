/* SPDX-License-Identifier: Apache-2.0 */
/* quick_erfc() gives the bits of mpfr_erfc(), of arguments of few bits and of many, within the
 * range that it treats itself, around the ends of that, and elsewhere (theory.md, T242). */
#include "oracles/formula/quick_erfc.h"

#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"

enum { ROUNDS = 1200 };

static void draw(rng_t *rng, mpfr_ptr out) {
  static const double places[] = {5, 21, -5, 0, 2.5, 26, 40};
  double unit = (double)(rng_bits(rng) >> 11) * 0x1p-53;
  double value = 5 + 16 * unit * unit; /* MPFR is slow above 10. */
  uint64_t pick = rng_below(rng, 8);
  if (pick == 0) value = places[rng_below(rng, G_N_ELEMENTS(places))];
  if (pick == 1) value = (double)(float)value;
  if (pick == 2) value = -value;
  mpfr_set_d(out, value, MPFR_RNDN);
  if (pick < 5) return;
  mpfr_div_ui(out, out, 3, MPFR_RNDN); /* Of all bits. */
  mpfr_mul_ui(out, out, 3, MPFR_RNDN);
  if (pick == 5) mpfr_nextabove(out);
}

static void test_same(void) {
  static const mpfr_prec_t precisions[] = {24, 53, 128};
  rng_t rng = rng_make(242);
  mpfr_t x;
  mpfr_init2(x, 128);
  for (size_t round = 0; round < ROUNDS; round++) {
    mpfr_t quick, plain;
    mpfr_inits2(precisions[rng_below(&rng, G_N_ELEMENTS(precisions))], quick, plain, (mpfr_ptr)0);
    mpfr_rnd_t rounding = rng_one_in(&rng, 2) ? MPFR_RNDD : MPFR_RNDU;
    draw(&rng, x);
    int direction = quick_erfc(quick, x, rounding), plainly = mpfr_erfc(plain, x, rounding);
    g_assert_true(mpfr_equal_p(quick, plain));
    g_assert_cmpint((direction > 0) - (direction < 0), ==, (plainly > 0) - (plainly < 0));
    mpfr_clears(quick, plain, (mpfr_ptr)0);
  }
  mpfr_clear(x);
}

/* Numbers that are no numbers, and none at all, are left to MPFR. */
static void test_strange(void) {
  static const double strange[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0, 1e300};
  mpfr_t x, quick, plain;
  mpfr_inits2(128, x, quick, plain, (mpfr_ptr)0);
  for (size_t i = 0; i < G_N_ELEMENTS(strange); i++) {
    mpfr_set_d(x, strange[i], MPFR_RNDN);
    quick_erfc(quick, x, MPFR_RNDD);
    mpfr_erfc(plain, x, MPFR_RNDD);
    g_assert_true(mpfr_equal_p(quick, plain) || (mpfr_nan_p(quick) && mpfr_nan_p(plain)));
  }
  mpfr_clears(x, quick, plain, (mpfr_ptr)0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/quick-erfc/same", test_same);
  g_test_add_func("/quick-erfc/strange", test_strange);
  return g_test_run();
}
