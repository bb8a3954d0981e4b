/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.softmax and byteir.log_softmax a second time: exp(x_i) / sum exp(x_j) and its logarithm as
 * the document says it, without a maximum, in MPFR. */
#include "tests/ops/naive_formula.h"

enum { ROWS_PER_LENGTH = 12 };

/* How the rows of a family lie: centre +- spread. */
typedef struct family {
  const char *name;
  double centre;
  double spread;
} family_t;

static const family_t families[] = {
    {"tame", 0, 1}, {"wide", 0, 20}, {"high", 60, 8}, {"low", -60, 8}, {"far", 1000, 2},
};

/* A row, its exact results and what the bounds are made of. */
typedef struct naive_row {
  size_t count;
  double x[FORMULA_TERMS_MAX];
  double distance[FORMULA_TERMS_MAX]; /* max - x, and the mean of it, weighted by the shares. */
  double size[FORMULA_TERMS_MAX];     /* |x| + |max| + 2 (max - x), and the mean of it. */
  double mean_distance, mean_size;
  double largest;
  double log_sum; /* ln sum exp(x - max) */
  mpfr_t share[FORMULA_TERMS_MAX];
  mpfr_t log_share[FORMULA_TERMS_MAX];
  mpfr_t rounded[FORMULA_TERMS_MAX]; /* The result, where only x - max and it are rounded. */
} naive_row_t;

static void row_init(naive_row_t *row) {
  for (size_t i = 0; i < FORMULA_TERMS_MAX; i++) {
    mpfr_inits2(FORMULA_PRECISION, row->share[i], row->log_share[i], row->rounded[i], (mpfr_ptr)0);
  }
}

static void row_clear(naive_row_t *row) {
  for (size_t i = 0; i < FORMULA_TERMS_MAX; i++) {
    mpfr_clears(row->share[i], row->log_share[i], row->rounded[i], (mpfr_ptr)0);
  }
}

static void row_evaluate(naive_row_t *row) {
  mpfr_t sum, logarithm;
  mpfr_inits2(FORMULA_PRECISION, sum, logarithm, (mpfr_ptr)0);
  mpfr_set_zero(sum, 1);
  row->largest = -INFINITY;
  for (size_t i = 0; i < row->count; i++) {
    mpfr_set_d(row->share[i], row->x[i], MPFR_RNDN);
    mpfr_exp(row->share[i], row->share[i], MPFR_RNDN);
    mpfr_add(sum, sum, row->share[i], MPFR_RNDN);
    row->largest = fmax(row->largest, row->x[i]);
  }
  mpfr_log(logarithm, sum, MPFR_RNDN);
  row->mean_distance = row->mean_size = 0;
  for (size_t i = 0; i < row->count; i++) {
    mpfr_div(row->share[i], row->share[i], sum, MPFR_RNDN);
    mpfr_d_sub(row->log_share[i], row->x[i], logarithm, MPFR_RNDN);
    double share = mpfr_get_d(row->share[i], MPFR_RNDN);
    row->distance[i] = row->largest - row->x[i];
    row->size[i] = fabs(row->x[i]) + fabs(row->largest) + 2 * row->distance[i];
    row->mean_distance += share * row->distance[i];
    row->mean_size += share * row->size[i];
  }
  mpfr_sub_d(logarithm, logarithm, row->largest, MPFR_RNDN);
  row->log_sum = mpfr_get_d(logarithm, MPFR_RNDN);
  mpfr_clears(sum, logarithm, (mpfr_ptr)0);
}

/* Every implementation rounds x - max once, to the nearest: which may take the result some ulps
 * away from the exact one. */
