/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.layer_norm and byteir.l2_norm a second time: mean, variance and their roots term by term
 * in MPFR, with bounds on the errors of two passes and of updated moments. */
#include "tests/ops/naive_formula.h"

enum { ROWS_PER_LENGTH = 10 };

/* How the rows of a family lie: centre +- spread; and which epsilon they meet. */
typedef struct family {
  const char *name;
  double centre;
  double spread;
  const char *epsilon;
  bool is_outside;
} family_t;

static const family_t families[] = {
    {"tame", 0, 1, "0x1p-10", false},        {"outside", 0, 1, "0x1p-10", true},
    {"shifted", 4, 1, "0x1p-10", false},     {"far", 64, 1, "0x1p-4", false},
    {"regular", 1, 0x1p-6, "0x1p-2", false}, {"small", 0, 0x1p-7, "0x1p-10", true},
};

typedef struct naive_row {
  size_t count;
  double x[FORMULA_TERMS_MAX], weight[FORMULA_TERMS_MAX], bias[FORMULA_TERMS_MAX];
  mpfr_t result[FORMULA_TERMS_MAX];
  mpfr_t mean, inverse;
  /* For the bounds, in binary64: mean |x|, largest |x|, largest - smallest x, variance, and
   * inv_std_dev. */
  double magnitude, largest, range, variance, factor;
} naive_row_t;

static void row_init(naive_row_t *row) {
  for (size_t i = 0; i < FORMULA_TERMS_MAX; i++) mpfr_init2(row->result[i], FORMULA_PRECISION);
  mpfr_inits2(FORMULA_PRECISION, row->mean, row->inverse, (mpfr_ptr)0);
}

static void row_clear(naive_row_t *row) {
  for (size_t i = 0; i < FORMULA_TERMS_MAX; i++) mpfr_clear(row->result[i]);
  mpfr_clears(row->mean, row->inverse, (mpfr_ptr)0);
}

/* 1 / sqrt(variance + epsilon), or 1 / (sqrt(variance) + epsilon). */
static void invert(mpfr_ptr inout, double epsilon, bool is_outside) {
  if (is_outside) mpfr_sqrt(inout, inout, MPFR_RNDN);
  mpfr_add_d(inout, inout, epsilon, MPFR_RNDN);
  if (!is_outside) mpfr_sqrt(inout, inout, MPFR_RNDN);
  mpfr_ui_div(inout, 1, inout, MPFR_RNDN);
}

static void layer_norm_evaluate(naive_row_t *row, double epsilon, bool is_outside) {
  double least = INFINITY, greatest = -INFINITY;
  mpfr_t deviation;
  mpfr_init2(deviation, FORMULA_PRECISION);
  mpfr_set_zero(row->mean, 1);
  row->magnitude = 0;
  for (size_t i = 0; i < row->count; i++) {
    mpfr_add_d(row->mean, row->mean, row->x[i], MPFR_RNDN);
    row->magnitude += fabs(row->x[i]) / (double)row->count;
    least = fmin(least, row->x[i]);
    greatest = fmax(greatest, row->x[i]);
  }
  row->largest = fmax(fabs(least), fabs(greatest));
  row->range = greatest - least;
  mpfr_div_ui(row->mean, row->mean, row->count, MPFR_RNDN);
  mpfr_set_zero(row->inverse, 1);
  for (size_t i = 0; i < row->count; i++) {
    mpfr_d_sub(deviation, row->x[i], row->mean, MPFR_RNDN);
    mpfr_fma(row->inverse, deviation, deviation, row->inverse, MPFR_RNDN);
  }
  mpfr_div_ui(row->inverse, row->inverse, row->count, MPFR_RNDN);
  row->variance = mpfr_get_d(row->inverse, MPFR_RNDN);
  invert(row->inverse, epsilon, is_outside);
  row->factor = mpfr_get_d(row->inverse, MPFR_RNDN);
  for (size_t i = 0; i < row->count; i++) {
    mpfr_d_sub(row->result[i], row->x[i], row->mean, MPFR_RNDN);
    mpfr_mul(row->result[i], row->result[i], row->inverse, MPFR_RNDN);
    mpfr_mul_d(row->result[i], row->result[i], row->weight[i], MPFR_RNDN);
    mpfr_add_d(row->result[i], row->result[i], row->bias[i], MPFR_RNDN);
  }
  mpfr_clear(deviation);
}

