/* SPDX-License-Identifier: Apache-2.0 */
/* The elementary functions of the fast evaluator against MPFR: all numbers of f16 and bf16, and
 * many of f32; and the ends of steps in which they are used. */
#include <float.h>
#include <glib.h>
#include <math.h>
#include <mpfr.h>

#include "harness/base/rng.h"
#include "harness/num/format.h"
#include "oracles/formula/elementary_kernels.h"
#include "oracles/formula/fast/fast_steps.h"

enum { RANDOM_NUMBERS = 40000, PRECISION = 72 };

typedef struct kernel {
  const char *name;
  double (*compute)(double x);
  int (*reference)(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding);
} kernel_t;

static double of_exp(double x) { return kernel_exp(x); }
static double of_exp2(double x) { return kernel_exp2(x); }
static double of_log(double x) { return kernel_log(x); }
static double of_erf(double x) { return kernel_erf(x); }
static double of_erfc(double x) { return kernel_erfc(x); }
static double of_tanh(double x) { return kernel_tanh(x); }
static double of_rsqrt(double x) { return kernel_rsqrt(x); }
static double of_expm1(double x) { return kernel_expm1(x); }
static double of_log1p(double x) { return kernel_log1p(x); }
static double of_sin(double x) { return kernel_sin(x); }
static double of_cos(double x) { return kernel_cos(x); }

static const kernel_t kernels[] = {
    {"exp", of_exp, mpfr_exp},          {"exp2", of_exp2, mpfr_exp2},
    {"log", of_log, mpfr_log},          {"erf", of_erf, mpfr_erf},
    {"erfc", of_erfc, mpfr_erfc},       {"tanh", of_tanh, mpfr_tanh},
    {"rsqrt", of_rsqrt, mpfr_rec_sqrt}, {"expm1", of_expm1, mpfr_expm1},
    {"log1p", of_log1p, mpfr_log1p},    {"sin", of_sin, mpfr_sin},
    {"cos", of_cos, mpfr_cos},
};

typedef struct check {
  const kernel_t *kernel;
  double worst; /* Relative error, as a multiple of what is promised. */
  double worst_at;
  mpfr_t exact;
} check_t;

/* What binary32 cannot hold must only be as far out. */
static void check_out_of_range(const check_t *check, double x, double got) {
  bool is_large = mpfr_cmpabs_ui(check->exact, 1) > 0;
  bool is_out = is_large ? fabs(got) > 0x1p128 : fabs(got) < 0x1p-150;
  if (!is_out || (got < 0) != (mpfr_sgn(check->exact) < 0)) {
    g_test_message("%s(%a) = %a", check->kernel->name, x, got);
  }
  g_assert_true(is_out);
}

static void check_number(check_t *check, double x) {
  bool needs_positive =
      check->kernel->reference == mpfr_log || check->kernel->reference == mpfr_rec_sqrt;
  if (!isfinite(x) || (needs_positive && !(x > 0))) return;
  double got = check->kernel->compute(x);
  bool is_periodic = check->kernel->reference == mpfr_sin || check->kernel->reference == mpfr_cos;
  bool is_left_out = (is_periodic && fabs(x) > KERNEL_PERIODIC_MAX) ||
                     (check->kernel->reference == mpfr_log1p && x <= -1);
  if (is_left_out) {
    g_assert_true(isnan(got));
    return;
  }
  mpfr_set_d(check->exact, x, MPFR_RNDN);
  check->kernel->reference(check->exact, check->exact, MPFR_RNDN);
  double nearest = mpfr_get_d(check->exact, MPFR_RNDN);
  if (nearest == 0 && x == 0) {
    g_assert_cmpfloat(got, ==, 0);
    g_assert_cmpint(signbit(got) != 0, ==, mpfr_signbit(check->exact) != 0);
    return;
  }
  if (fabs(nearest) > 0x1p128 || fabs(nearest) < 0x1p-150) {
    check_out_of_range(check, x, got);
    return;
  }
  mpfr_sub_d(check->exact, check->exact, got, MPFR_RNDN);
  double error = fabs(mpfr_get_d(check->exact, MPFR_RNDN) / nearest) / ELEMENTARY_KERNEL_ERROR;
  if (!(error <= check->worst)) {
    check->worst = error;
    check->worst_at = x;
  }
}

