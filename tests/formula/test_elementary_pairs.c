/* SPDX-License-Identifier: Apache-2.0 */
/* The elementary functions in pairs of binary64 numbers against MPFR: near the ends of their
 * pieces, near 1, tiny, large, and anywhere. */
#include <glib.h>
#include <math.h>
#include <mpfr.h>

#include "harness/base/rng.h"
#include "oracles/formula/fast/elementary_pairs.h"
#include "oracles/formula/fast/fast_pair_functions.h"
#include "oracles/formula/fast/function_values.h"

enum { RANDOM_NUMBERS = 20000, PRECISION = 200 };

typedef struct kernel {
  const char *name;
  pair_t (*compute)(double x);
  int (*reference)(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding);
  bool needs_positive;
  double (*change)(double x, double value, double d); /* NULL: it has none. */
} kernel_t;

static pair_t of_exp(double x) { return pair_exp(x); }
static pair_t of_exp2(double x) { return pair_exp2(x); }
static pair_t of_log(double x) { return pair_log(x); }
static pair_t of_erf(double x) { return pair_erf(x); }
static pair_t of_erfc(double x) { return pair_erfc(x); }
static pair_t of_tanh(double x) { return pair_tanh(x); }
static pair_t of_rsqrt(double x) { return pair_rsqrt(x); }
static pair_t of_cosine(double x) { return pair_cosine(x); }

static const kernel_t kernels[] = {
    {"exp", of_exp, mpfr_exp, false, exp_change},
    {"exp2", of_exp2, mpfr_exp2, false, exp2_change},
    {"log", of_log, mpfr_log, true, log_change},
    {"erf", of_erf, mpfr_erf, false, erf_change},
    {"erfc", of_erfc, mpfr_erfc, false, erfc_change},
    {"tanh", of_tanh, mpfr_tanh, false, tanh_change},
    {"rsqrt", of_rsqrt, mpfr_rec_sqrt, true, rsqrt_change},
    {"cosine", of_cosine, mpfr_cos, false, NULL},
};

typedef struct check {
  const kernel_t *kernel;
  double worst; /* Relative error, as a multiple of what is promised. */
  double worst_at;
  size_t told, untold;
  double worst_moved; /* Of values that are moved from x to a number near it. */
  mpfr_t exact, error;
} check_t;

/* The relative error of what was got of `check->exact`, as a multiple of what is promised. */
static double error_of(check_t *check, pair_t got) {
  mpfr_set_d(check->error, got.high, MPFR_RNDN);
  mpfr_add_d(check->error, check->error, got.low, MPFR_RNDN);
  mpfr_sub(check->error, check->error, check->exact, MPFR_RNDN);
  if (mpfr_zero_p(check->error)) return 0;
  mpfr_div(check->error, check->error, check->exact, MPFR_RNDN);
  return fabs(mpfr_get_d(check->error, MPFR_RNDA)) / ELEMENTARY_PAIR_ERROR;
}

/* theory.md, T275. */
static void check_moved(check_t *check, double x, pair_t value) {
  bool is_log = check->kernel->reference == mpfr_log;
  if (check->kernel->change == NULL || (is_log && fabs(value.high) < 0x1p-20)) return;
  if (check->told % 8 != 0) return; /* MPFR takes its time. */
  for (int place = -4; place <= 4; place += 4) {
    double d = x * (0x1p-49 * (place == 0 ? 1 : place));
    pair_t got = moved_by(value, d, check->kernel->change(x, value.high, d));
    mpfr_set_d(check->exact, x, MPFR_RNDN);
    mpfr_add_d(check->exact, check->exact, d, MPFR_RNDN);
    check->kernel->reference(check->exact, check->exact, MPFR_RNDN);
    check->worst_moved = fmax(check->worst_moved, error_of(check, got));
  }
}

static void check_number(check_t *check, double x) {
  if (!isfinite(x) || (check->kernel->needs_positive && !(x > 0))) return;
  pair_t got = check->kernel->compute(x);
  if (isnan(got.high)) {
    check->untold++;
    return;
  }
  check->told++;
  g_assert_true(got.high + got.low == got.high);
  mpfr_set_d(check->exact, x, MPFR_RNDN);
  check->kernel->reference(check->exact, check->exact, MPFR_RNDN);
  double error = error_of(check, got);
  check_moved(check, x, got);
  if (error <= check->worst) return;
  check->worst = error;
  check->worst_at = x;
}

static void check_around(check_t *check, double x) {
  const double around[] = {nextafter(x, -INFINITY), x, nextafter(x, INFINITY)};
  for (size_t i = 0; i < G_N_ELEMENTS(around); i++) {
    check_number(check, around[i]);
    check_number(check, -around[i]);
  }
}

static void check_random(check_t *check) {
  rng_t rng = rng_make(230);
  for (size_t i = 0; i < RANDOM_NUMBERS; i++) {
    double unit = (double)(rng_bits(&rng) >> 11) * 0x1p-52 - 1;
    check_number(check, 8 * unit);
    check_number(check, 700 * unit);
    check_number(check, ldexp(unit, (int)rng_below(&rng, 1000)));
    check_number(check, ldexp(unit, -(int)rng_below(&rng, 400)));
    check_number(check, 1 + ldexp(unit, -(int)rng_below(&rng, 52)));
    check_number(check, PAIR_ERFC_LARGE + ldexp(unit, -(int)rng_below(&rng, 20)));
  }
}

