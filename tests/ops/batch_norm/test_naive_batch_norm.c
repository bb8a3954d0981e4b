/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.batch_norm_training and batch_norm_grad a second time: sums term by term in MPFR, with
 * bounds on the errors of their steps, and the specification's steps in plain arithmetic. */
#include "tests/ops/naive_formula.h"

enum { CASES_PER_LENGTH = 4, CHANNELS = 2, WHOLE_MAX = CHANNELS * FORMULA_TERMS_MAX };

/* How the channels of a family lie: centre +- spread; and which epsilon they meet. */
typedef struct family {
  const char *name;
  double centre;
  double spread;
  const char *epsilon;
} family_t;

static const family_t families[] = {
    {"tame", 0, 1, "0x1p-10"},
    {"shifted", 4, 1, "0x1p-10"},
    {"regular", 1, 0x1p-6, "0x1p-2"},
    {"without", 0, 1, "0x0p+0"},
};

/* One channel. */
typedef struct channel {
  size_t count;
  double x[FORMULA_TERMS_MAX], gradient[FORMULA_TERMS_MAX];
  double scale, offset, mean, variance;
} channel_t;

/* Exact results by binary64 with a long tail, and permitted errors. */
typedef struct expected {
  mpfr_t whole[FORMULA_TERMS_MAX];
  mpfr_t first, second; /* Results 1 and 2. */
  double whole_error[FORMULA_TERMS_MAX], first_error, second_error;
} expected_t;

static void expected_init(expected_t *expected) {
  for (size_t i = 0; i < FORMULA_TERMS_MAX; i++) mpfr_init2(expected->whole[i], FORMULA_PRECISION);
  mpfr_inits2(FORMULA_PRECISION, expected->first, expected->second, (mpfr_ptr)0);
}

static void expected_clear(expected_t *expected) {
  for (size_t i = 0; i < FORMULA_TERMS_MAX; i++) mpfr_clear(expected->whole[i]);
  mpfr_clears(expected->first, expected->second, (mpfr_ptr)0);
}

static double size_of(mpfr_srcptr number) { return fabs(mpfr_get_d(number, MPFR_RNDN)); }

/* ---- Training -------------------------------------------------------------------------------- */

static void training_moments(const channel_t *channel, expected_t *out) {
  mpfr_t deviation;
  mpfr_init2(deviation, FORMULA_PRECISION);
  mpfr_set_zero(out->first, 1);
  mpfr_set_zero(out->second, 1);
  for (size_t i = 0; i < channel->count; i++) {
    mpfr_add_d(out->first, out->first, channel->x[i], MPFR_RNDN);
  }
  mpfr_div_ui(out->first, out->first, channel->count, MPFR_RNDN);
  for (size_t i = 0; i < channel->count; i++) {
    mpfr_d_sub(deviation, channel->x[i], out->first, MPFR_RNDN);
    mpfr_fma(out->second, deviation, deviation, out->second, MPFR_RNDN);
  }
  mpfr_div_ui(out->second, out->second, channel->count, MPFR_RNDN);
  mpfr_clear(deviation);
}

/* Mean: n - 1 additions and a quotient, or the product with an inverse.  Variance from the computed
 * mean, whose error counts squared: differences, products, n - 1 additions and a quotient.  Updated
 * moments (contract "backend"): a mean errs by u |x| + 4 u (range) a step, n steps; squares by 4 d
 * sqrt(n V) + 4 d^2 n in all, d the error of a mean (Chan, Golub and LeVeque). */
static void training_moment_errors(const channel_t *channel, const setting_t *setting,
                                   expected_t *out) {
  double n = (double)channel->count, u = setting->u * 1.001, magnitude = 0;
  double least = INFINITY, greatest = -INFINITY, variance = size_of(out->second);
  for (size_t i = 0; i < channel->count; i++) {
    magnitude += fabs(channel->x[i]) / n;
    least = fmin(least, channel->x[i]);
    greatest = fmax(greatest, channel->x[i]);
  }
  out->first_error = (n + 1) * u * magnitude;
  out->second_error =
      (n + 5) * u * variance + out->first_error * out->first_error + 2 * setting->eta;
  if (!setting->is_backend) return;
  double largest = fmax(fabs(least), fabs(greatest));
  double distance = (n + 1) / 2 * u * (largest + 4 * (greatest - least));
  double weights = n * fmax(1, log2(n));
  double squares = 4 * distance * sqrt(weights * n * variance);
  squares += 4 * distance * distance * weights + 4 * n * setting->eta;
  out->second_error = fmax(out->second_error, (n + 10) * u * variance + squares / n);
  out->first_error = fmax(out->first_error, distance);
}