static void check_format(check_t *check, const format_t *format) {
  for (uint64_t bits = 0; bits < 1 << 16; bits++)
    check_number(check, format_to_double(format, bits));
}

/* Those that are called with arguments of binary64 too: theory.md, T125. */
static bool takes_binary64(const kernel_t *kernel) {
  return kernel->reference == mpfr_exp || kernel->reference == mpfr_exp2 ||
         kernel->reference == mpfr_log || kernel->reference == mpfr_rec_sqrt;
}

static void check_random(check_t *check) {
  rng_t rng = rng_make(1);
  for (size_t i = 0; i < RANDOM_NUMBERS; i++) {
    uint64_t bits = rng_bits(&rng) & UINT32_MAX;
    check_number(check, format_to_double(&format_table[FORMAT_f32], bits));
    double x = (double)rng_between(&rng, -(1 << 30), 1 << 30) * 0x1p-26;
    check_number(check, (double)(float)x);
    if (!takes_binary64(check->kernel)) continue;
    double near = (double)rng_between(&rng, -(1 << 30), 1 << 30) * 0x1p-70;
    check_number(check, x + near);
    check_number(check, x * 0x1p-5 * (1 + near)); /* Near 1, too. */
    check_number(check, 1 + (double)rng_between(&rng, -(1 << 30), 1 << 30) * 0x1p-50);
  }
}

static void test_kernel(gconstpointer data) {
  check_t check = {.kernel = (const kernel_t *)data};
  mpfr_init2(check.exact, PRECISION);
  check_format(&check, &format_table[FORMAT_f16]);
  check_format(&check, &format_table[FORMAT_bf16]);
  check_random(&check);
  mpfr_clear(check.exact);
  g_test_message("%s: at most %.3f of the permitted error, at %a", check.kernel->name, check.worst,
                 check.worst_at);
  g_assert_cmpfloat(check.worst, >, 0);
  g_assert_cmpfloat(check.worst, <=, 1);
}

static void test_nan(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++) {
    g_assert_true(isnan(kernels[i].compute((double)NAN)));
  }
}

/* Ends of steps that may stay unrounded (theory.md, T125): products that binary64 rounds to the
 * middle of two binary32 numbers lie on one side of it, and so does what they round to. */
static void test_wide_ends(void) {
  enum { PRODUCTS = 200000 };
  rng_t rng = rng_make(125);
  size_t ties = 0;
  for (int i = 0; i < PRODUCTS; i++) {
    double middle = 1 + (2 * (double)rng_below(&rng, 1 << 20) + 1) * 0x1p-24;
    double a = 1 + (double)rng_below(&rng, UINT64_C(1) << 52) * 0x1p-52, b = middle / a, x = a * b;
    double beyond = fma(a, b, -x);
    if (x != middle || beyond == 0) continue;
    ties++;
    float rounded = nextafterf((float)x, beyond > 0 ? INFINITY : -INFINITY);
    bool is_beyond = beyond > 0 ? (double)(float)x > x : (double)(float)x < x;
    if (is_beyond) rounded = (float)x;
    double low = low_end((step_value_t){x, 0}, true), high = high_end((step_value_t){x, 0}, true);
    g_assert_true(fmin(x, (double)rounded) <= low && low <= x);
    g_assert_true(x <= high && high <= fmax(x, (double)rounded));
  }
  g_assert_cmpuint(ties, >, PRODUCTS / 20);
  const double small[] = {0x1.4p-149, 0x1.0000008p-127, 0x1p-160};
  for (size_t i = 0; i < G_N_ELEMENTS(small); i++) { /* Nothing but itself is sure. */
    g_assert_true(low_end((step_value_t){small[i], 0}, true) == small[i]);
    g_assert_true(high_end((step_value_t){-small[i], 0}, true) == -small[i]);
  }
  g_assert_true(low_end((step_value_t){0x1p-160, 1}, true) == 0x1p-160); /* Zeros lie apart. */
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++) {
    g_autofree char *path = g_strdup_printf("/elementary-kernels/%s", kernels[i].name);
    g_test_add_data_func(path, &kernels[i], test_kernel);
  }
  g_test_add_func("/elementary-kernels/nan", test_nan);
  g_test_add_func("/elementary-kernels/wide-ends", test_wide_ends);
  return g_test_run();
}