static void test_kernel(gconstpointer data) {
  check_t check = {.kernel = (const kernel_t *)data};
  mpfr_inits2(PRECISION, check.exact, check.error, (mpfr_ptr)0);
  const double places[] = {0,   0x1p-390, 0.17, 0.35, 0x1.6a09e667f3bcdp-1, 1,  PAIR_ERFC_LARGE,
                           6.5, 20,       25,   26.5, PAIR_EXP_MAX,         700};
  for (size_t i = 0; i < G_N_ELEMENTS(places); i++) check_around(&check, places[i]);
  check_random(&check);
  mpfr_clears(check.exact, check.error, (mpfr_ptr)0);
  g_test_message(
      "%s: at most 2^%.1f of the permitted error, at %a, and 2^%.1f near it; %zu told, %zu not",
      check.kernel->name, log2(check.worst), check.worst_at, log2(check.worst_moved), check.told,
      check.untold);
  g_assert_cmpfloat(check.worst, >, 0);
  g_assert_cmpfloat(check.worst, <=, 0x1p-8); /* Far less than promised. */
  g_assert_cmpuint(check.told, >, RANDOM_NUMBERS);
  g_assert_cmpfloat(check.worst_moved, <=, 0x1p-2);
}

/* What binary64 holds exactly is exact: exp(0), exp2(3), log(1), rsqrt(1/4). */
static void test_exact(void) {
  const struct {
    pair_t got;
    double value;
  } known[] = {{pair_exp(0), 1},      {pair_exp2(3), 8},   {pair_log(1), 0},
               {pair_rsqrt(0.25), 2}, {pair_erf(0), 0},    {pair_erfc(0), 1},
               {pair_tanh(0), 0},     {pair_cosine(0), 1}, {pair_exp2(-60), 0x1p-60}};
  for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
    g_assert_cmpfloat(known[i].got.high, ==, known[i].value);
    g_assert_cmpfloat(known[i].got.low, ==, 0);
  }
  g_assert_true(signbit(pair_erf(-0.0).high) != 0 && signbit(pair_tanh(-0.0).high) != 0);
}

/* What stands for numbers that round to 0 stands for them near x, too. */
static void test_tiny(void) {
  const double arguments[] = {-747, -1e4, -0x1p900, -0x1p1022};
  for (size_t i = 0; i < G_N_ELEMENTS(arguments); i++) {
    double x = arguments[i], d = x * 0x1p-47;
    g_assert_cmpfloat(moved_by(exp_of(x), d, exp_change(x, exp_of(x).high, d)).high, ==, PAIR_TINY);
    x *= 2;
    g_assert_cmpfloat(moved_by(exp2_of(x), d, exp2_change(x, exp2_of(x).high, d)).high, ==,
                      PAIR_TINY);
  }
}

static void test_untold(void) {
  const double strange[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++) {
    for (size_t n = 0; n < G_N_ELEMENTS(strange); n++) {
      g_assert_true(isnan(kernels[i].compute(strange[n]).high));
    }
  }
}

/* Rows of numbers, by whichever vector loops there are, have the bits of these functions one by
 * one; what may be zero is left out. */
static void test_rows(void) {
  enum { COUNT = 333 };
  static const elementary_t functions[] = {ELEMENTARY_exp,  ELEMENTARY_exp2, ELEMENTARY_log,
                                           ELEMENTARY_erf,  ELEMENTARY_erfc, ELEMENTARY_tanh,
                                           ELEMENTARY_rsqrt};
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(231);
  double x[COUNT], got[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    double unit = (double)(rng_bits(&rng) >> 11) * 0x1p-52 - 1;
    x[i] = i % 3 == 0 ? 8 * unit : i % 3 == 1 ? 900 * unit : ldexp(unit, -(int)(4 * i));
  }
  x[0] = 0, x[1] = -0.0, x[2] = (double)INFINITY, x[3] = -(double)INFINITY, x[4] = (double)NAN;
  for (size_t f = 0; f < G_N_ELEMENTS(functions); f++) {
    g_assert_true(function_values_has(functions[f]));
    function_values(functions[f], x, COUNT, &arena, got);
    for (size_t i = 0; i < COUNT; i++) {
      double alone = kernels[f].compute(x[i]).high;
      bool is_left = isnan(alone) || alone == 0;
      g_assert_true(is_left ? isnan(got[i]) : got[i] == alone);
    }
  }
  g_assert_false(function_values_has(ELEMENTARY_sin));
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++) {
    g_autofree char *path = g_strdup_printf("/elementary-pairs/%s", kernels[i].name);
    g_test_add_data_func(path, &kernels[i], test_kernel);
  }
  g_test_add_func("/elementary-pairs/exact", test_exact);
  g_test_add_func("/elementary-pairs/tiny", test_tiny);
  g_test_add_func("/elementary-pairs/untold", test_untold);
  g_test_add_func("/elementary-pairs/rows", test_rows);
  return g_test_run();
}