/* (x - mean) / s scale + offset: what variance and mean err by, and five roundings and more. */
static void training_output(const channel_t *channel, double epsilon, const setting_t *setting,
                            expected_t *out) {
  double n = (double)channel->count, u = setting->u * 1.001;
  double of_variance = out->second_error / (size_of(out->second) + epsilon);
  double relative = of_variance < 1 ? 1 / sqrt(1 - of_variance) - 1 + 9 * u : (double)INFINITY;
  mpfr_t root;
  mpfr_init2(root, FORMULA_PRECISION);
  mpfr_add_d(root, out->second, epsilon, MPFR_RNDN);
  mpfr_sqrt(root, root, MPFR_RNDN);
  double scale = fabs(channel->scale) / size_of(root);
  for (size_t i = 0; i < channel->count; i++) {
    mpfr_d_sub(out->whole[i], channel->x[i], out->first, MPFR_RNDN);
    double deviation = size_of(out->whole[i]) + out->first_error;
    mpfr_div(out->whole[i], out->whole[i], root, MPFR_RNDN);
    mpfr_mul_d(out->whole[i], out->whole[i], channel->scale, MPFR_RNDN);
    mpfr_add_d(out->whole[i], out->whole[i], channel->offset, MPFR_RNDN);
    double normal = out->first_error + deviation * relative;
    out->whole_error[i] =
        scale * normal + u * (size_of(out->whole[i]) + scale * deviation) + 4 * n * setting->eta;
  }
  mpfr_clear(root);
}

static void training_evaluate(const channel_t *channel, double epsilon, const setting_t *setting,
                              expected_t *out) {
  training_moments(channel, out);
  training_moment_errors(channel, setting, out);
  training_output(channel, epsilon, setting, out);
}

/* ---- Gradients ------------------------------------------------------------------------------- */

/* What errors of the gradients are made of, in binary64. */
typedef struct sizes {
  double gradients; /* sum |dy| */
  double products;  /* sum |dy c| */
  double square;    /* variance + epsilon */
} sizes_t;

static sizes_t find_sizes(const channel_t *channel, double epsilon) {
  sizes_t sizes = {.square = channel->variance + epsilon};
  for (size_t i = 0; i < channel->count; i++) {
    sizes.gradients += fabs(channel->gradient[i]);
    sizes.products += fabs(channel->gradient[i] * (channel->x[i] - channel->mean));
  }
  return sizes;
}

/* The sums: dy; dy c. */
static void grad_sums(const channel_t *channel, mpfr_ptr sum, mpfr_ptr covariant) {
  mpfr_t deviation;
  mpfr_init2(deviation, FORMULA_PRECISION);
  mpfr_set_zero(sum, 1);
  mpfr_set_zero(covariant, 1);
  for (size_t i = 0; i < channel->count; i++) {
    mpfr_set_d(deviation, channel->x[i], MPFR_RNDN);
    mpfr_sub_d(deviation, deviation, channel->mean, MPFR_RNDN);
    mpfr_mul_d(deviation, deviation, channel->gradient[i], MPFR_RNDN);
    mpfr_add(covariant, covariant, deviation, MPFR_RNDN);
    mpfr_add_d(sum, sum, channel->gradient[i], MPFR_RNDN);
  }
  mpfr_clear(deviation);
}

/* grad_operand = scale / s / n (n dy - sum - c covariant / v).  In the difference: sum errs by (n -
 * 1) u sum |dy|, n dy and what is left by 2 u; covariant by (n + 1) u sum |dy c|, its product with
 * c and quotient by 6 u, or by 14 u where it comes from an inverse square root (2 ulps) and from
 * normalized numbers; then 3 u of two subtractions.  The factor: 5 u, or 10 u; three u more. */
static double grad_error(const channel_t *channel, const setting_t *setting, const sizes_t *sizes,
                         size_t i, double difference) {
  double n = (double)channel->count, u = setting->u * 1.001;
  double more = setting->is_backend ? 12 : 0;
  double slope = sizes->products * fabs(channel->x[i] - channel->mean) / sizes->square;
  double own = n * fabs(channel->gradient[i]);
  double error = (n + 2) * u * sizes->gradients + 3 * u * own + (n + 8 + more) * u * slope;
  error += 2 * u * (own + sizes->gradients + slope);
  double factor = fabs(channel->scale) / sqrt(sizes->square) / n;
  return factor * (error + (6 + more) * u * (difference + error)) +
         (factor + 1) * 16 * n * setting->eta / setting->u;
}

