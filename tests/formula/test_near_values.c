/* SPDX-License-Identifier: Apache-2.0 */
/* What derivatives tell of a function near a number at which it is known, against MPFR
 * (theory.md, T293): at all distances that the fast evaluator takes for near. */
#include <glib.h>
#include <math.h>
#include <mpfr.h>

#include "harness/base/rng.h"
#include "oracles/formula/fast/fast_functions.h"

enum { NUMBERS = 60000, PRECISION = 90 };

typedef struct near_function {
  const char *name;
  double (*compute)(double x);
  double (*change)(double x, double value, double d);
  int (*reference)(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding);
  const nearness_t *nearness;
  double largest; /* Beyond which binary32 holds no result that is not 0, 1 or infinite. */
} near_function_t;

static double of_exp(double x) { return kernel_exp(x); }
static double of_erf(double x) { return kernel_erf(x); }
static double of_erfc(double x) { return kernel_erfc(x); }
static double of_tanh(double x) { return kernel_tanh(x); }
static double change_of_exp(double x, double value, double d) { return exp_change(x, value, d); }
static double change_of_erf(double x, double value, double d) { return erf_change(x, value, d); }
static double change_of_erfc(double x, double value, double d) { return erfc_change(x, value, d); }
static double change_of_tanh(double x, double value, double d) { return tanh_change(x, value, d); }

static const near_function_t functions[] = {
    {"exp", of_exp, change_of_exp, mpfr_exp, &near_absolutely, 104},
    {"erf", of_erf, change_of_erf, mpfr_erf, &near_relatively, 10.5},
    {"erfc", of_erfc, change_of_erfc, mpfr_erfc, &near_relatively, 10.5},
    {"tanh", of_tanh, change_of_tanh, mpfr_tanh, &near_relatively, 10.5},
};

/* A number of binary32, most of them of ordinary size. */
static double draw_number(rng_t *rng, double largest) {
  double fraction = (double)rng_between(rng, -(1 << 24), 1 << 24) * 0x1p-24;
  int64_t exponent = rng_between(rng, -30, 0);
  return (double)(float)ldexp(fraction * largest, rng_one_in(rng, 2) ? 0 : (int)exponent);
}

static void test_function(gconstpointer data) {
  const near_function_t *function = data;
  rng_t rng = rng_make(20261130);
  mpfr_t exact, error;
  mpfr_inits2(PRECISION, exact, error, (mpfr_ptr)0);
  double worst = 0;
  size_t moved = 0;
  for (size_t i = 0; i < NUMBERS; i++) {
    double x = draw_number(&rng, function->largest);
    double reach = function->nearness->relative * fabs(x) + function->nearness->absolute;
    double y = x + reach * (double)rng_between(&rng, -(1 << 20), 1 << 20) * 0x1p-20;
    if (!is_near(x, y, function->nearness) || fabs(x) > function->nearness->most) continue;
    moved += y != x;
    double d = distance_to(x, y), value = function->compute(x);
    double got = moved_by(value, d, function->change(x, value, d));
    mpfr_set_d(exact, y, MPFR_RNDN);
    function->reference(exact, exact, MPFR_RNDN);
    mpfr_d_sub(error, got, exact, MPFR_RNDN);
    if (mpfr_zero_p(error)) continue;
    mpfr_div(error, error, exact, MPFR_RNDN);
    worst = fmax(worst, fabs(mpfr_get_d(error, MPFR_RNDN)));
  }
  mpfr_clears(exact, error, (mpfr_ptr)0);
  g_test_message("%s: 2^%.1f", function->name, log2(worst));
  g_assert_cmpuint(moved, >, NUMBERS / 2);
  g_assert_cmpfloat(worst, <, ELEMENTARY_KERNEL_ERROR);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(functions); i++) {
    char *path = g_strdup_printf("/near-values/%s", functions[i].name);
    g_test_add_data_func(path, &functions[i], test_function);
    g_free(path);
  }
  return g_test_run();
}
