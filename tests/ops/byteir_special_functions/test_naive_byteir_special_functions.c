/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.erf and byteir.gelu a second time: erf as the document names it, x Phi(x), and
 * x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, in MPFR. */
#include "tests/ops/naive_formula.h"

enum { NUMBERS = 40 };

/* Numbers of both signs, low <= |x| <= high. */
typedef struct interval {
  double low;
  double high;
} interval_t;

static const interval_t intervals[] = {{0x1p-10, 0.25}, {0.25, 1}, {1, 2.5}, {2.5, 5}, {5, 12}};

static void exact_erf(mpfr_ptr out, double x) {
  mpfr_set_d(out, x, MPFR_RNDN);
  mpfr_erf(out, out, MPFR_RNDN);
}

static void exact_gelu(mpfr_ptr out, double x) {
  mpfr_sqrt_ui(out, 2, MPFR_RNDN);
  mpfr_d_div(out, -x, out, MPFR_RNDN);
  mpfr_erfc(out, out, MPFR_RNDN);
  mpfr_mul_d(out, out, x / 2, MPFR_RNDN);
}

/* z = sqrt(2 / pi) (x + 0.044715 x^3) */
static void exact_cubic(mpfr_ptr out, double x) {
  mpfr_t root;
  mpfr_init2(root, FORMULA_PRECISION);
  mpfr_set_str(out, "0.044715", 10, MPFR_RNDN);
  mpfr_mul_d(out, out, x, MPFR_RNDN);
  mpfr_mul_d(out, out, x, MPFR_RNDN);
  mpfr_mul_d(out, out, x, MPFR_RNDN);
  mpfr_add_d(out, out, x, MPFR_RNDN);
  mpfr_const_pi(root, MPFR_RNDN);
  mpfr_ui_div(root, 2, root, MPFR_RNDN);
  mpfr_sqrt(root, root, MPFR_RNDN);
  mpfr_mul(out, out, root, MPFR_RNDN);
  mpfr_clear(root);
}