static void grad_evaluate(const channel_t *channel, double epsilon, const setting_t *setting,
                          expected_t *out) {
  const sizes_t sizes = find_sizes(channel, epsilon);
  double n = (double)channel->count, u = setting->u * 1.001;
  double more = setting->is_backend ? 5 : 0;
  mpfr_t covariant, square, root;
  mpfr_inits2(FORMULA_PRECISION, covariant, square, root, (mpfr_ptr)0);
  grad_sums(channel, out->second, covariant);
  mpfr_set_d(square, channel->variance, MPFR_RNDN);
  mpfr_add_d(square, square, epsilon, MPFR_RNDN);
  mpfr_sqrt(root, square, MPFR_RNDN);
  mpfr_div(out->first, covariant, root, MPFR_RNDN);
  for (size_t i = 0; i < channel->count; i++) {
    mpfr_ptr whole = out->whole[i];
    mpfr_set_d(whole, channel->x[i], MPFR_RNDN);
    mpfr_sub_d(whole, whole, channel->mean, MPFR_RNDN);
    mpfr_mul(whole, whole, covariant, MPFR_RNDN);
    mpfr_div(whole, whole, square, MPFR_RNDN);
    mpfr_add(whole, whole, out->second, MPFR_RNDN);
    mpfr_d_sub(whole, n * channel->gradient[i], whole, MPFR_RNDN); /* n is at most 8: exact. */
    out->whole_error[i] = grad_error(channel, setting, &sizes, i, size_of(whole));
    mpfr_mul_d(whole, whole, channel->scale, MPFR_RNDN);
    mpfr_div(whole, whole, root, MPFR_RNDN);
    mpfr_div_ui(whole, whole, channel->count, MPFR_RNDN);
  }
  out->first_error = (n + 5 + more) * u * sizes.products / sqrt(sizes.square) +
                     4 * n * setting->eta / sqrt(sizes.square) + 4 * n * setting->eta;
  out->second_error = (n - 1) * u * sizes.gradients;
  mpfr_clears(covariant, square, root, (mpfr_ptr)0);
}

/* ---- Step by step ---------------------------------------------------------------------------- */

typedef struct plain {
  double whole[FORMULA_TERMS_MAX];
  double first, second;
} plain_t;

/* Operations of binary64, rounded again: the same as rounded once, for formats of 24 bits or fewer
 * (Figueroa 1995). */
static double step(const format_t *format, double value) {
  return format_round_double(format, value);
}

/* Sums forwards or, of way 1, backwards. */
static size_t nth(const channel_t *channel, int way, size_t k) {
  return way == 1 ? channel->count - 1 - k : k;
}

/* The specification's steps; way 2 multiplies by the inverse. */
static void plain_training(const channel_t *channel, int way, const format_t *f, double epsilon,
                           plain_t *out) {
  double n = (double)channel->count, mean = 0, squares = 0;
  for (size_t k = 0; k < channel->count; k++)
    mean = step(f, mean + channel->x[nth(channel, way, k)]);
  mean = way == 2 ? step(f, mean * step(f, 1 / n)) : step(f, mean / n);
  for (size_t k = 0; k < channel->count; k++) {
    double deviation = step(f, channel->x[nth(channel, way, k)] - mean);
    squares = step(f, squares + step(f, deviation * deviation));
  }
  out->first = mean;
  out->second = step(f, squares / n);
  double root = step(f, sqrt(step(f, out->second + epsilon)));
  for (size_t i = 0; i < channel->count; i++) {
    double deviation = step(f, channel->x[i] - mean);
    double normal = way == 2 ? step(f, deviation * step(f, 1 / root)) : step(f, deviation / root);
    out->whole[i] = step(f, step(f, channel->scale * normal) + channel->offset);
  }
}