/* row->inverse is the divisor's inverse here, too. */
static void l2_norm_evaluate(naive_row_t *row, double epsilon, bool is_outside) {
  mpfr_set_zero(row->inverse, 1);
  for (size_t i = 0; i < row->count; i++) {
    mpfr_set_d(row->result[i], row->x[i], MPFR_RNDN);
    mpfr_fma(row->inverse, row->result[i], row->result[i], row->inverse, MPFR_RNDN);
  }
  if (is_outside) mpfr_sqrt(row->inverse, row->inverse, MPFR_RNDN);
  if (mpfr_cmp_d(row->inverse, epsilon) < 0) mpfr_set_d(row->inverse, epsilon, MPFR_RNDN);
  if (!is_outside) mpfr_sqrt(row->inverse, row->inverse, MPFR_RNDN);
  for (size_t i = 0; i < row->count; i++) {
    mpfr_div(row->result[i], row->result[i], row->inverse, MPFR_RNDN);
  }
  mpfr_ui_div(row->inverse, 1, row->inverse, MPFR_RNDN);
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* Errors of mean, of inv_std_dev relative to it, both upwards. */
typedef struct moment_errors {
  double mean;
  double factor;
} moment_errors_t;

/* The mean: n - 1 additions, the quotient or product with an inverse.  The variance from the
 * computed mean, in which the error of the mean counts squared, since deviations sum to 0: a
 * difference squared, 2 u, its product, n - 1 additions, the quotient, 2 u.  Updated moments
 * (contract "backend"): means err by u |x| + 4 u (range) a step, each counted with up to n terms;
 * squares by 4 d sqrt(n V) + 4 d^2 n in all, d the error of a mean (Chan, Golub and LeVeque).  Then
 * variance + epsilon, its root and the inverse, 3 u, or rsqrt, 2 ulps, 4 u.  Products may
 * underflow. */
static moment_errors_t moment_errors(const naive_row_t *row, double epsilon, bool is_outside,
                                     const setting_t *setting) {
  double n = (double)row->count, u = setting->u * 1.001;
  double mean = (n + 1) * u * row->magnitude;
  double variance = (n + 5) * u * row->variance + mean * mean + 2 * setting->eta;
  if (setting->is_backend) {
    double distance = (n + 1) / 2 * u * (row->largest + 4 * row->range);
    double weights = n * fmax(1, log2(n));
    double squares = 4 * distance * sqrt(weights * n * row->variance);
    squares += 4 * distance * distance * weights + 4 * n * setting->eta;
    variance = fmax(variance, (n + 10) * u * row->variance + squares / n);
    mean = fmax(mean, distance);
  }
  double root = sqrt(row->variance);
  double moved =
      fmax(sqrt(row->variance + variance) - root, root - sqrt(fmax(0, row->variance - variance)));
  double outside = 1 / (1 - moved / (root + epsilon)) - 1;
  double inside = 1 / sqrt(1 - variance / (row->variance + epsilon)) - 1;
  return (moment_errors_t){mean, (is_outside ? outside : inside) + 5 * u};
}

/* (x - mean) / s * weight + bias: the difference, the product with the inverse, or that of inverse
 * and weight, the product, and the sum. */
static double output_error(const naive_row_t *row, size_t i, const moment_errors_t *errors,
                           const setting_t *setting) {
  double u = setting->u * 1.001, n = (double)row->count;
  double mean = mpfr_get_d(row->mean, MPFR_RNDN);
  double deviation = fabs(row->x[i] - mean), scale = fabs(row->weight[i]) * row->factor;
  double normal = errors->mean + (deviation + errors->mean) * (errors->factor + 4 * u);
  double value = fabs(mpfr_get_d(row->result[i], MPFR_RNDN));
  double product = scale * (deviation + normal);
  return scale * normal + u * (value + product) + 4 * n * setting->eta;
}

/* x / sqrt(sum x^2): half of what the sum errs by, which is n products and n - 1 additions; a root
 * and a quotient, or rsqrt and a product. */
static double l2_norm_error(const naive_row_t *row, size_t i, const setting_t *setting) {
  double n = (double)row->count, ulps = setting->is_backend ? 2 : 1;
  double value = fabs(mpfr_get_d(row->result[i], MPFR_RNDN));
  double lost = n * setting->eta * mpfr_get_d(row->inverse, MPFR_RNDN) / setting->u;
  double relative = n / 2 + fmax(3, 2 * ulps + 1) + lost * mpfr_get_d(row->inverse, MPFR_RNDN);
  return value * relative * setting->u * 1.001 + 4 * n * setting->eta;
}

/* ---- Step by step ---------------------------------------------------------------------------- */

enum { WAYS_OF_SPEC = 2, WAYS = 3 };

typedef struct plain {
  double result[FORMULA_TERMS_MAX];
  double mean, inverse;
} plain_t;

/* Operations of binary64, rounded again: the same as rounded once, for formats of 24 bits or fewer
 * (Figueroa 1995). */
static double step(const format_t *format, double value) {
  return format_round_double(format, value);
}

/* Two passes, forwards or backwards; or Welford's. */
static double plain_variance(const naive_row_t *row, int way, const format_t *f, double *out_mean) {
  size_t n = row->count;
  double mean = 0, squares = 0;
  for (size_t k = 0; k < n && way < 2; k++) mean = step(f, mean + row->x[way == 0 ? k : n - 1 - k]);
  if (way < 2) mean = step(f, mean / (double)n);
  for (size_t k = 0; k < n; k++) {
    double deviation = step(f, row->x[k] - mean), other = deviation;
    if (way == 2) mean = step(f, mean + step(f, deviation / (double)(k + 1)));
    if (way == 2) other = step(f, row->x[k] - mean);
    squares = step(f, squares + step(f, deviation * other));
  }
  *out_mean = mean;
  return step(f, squares / (double)n);
}

static void plain_layer_norm(const naive_row_t *row, int way, const format_t *f, double epsilon,
                             bool is_outside, plain_t *out) {
  double variance = plain_variance(row, way, f, &out->mean);
  double divisor = is_outside ? step(f, step(f, sqrt(variance)) + epsilon)
                              : step(f, sqrt(step(f, variance + epsilon)));
  out->inverse = step(f, 1 / divisor);
  for (size_t i = 0; i < row->count; i++) {
    double deviation = step(f, row->x[i] - out->mean);
    double normal = step(f, way == 0 ? deviation / divisor : deviation * out->inverse);
    out->result[i] = step(f, step(f, normal * row->weight[i]) + row->bias[i]);
  }
}

static void plain_l2_norm(const naive_row_t *row, int way, const format_t *f, double epsilon,
                          bool is_outside, plain_t *out) {
  size_t n = row->count;
  double sum = 0;
  for (size_t k = 0; k < n; k++) {
    double x = row->x[way == 0 ? k : n - 1 - k];
    sum = step(f, sum + step(f, x * x));
  }
  double norm = is_outside ? fmax(step(f, sqrt(sum)), epsilon) : step(f, sqrt(fmax(sum, epsilon)));
  double inverse = step(f, 1 / norm);
  for (size_t i = 0; i < n; i++) {
    out->result[i] = step(f, way == 0 ? row->x[i] / norm : row->x[i] * inverse);
  }
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static void draw_operands(rng_t *rng, const family_t *family, const case_t *instance,
                          naive_row_t *row) {
  for (size_t i = 0; i < row->count; i++) {
    double low = family->centre - family->spread, high = family->centre + family->spread;
    row->x[i] = probe_draw(rng, &instance->operands[0], i, low, high);
    if (instance->program.operand_count == 1) continue;
    row->weight[i] = probe_draw(rng, &instance->operands[1], i, 0.5, 2);
    row->bias[i] = probe_draw(rng, &instance->operands[2], i, -0.5, 0.5);
  }
}

/* The exact value conforms in contract "backend", whose nodes may be wider; in "spec" each step is
 * rounded to the nearest, which may leave it out.  What is computed step by step always conforms.
 */
static void check_component(probe_t *probe, const setting_t *setting, uint32_t result,
                            size_t component, mpfr_srcptr exact, double bound, const double plain[],
                            reach_t *reach) {
  uint64_t near = 0;
  for (int way = 0; way < (setting->is_backend ? WAYS : WAYS_OF_SPEC); way++) {
    near = probe_check_plain(probe, result, component, plain[way], way, exact, bound);
  }
  if (setting->is_backend) probe_check_held(probe, result, component, exact, bound, "is refused");
  probe_check_far(probe, result, component, exact, near, bound, 1.0625, reach);
}

static void check_layer_norm(const setting_t *setting, const family_t *family,
                             const case_t *instance, arena_t *arena, naive_row_t *row,
                             reach_t reaches[3]) {
  double epsilon = strtod(family->epsilon, NULL);
  layer_norm_evaluate(row, epsilon, family->is_outside);
  moment_errors_t errors = moment_errors(row, epsilon, family->is_outside, setting);
  const contract_t contract = setting_contract(setting);
  const format_t *format = setting_coarse_format(setting);
  plain_t plain[WAYS];
  for (int way = 0; way < WAYS; way++) {
    plain_layer_norm(row, way, format, epsilon, family->is_outside, &plain[way]);
  }
  probe_t probe;
  probe_open(&probe, instance, &contract, arena);
  for (size_t i = 0; i < row->count; i++) {
    const double values[WAYS] = {plain[0].result[i], plain[1].result[i], plain[2].result[i]};
    double bound = output_error(row, i, &errors, setting);
    check_component(&probe, setting, 0, i, row->result[i], bound, values, &reaches[0]);
  }
  const double means[WAYS] = {plain[0].mean, plain[1].mean, plain[2].mean};
  check_component(&probe, setting, 1, 0, row->mean, errors.mean, means, &reaches[1]);
  const double inverses[WAYS] = {plain[0].inverse, plain[1].inverse, plain[2].inverse};
  check_component(&probe, setting, 2, 0, row->inverse, row->factor * errors.factor, inverses,
                  &reaches[2]);
  probe_close(&probe);
}

static void check_l2_norm(const setting_t *setting, const family_t *family, const case_t *instance,
                          arena_t *arena, naive_row_t *row, reach_t *reach) {
  double epsilon = strtod(family->epsilon, NULL);
  l2_norm_evaluate(row, epsilon, family->is_outside);
  const contract_t contract = setting_contract(setting);
  const format_t *format = setting_coarse_format(setting);
  plain_t plain[WAYS];
  for (int way = 0; way < WAYS; way++) {
    plain_l2_norm(row, way, format, epsilon, family->is_outside, &plain[way]);
  }
  probe_t probe;
  probe_open(&probe, instance, &contract, arena);
  for (size_t i = 0; i < row->count; i++) {
    const double values[WAYS] = {plain[0].result[i], plain[1].result[i], plain[2].result[i]};
    double bound = l2_norm_error(row, i, setting);
    check_component(&probe, setting, 0, i, row->result[i], bound, values, reach);
  }
  probe_close(&probe);
}

static case_t draw_case(rng_t *rng, arena_t *arena, const setting_t *setting, size_t count,
                        const family_t *family, bool is_layer_norm, naive_row_t *row) {
  g_autofree char *row_type = g_strdup_printf("%s[%zu]", setting->element, count);
  g_autofree char *attributes = g_strdup_printf("epsilon=%s axis=[0] %s", family->epsilon,
                                                family->is_outside ? "eps_outside_sqrt=true " : "");
  g_autofree char *line =
      is_layer_norm
          ? g_strdup_printf("byteir.layer_norm %s%s %s %s -> %s %s[1] %s[1]", attributes, row_type,
                            row_type, row_type, row_type, setting->element, setting->element)
          : g_strdup_printf("byteir.l2_norm %s%s -> %s", attributes, row_type, row_type);
  const char *violation = NULL;
  program_t program = check_parse(line, arena, &violation);
  g_assert_null(violation);
  case_t instance = case_make(arena, &program);
  row->count = count;
  draw_operands(rng, family, &instance, row);
  return instance;
}

static void report(const char *name, const setting_t *setting, const family_t *family,
                   const reach_t *reach) {
  g_test_message("%s %s %s %s: of %zu components, the sets reach %.3f bounds, %.2f ulps", name,
                 setting->element, setting->is_backend ? "backend" : "spec", family->name,
                 reach->components, reach->bounds, reach->ulps);
}

/* Where nothing cancels: inv_std_dev of rows whose variance is smaller than epsilon, and l2_norm,
 * by half the terms and two or three more roundings; each within 8 ulps, and as good as correctly
 * rounded where it is computed in f32. */
static void check_reaches(const setting_t *setting, const family_t *family,
                          const reach_t layer_norm[3], const reach_t *l2_norm) {
  bool is_short = element_named(setting->element)->bits == 16;
  double ulps = is_short && setting->is_backend ? 0.51 : 8;
  g_assert_cmpfloat(l2_norm->bounds, >, 0.25);
  bool is_vague = setting->u * family->centre > family->spread / 8; /* Errors of the mean win. */
  /* A faithful inverse root leaves two numbers, of which the second is less than an ulp away. */
  static const double least[] = {0.15, 0.15, 0.1};
  for (size_t r = 0; r < 3 && !is_vague; r++) g_assert_cmpfloat(layer_norm[r].bounds, >, least[r]);
  if (strcmp(family->name, "small") != 0) g_assert_cmpfloat(l2_norm->ulps, <=, ulps);
  if (strcmp(family->name, "regular") == 0) g_assert_cmpfloat(layer_norm[2].ulps, <=, ulps);
}

static void check_family(const setting_t *setting, const family_t *family) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0x4047);
  reach_t layer_norm[3] = {{0}}, l2_norm = {0};
  naive_row_t row;
  row_init(&row);
  for (size_t count = 1; count <= FORMULA_TERMS_MAX; count++) {
    for (size_t i = 0; i < ROWS_PER_LENGTH; i++) {
      arena_reset(&arena);
      case_t instance = draw_case(&rng, &arena, setting, count, family, true, &row);
      check_layer_norm(setting, family, &instance, &arena, &row, layer_norm);
      instance = draw_case(&rng, &arena, setting, count, family, false, &row);
      check_l2_norm(setting, family, &instance, &arena, &row, &l2_norm);
    }
  }
  row_clear(&row);
  arena_deinit(&arena);
  report("layer_norm output", setting, family, &layer_norm[0]);
  report("layer_norm mean", setting, family, &layer_norm[1]);
  report("layer_norm inv_std_dev", setting, family, &layer_norm[2]);
  report("l2_norm", setting, family, &l2_norm);
  check_reaches(setting, family, layer_norm, &l2_norm);
}

static void test_families(void) {
  for (size_t s = 0; s < SETTING_COUNT; s++) {
    for (size_t f = 0; f < G_N_ELEMENTS(families); f++) check_family(&settings[s], &families[f]);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_byteir_norm/families", test_families);
  return g_test_run();
}