static void exact_gelu_tanh(mpfr_ptr out, double x) {
  exact_cubic(out, x);
  mpfr_tanh(out, out, MPFR_RNDN);
  mpfr_add_ui(out, out, 1, MPFR_RNDN);
  mpfr_mul_d(out, out, x / 2, MPFR_RNDN);
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* So many ulps: exactly, since nothing comes after the function. */
static double erf_error(double x, double y, const setting_t *setting) {
  (void)x;
  double ulps = !setting->is_backend ? 1 : 5;
  int exponent;
  frexp(y, &exponent);
  return ldexp(ulps * 2 * setting->u, exponent - 1);
}

/* t = x / sqrt(2) by two roundings, 2 u; erf' = 2 / sqrt(pi) exp(-t^2).  0.5 x (1 + erf(t)): the
 * function, the addition, and two products.  0.5 x erfc(-t): an error of t is one of
 * t erfc'(t) / erfc(t) times as much of the function. */
static double gelu_error(double x, double y, const setting_t *setting) {
  double erf_ulps = setting->is_backend ? 5 : 1, erfc_ulps = setting->is_backend ? 16 : 1;
  double t = x / sqrt(2), slope = 2 / sqrt(M_PI) * exp(-t * t);
  double sum = fabs(x) / 2 * (2 * fabs(t) * slope + 2 * erf_ulps * fabs(erf(t)) + erfc(-t));
  double complement = fabs(x) / 2 * (2 * fabs(t) * slope + 2 * erfc_ulps * erfc(-t));
  return (fmax(sum, complement) + 3 * fabs(y)) * setting->u * 1.001 + 4 * setting->eta;
}

/* z by 8 roundings of its factors; the rest likewise.  x / (1 + exp(-2 z)): what exp errs by counts
 * by its part of the sum, 1 - sigma. */
static double gelu_tanh_error(double x, double y, const setting_t *setting) {
  double tanh_ulps = setting->is_backend ? 5 : 1, exp_ulps = setting->is_backend ? 3 : 1;
  double z = sqrt(2 / M_PI) * (x + 0.044715 * x * x * x), value = tanh(z);
  double slope = 1 / (cosh(z) * cosh(z)), rest = 1 / (1 + exp(2 * z));
  double sum = fabs(x) / 2 * (8 * fabs(z) * slope + 2 * tanh_ulps * fabs(value) + 1 + value);
  double logistic = fabs(y) * ((16 * fabs(z) + 2 * exp_ulps) * rest + 2);
  return (fmax(sum, logistic) + 3 * fabs(y)) * setting->u * 1.001 + 4 * setting->eta;
}

/* ---- In C ------------------------------------------------------------------------------------ */

static float plain_erf(float x, int way) {
  return way == 0 ? (float)erf((double)x) : -(float)erf(-(double)x);
}

static float plain_gelu(float x, int way) {
  float t = way % 2 == 0 ? x * 0.70710678F : x / 1.41421356F;
  float half = x * 0.5F;
  if (way < 2) return half * (1 + (float)erf((double)t));
  return half * (float)erfc(-(double)t);
}

static float plain_gelu_tanh(float x, int way) {
  const float k = 0.797884561F, c = 0.044715F;
  float cubic = way % 2 == 0 ? k * (x + c * (x * x * x)) : k * x * (1 + c * (x * x));
  if (way < 2) return x * (0.5F * (1 + (float)tanh((double)cubic)));
  return x / (1 + (float)exp((double)(cubic * -2)));
}

/* ---- Cases ----------------------------------------------------------------------------------- */

typedef struct function {
  const char *words;
  void (*exact)(mpfr_ptr out, double x);
  double (*error)(double x, double y, const setting_t *setting);
  float (*plain)(float x, int way);
  int ways;
} function_t;

static const function_t functions[] = {
    {"byteir.erf", exact_erf, erf_error, plain_erf, 2},
    {"byteir.gelu approximate=none", exact_gelu, gelu_error, plain_gelu, 4},
    {"byteir.gelu approximate=erf", exact_gelu, gelu_error, plain_gelu, 4},
    {"byteir.gelu approximate=tanh", exact_gelu_tanh, gelu_tanh_error, plain_gelu_tanh, 4},
};

static void check_interval(const function_t *function, const setting_t *setting,
                           const interval_t *interval, reach_t *reach) {
  g_autofree char *line = g_strdup_printf("%s %s[%d] -> %s[%d]", function->words, setting->element,
                                          NUMBERS, setting->element, NUMBERS);
  arena_t arena;
  arena_init(&arena);
  const char *violation = NULL;
  program_t program = check_parse(line, &arena, &violation);
  case_t instance = case_make(&arena, &program);
  rng_t rng = rng_make(0xe1f);
  double x[NUMBERS];
  for (size_t i = 0; i < NUMBERS; i++) {
    double sign = i % 2 == 0 ? 1 : -1;
    x[i] = probe_draw(&rng, &instance.operands[0], i, sign * interval->low, sign * interval->high);
  }
  const contract_t contract = setting_contract(setting);
  probe_t probe;
  probe_open(&probe, &instance, &contract, &arena);
  mpfr_t exact;
  mpfr_init2(exact, FORMULA_PRECISION);
  for (size_t i = 0; i < NUMBERS; i++) {
    function->exact(exact, x[i]);
    double bound = function->error(x[i], mpfr_get_d(exact, MPFR_RNDN), setting);
    probe_check(&probe, setting, 0, i, exact, bound, 1.0625, reach);
    if (strcmp(setting->element, "f32") != 0) continue;
    for (int way = 0; way < function->ways; way++) {
      double value = (double)function->plain((float)x[i], way);
      probe_check_plain(&probe, 0, i, value, way, exact, bound);
    }
  }
  mpfr_clear(exact);
  probe_close(&probe);
  arena_deinit(&arena);
}

/* Nothing cancels for |x| <= 1: erf is as good as the contract's table says, gelu a few ulps worse
 * (erfc is off by 16 in contract "backend"), and what is computed in f32 is as good as correctly
 * rounded. */
static double permitted_ulps(const function_t *function, const setting_t *setting) {
  bool is_erf = function->exact == exact_erf;
  if (setting->is_backend && element_named(setting->element)->bits == 16) return 0.51;
  if (is_erf) return setting->is_backend ? 5 : 1;
  return setting->is_backend ? 30 : 4;
}

static void test_intervals(void) {
  for (size_t f = 0; f < G_N_ELEMENTS(functions); f++) {
    for (size_t s = 0; s < SETTING_COUNT; s++) {
      for (size_t i = 0; i < G_N_ELEMENTS(intervals); i++) {
        reach_t reach = {0};
        check_interval(&functions[f], &settings[s], &intervals[i], &reach);
        g_test_message("%s %s %s %g..%g: the sets reach %.3f bounds, %.2f ulps", functions[f].words,
                       settings[s].element, settings[s].is_backend ? "backend" : "spec",
                       intervals[i].low, intervals[i].high, reach.bounds, reach.ulps);
        if (intervals[i].high > 1) continue;
        g_assert_cmpfloat(reach.bounds, >, 0.25);
        g_assert_cmpfloat(reach.ulps, <=, permitted_ulps(&functions[f], &settings[s]));
      }
    }
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_byteir_special_functions/intervals", test_intervals);
  return g_test_run();
}