/* The specification's steps; way 2 takes means, the inverse and normalized sums. */
static void plain_grad(const channel_t *channel, int way, const format_t *f, double epsilon,
                       plain_t *out) {
  double n = (double)channel->count, sum = 0, covariant = 0, normalized = 0;
  double square = step(f, channel->variance + epsilon), root = step(f, sqrt(square));
  for (size_t k = 0; k < channel->count; k++) {
    size_t i = nth(channel, way, k);
    double deviation = step(f, channel->x[i] - channel->mean), gradient = channel->gradient[i];
    sum = step(f, sum + gradient);
    covariant = step(f, covariant + step(f, gradient * deviation));
    normalized = step(f, normalized + step(f, gradient * step(f, deviation / root)));
  }
  double inverse = step(f, 1 / root);
  out->second = sum;
  out->first = way == 2 ? step(f, covariant * inverse) : normalized;
  double factor = step(f, step(f, channel->scale / root) / n);
  double slope = step(f, step(f, step(f, covariant * inverse) * inverse) / n);
  for (size_t i = 0; i < channel->count; i++) {
    double deviation = step(f, channel->x[i] - channel->mean), gradient = channel->gradient[i];
    double scaled = step(f, step(f, gradient * n) - sum);
    double quotient = step(f, step(f, covariant * deviation) / square);
    out->whole[i] = step(f, factor * step(f, scaled - quotient));
    if (way != 2) continue;
    double centred = step(f, gradient - step(f, sum / n));
    double difference = step(f, centred - step(f, deviation * slope));
    out->whole[i] = step(f, step(f, difference * inverse) * channel->scale);
  }
}

/* ---- Cases ----------------------------------------------------------------------------------- */

enum { WAYS_OF_SPEC = 2, WAYS = 3 };

static void check_component(probe_t *probe, const setting_t *setting, uint32_t result,
                            size_t component, mpfr_srcptr exact, double bound, const double plain[],
                            reach_t *reach) {
  uint64_t near = 0;
  for (int way = 0; way < (setting->is_backend ? WAYS : WAYS_OF_SPEC); way++) {
    near = probe_check_plain(probe, result, component, plain[way], way, exact, bound);
  }
  if (setting->is_backend) probe_check_held(probe, result, component, exact, bound, "is refused");
  if (isfinite(bound)) {
    probe_check_far(probe, result, component, exact, near, bound, 1.0625, reach);
  }
}

/* Element `term` of a channel, which are along dimension 0 or 1. */
static size_t element_of(size_t channel, size_t term, size_t terms, bool is_first) {
  return is_first ? channel * terms + term : term * CHANNELS + channel;
}

static void check_channel(probe_t *probe, const setting_t *setting, size_t number,
                          const channel_t *channel, bool is_first, bool is_grad, double epsilon,
                          expected_t *expected, reach_t reaches[3]) {
  const format_t *format = setting_coarse_format(setting);
  plain_t plain[WAYS];
  if (is_grad) {
    grad_evaluate(channel, epsilon, setting, expected);
  } else {
    training_evaluate(channel, epsilon, setting, expected);
  }
  for (int way = 0; way < WAYS; way++) {
    (is_grad ? plain_grad : plain_training)(channel, way, format, epsilon, &plain[way]);
  }
  for (size_t i = 0; i < channel->count; i++) {
    const double values[WAYS] = {plain[0].whole[i], plain[1].whole[i], plain[2].whole[i]};
    size_t element = element_of(number, i, channel->count, is_first);
    check_component(probe, setting, 0, element, expected->whole[i], expected->whole_error[i],
                    values, &reaches[0]);
  }
  const double firsts[WAYS] = {plain[0].first, plain[1].first, plain[2].first};
  check_component(probe, setting, 1, number, expected->first, expected->first_error, firsts,
                  &reaches[1]);
  const double seconds[WAYS] = {plain[0].second, plain[1].second, plain[2].second};
  check_component(probe, setting, 2, number, expected->second, expected->second_error, seconds,
                  &reaches[2]);
}

static case_t parse_case(arena_t *arena, const setting_t *setting, const family_t *family,
                         size_t count, bool is_first, bool is_grad) {
  const char *e = setting->element;
  g_autofree char *whole = is_first ? g_strdup_printf("%s[%d,%zu]", e, CHANNELS, count)
                                    : g_strdup_printf("%s[%zu,%d]", e, count, CHANNELS);
  g_autofree char *channel = g_strdup_printf("%s[%d]", e, CHANNELS);
  g_autofree char *attributes =
      g_strdup_printf("epsilon=%s feature_index=%d", family->epsilon, is_first ? 0 : 1);
  g_autofree char *line =
      is_grad
          ? g_strdup_printf("stablehlo.batch_norm_grad %s %s %s %s %s %s -> %s %s %s", attributes,
                            whole, channel, channel, channel, whole, whole, channel, channel)
          : g_strdup_printf("stablehlo.batch_norm_training %s %s %s %s -> %s %s %s", attributes,
                            whole, channel, channel, whole, channel, channel);
  const char *violation = NULL;
  program_t program = check_parse(line, arena, &violation);
  g_assert_null(violation);
  return case_make(arena, &program);
}