static void row_evaluate_rounded(naive_row_t *row, const format_t *format, bool is_log) {
  mpfr_t sum, difference[FORMULA_TERMS_MAX];
  mpfr_init2(sum, FORMULA_PRECISION);
  mpfr_set_zero(sum, 1);
  for (size_t i = 0; i < row->count; i++) {
    mpfr_init2(difference[i], FORMULA_PRECISION);
    mpfr_set_d(difference[i], row->x[i], MPFR_RNDN);
    mpfr_sub_d(difference[i], difference[i], row->largest, MPFR_RNDN);
    mpfr_set_d(difference[i], naive_round(format, difference[i]), MPFR_RNDN);
    mpfr_exp(row->rounded[i], difference[i], MPFR_RNDN);
    mpfr_add(sum, sum, row->rounded[i], MPFR_RNDN);
  }
  for (size_t i = 0; i < row->count; i++)
    mpfr_div(row->rounded[i], row->rounded[i], sum, MPFR_RNDN);
  mpfr_log(sum, sum, MPFR_RNDN);
  for (size_t i = 0; i < row->count; i++) {
    if (is_log) mpfr_sub(row->rounded[i], difference[i], sum, MPFR_RNDN);
    mpfr_set_d(row->rounded[i], naive_round(format, row->rounded[i]), MPFR_RNDN);
    mpfr_clear(difference[i]);
  }
  mpfr_clear(sum);
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* An exponential errs by `ulps` units in the last place, at most 2 u each, and by u |x - max| from
 * the rounded difference, and so does the sum, in the mean; it is n - 1 additions, then there are a
 * division and maybe a multiplication.  Corrected online, each term of the sum has n exponentials
 * and n products; scaled by log2(e), x and max are rounded before they are subtracted. */
static double share_error(const naive_row_t *row, size_t i, const setting_t *setting) {
  double n = (double)row->count, ulps = setting->is_backend ? 3 : 1;
  double shifted = row->distance[i] + row->mean_distance + 4 * ulps + n + 2;
  double online = row->distance[i] + row->mean_distance + 2 * ulps + n * (2 * ulps + 1) + n + 2;
  double scaled = row->size[i] + row->mean_size + 4 * ulps + n + 2;
  double most = setting->is_backend ? fmax(online, scaled) : shifted;
  double share = mpfr_get_d(row->share[i], MPFR_RNDN);
  return share * expm1(most * setting->u) + 2 * (n + ulps) * setting->eta;
}

/* Of x - max - ln(sum) or x - (max + ln(sum)). */
static double log_share_error(const naive_row_t *row, size_t i, const setting_t *setting) {
  double n = (double)row->count, ulps = setting->is_backend ? 3 : 1;
  double sum = row->mean_distance + 2 * ulps + n;
  double logarithm = 2 * ulps * row->log_sum;
  double value = fabs(mpfr_get_d(row->log_share[i], MPFR_RNDN));
  double shifted = row->distance[i] + logarithm + sum + value;
  double whole = fabs(row->largest + row->log_sum) + logarithm + sum + value;
  return (setting->is_backend ? fmax(shifted, whole) : shifted) * setting->u + 2 * n * setting->eta;
}

/* ---- In C ------------------------------------------------------------------------------------ */

/* Correctly rounded nearly always: the functions of binary64 err by little of an ulp of f32. */
static float exp_f32(float x) { return (float)exp((double)x); }
static float exp2_f32(float x) { return (float)exp2((double)x); }
static float log_f32(float x) { return (float)log((double)x); }

enum { WAYS_OF_SPEC = 2, WAYS = 4 };

static float plain_share(const float *x, size_t n, size_t i, int way) {
  float largest = x[0], sum = 0, scale = 1.44269504F;
  for (size_t k = 1; k < n; k++) largest = fmaxf(largest, x[k]);
  if (way == 3) {
    float running = x[0];
    for (size_t k = 0; k < n; k++) {
      float next = fmaxf(running, x[k]);
      sum = sum * exp_f32(running - next) + exp_f32(x[k] - next);
      running = next;
    }
    return exp_f32(x[i] - largest) * (1 / sum);
  }
  for (size_t k = 0; k < n; k++) {
    sum += way == 2 ? exp2_f32(fmaf(x[k], scale, -(largest * scale))) : exp_f32(x[k] - largest);
  }
  if (way == 2) return exp2_f32(fmaf(x[i], scale, -(largest * scale))) / sum;
  float term = exp_f32(x[i] - largest);
  return way == 0 ? term / sum : term * (1 / sum);
}

static float plain_log_share(const float *x, size_t n, size_t i, int way) {
  float largest = x[0], sum = 0;
  for (size_t k = 1; k < n; k++) largest = fmaxf(largest, x[k]);
  for (size_t k = 0; k < n; k++) {
    size_t place = way % 2 == 0 ? k : n - 1 - k;
    sum += exp_f32(x[place] - largest);
  }
  return way < WAYS_OF_SPEC ? x[i] - largest - log_f32(sum) : x[i] - (largest + log_f32(sum));
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static void check_row(const char *op, const setting_t *setting, size_t count,
                      const family_t *family, rng_t *rng, arena_t *arena, naive_row_t *row,
                      reach_t *reach) {
  bool is_log = strcmp(op, "byteir.log_softmax") == 0;
  g_autofree char *line = g_strdup_printf("%s axis=0 %s[%zu] -> %s[%zu]", op, setting->element,
                                          count, setting->element, count);
  const char *violation = NULL;
  program_t program = check_parse(line, arena, &violation);
  case_t instance = case_make(arena, &program);
  float plain[FORMULA_TERMS_MAX];
  row->count = count;
  for (size_t i = 0; i < count; i++) {
    row->x[i] = probe_draw(rng, &instance.operands[0], i, family->centre - family->spread,
                           family->centre + family->spread);
    plain[i] = (float)row->x[i];
  }
  row_evaluate(row);
  row_evaluate_rounded(row, setting_format(setting), is_log);
  const contract_t contract = setting_contract(setting);
  probe_t probe;
  probe_open(&probe, &instance, &contract, arena);
  for (size_t i = 0; i < count; i++) {
    double bound = is_log ? log_share_error(row, i, setting) : share_error(row, i, setting);
    mpfr_srcptr exact = is_log ? row->log_share[i] : row->share[i];
    uint64_t near = probe_check_held(&probe, 0, i, row->rounded[i], bound, "is refused");
    probe_check_far(&probe, 0, i, exact, near, bound, 1.0625, reach);
    if (setting->is_backend) probe_check_held(&probe, 0, i, exact, bound, "is exact, refused");
    if (strcmp(setting->element, "f32") != 0) continue;
    for (int way = 0; way < (setting->is_backend ? WAYS : WAYS_OF_SPEC); way++) {
      float value =
          is_log ? plain_log_share(plain, count, i, way) : plain_share(plain, count, i, way);
      probe_check_plain(&probe, 0, i, (double)value, way, exact, bound);
    }
  }
  probe_close(&probe);
}

/* The sets of rows of the family, of 1 to 8 terms, reach no farther than `ulps`. */
static void check_family(const char *op, const setting_t *setting, const family_t *family,
                         double ulps) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0x50f7);
  reach_t reach = {0}, one = {0};
  naive_row_t row;
  row_init(&row);
  for (size_t count = 1; count <= FORMULA_TERMS_MAX; count++) {
    for (size_t i = 0; i < ROWS_PER_LENGTH; i++) {
      arena_reset(&arena);
      check_row(op, setting, count, family, &rng, &arena, &row, count == 1 ? &one : &reach);
    }
  }
  row_clear(&row);
  arena_deinit(&arena);
  g_test_message("%s %s %s %s: of %zu components, the sets reach %.3f bounds, %.2f ulps", op,
                 setting->element, setting->is_backend ? "backend" : "spec", family->name,
                 reach.components, reach.bounds, reach.ulps);
  /* A single term has the share 1, since faithful functions have exp(0) = 1; and as far from it as
   * others may miss that, where the sum is corrected online. */
  bool is_log = strcmp(op, "byteir.log_softmax") == 0;
  if (!is_log) g_assert_cmpfloat(one.ulps, <=, setting->is_backend ? 7 : 0);
  bool is_vague = setting->u * family->centre > family->spread / 8; /* Hardly any other numbers. */
  if (!is_vague) g_assert_cmpfloat(reach.bounds, >, 0.25);
  if (family == families) g_assert_cmpfloat(reach.ulps, <=, ulps);
}

/* Of tame rows, distances are at most 2, so that `shifted` is at most 18 u, 9 to 18 ulps; the
 * online sum of 8 terms is 76 u; and what is computed in f32 is as good as correctly rounded. */
static void test_softmax(void) {
  for (size_t s = 0; s < SETTING_COUNT; s++) {
    bool is_wide = settings[s].is_backend && s >= 4;
    double ulps = is_wide ? 0.51 : settings[s].is_backend ? 72 : 12;
    for (size_t f = 0; f < G_N_ELEMENTS(families); f++) {
      check_family("byteir.softmax", &settings[s], &families[f], ulps);
    }
  }
}

/* There is no such limit where ln(sum) is near 0, and so the result. */
static void test_log_softmax(void) {
  for (size_t s = 0; s < SETTING_COUNT; s++) {
    bool is_wide = settings[s].is_backend && s >= 4;
    double ulps = is_wide ? 0.51 : settings[s].is_backend ? 36 : 12;
    for (size_t f = 0; f < G_N_ELEMENTS(families); f++) {
      check_family("byteir.log_softmax", &settings[s], &families[f], ulps);
    }
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_byteir_softmax/softmax", test_softmax);
  g_test_add_func("/naive_byteir_softmax/log_softmax", test_log_softmax);
  return g_test_run();
}