static channel_t draw_channel(rng_t *rng, const family_t *family, const case_t *instance,
                              size_t number, size_t count, bool is_first, bool is_grad) {
  channel_t channel = {.count = count};
  double low = family->centre - family->spread, high = family->centre + family->spread;
  for (size_t i = 0; i < count; i++) {
    size_t element = element_of(number, i, count, is_first);
    channel.x[i] = probe_draw(rng, &instance->operands[0], element, low, high);
    if (is_grad) channel.gradient[i] = probe_draw(rng, &instance->operands[4], element, -1, 2);
  }
  channel.scale = probe_draw(rng, &instance->operands[1], number, 0.5, 2);
  if (is_grad) {
    channel.mean = probe_draw(rng, &instance->operands[2], number, low, high);
    channel.variance = probe_draw(rng, &instance->operands[3], number, 0.25, 1);
  } else {
    channel.offset = probe_draw(rng, &instance->operands[2], number, -0.5, 0.5);
  }
  return channel;
}

static void check_case(rng_t *rng, const setting_t *setting, const family_t *family, size_t count,
                       bool is_grad, expected_t *expected, reach_t reaches[3]) {
  arena_t arena;
  arena_init(&arena);
  bool is_first = rng_one_in(rng, 2);
  case_t instance = parse_case(&arena, setting, family, count, is_first, is_grad);
  channel_t channels[CHANNELS];
  for (size_t i = 0; i < CHANNELS; i++) {
    channels[i] = draw_channel(rng, family, &instance, i, count, is_first, is_grad);
  }
  const contract_t contract = setting_contract(setting);
  double epsilon = strtod(family->epsilon, NULL);
  probe_t probe;
  probe_open(&probe, &instance, &contract, &arena);
  for (size_t i = 0; i < CHANNELS; i++) {
    /* A single term over no epsilon is 0 / 0. */
    if (!is_grad && count == 1 && epsilon == 0) continue;
    check_channel(&probe, setting, i, &channels[i], is_first, is_grad, epsilon, expected, reaches);
  }
  probe_close(&probe);
  arena_deinit(&arena);
}

/* The sets reach a part of the bounds, and are not only the exact value. */
static void check_family(const setting_t *setting, const family_t *family, bool is_grad) {
  rng_t rng = rng_make(0xba7c);
  expected_t expected;
  expected_init(&expected);
  reach_t reaches[3] = {{0}};
  for (size_t count = 1; count <= FORMULA_TERMS_MAX; count++) {
    for (size_t i = 0; i < CASES_PER_LENGTH; i++) {
      check_case(&rng, setting, family, count, is_grad, &expected, reaches);
    }
  }
  expected_clear(&expected);
  for (size_t r = 0; r < 3; r++) {
    g_test_message(
        "%s result %zu %s %s %s: of %zu components, the sets reach %.3f bounds, %.2f ulps",
        is_grad ? "grad" : "training", r, setting->element,
        setting->is_backend ? "backend" : "spec", family->name, reaches[r].components,
        reaches[r].bounds, reaches[r].ulps);
    g_assert_cmpuint(reaches[r].components, >, 0);
    bool has_exact_sums = strcmp(setting->element, "f64") == 0; /* Of numbers of 30 bits. */
    if (r == 0 || !has_exact_sums) {
      g_assert_cmpfloat(reaches[r].bounds, >, has_exact_sums ? 0.1 : 0.15);
    }
  }
}

static void test_families(gconstpointer is_grad) {
  for (size_t s = 0; s < SETTING_COUNT; s++) {
    for (size_t f = 0; f < G_N_ELEMENTS(families); f++) {
      check_family(&settings[s], &families[f], is_grad != NULL);
    }
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/naive_batch_norm/training", NULL, test_families);
  g_test_add_data_func("/naive_batch_norm/grad", "grad", test_families);
  return g_test_run();
}
