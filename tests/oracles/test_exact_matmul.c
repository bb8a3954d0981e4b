/* Every instruction set's exact matrix products and sums against MPFR, on data made to hurt. */
#include <glib.h>
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "harness/base/rng.h"
#include "oracles/exact/exact_kernels.h"

static const char *const kernel_names[] = {"portable", "avx2", "avx512"};

typedef enum regime {
  REGIME_UNIFORM,
  REGIME_SMALL_INTEGERS,
  REGIME_POWERS_OF_TWO, /* Over the whole range of exponents. */
  REGIME_ANY_BITS,      /* Any finite pattern. */
  REGIME_SUBNORMALS,
  REGIME_WIDE, /* Exponents within 2^+-60. */
  REGIME_ZEROS,
  REGIME_NARROW, /* Eight significant bits, as of bf16. */
  REGIME_MIXED,  /* Another of the above for each number. */
  REGIME_COUNT
} regime_t;

static double draw_sign(rng_t *rng) { return rng_one_in(rng, 2) ? -1 : 1; }

static double draw_uniform(rng_t *rng) {
  return draw_sign(rng) * (double)(rng_bits(rng) >> 11) * 0x1p-53;
}

/* f64 data leaves out the exponents at which products overflow or vanish; a test of its own has
 * them. */
static double draw_number(rng_t *rng, regime_t regime, bool is_f64) {
  int span = is_f64 ? 400 : 126;
  switch (regime) {
    case REGIME_UNIFORM:
      return draw_uniform(rng);
    case REGIME_SMALL_INTEGERS:
      return (double)rng_between(rng, -8, 8);
    case REGIME_POWERS_OF_TWO:
      return draw_sign(rng) * ldexp(1, (int)rng_between(rng, -span, span));
    case REGIME_ANY_BITS:
      return ldexp(1 + fabs(draw_uniform(rng)), (int)rng_between(rng, -span, span)) *
             draw_sign(rng);
    case REGIME_SUBNORMALS:
      return ldexp(draw_uniform(rng), is_f64 ? -380 : -126);
    case REGIME_WIDE:
      return ldexp(draw_uniform(rng), (int)rng_between(rng, -60, 60));
    case REGIME_ZEROS:
      return draw_sign(rng) * 0;
    case REGIME_NARROW:
      return draw_sign(rng) * (double)rng_below(rng, 256) * 0x1p-7;
    default:
      return draw_number(rng, (regime_t)rng_below(rng, REGIME_MIXED), is_f64);
  }
}

/* One product with its truth; f32 data is kept as binary64 too. */
typedef struct instance {
  size_t m, n, k;
  bool is_f64, is_sum;
  double *a, *b;
  double *reference, *tail, *magnitude; /* The truth; magnitude rounded down. */
  bool *representable;                  /* Neither overflow nor an inexact subnormal. */
} instance_t;

static instance_t instance_new(size_t m, size_t n, size_t k, bool is_f64) {
  return (instance_t){.m = m,
                      .n = n,
                      .k = k,
                      .is_f64 = is_f64,
                      .a = g_new0(double, m *k + 1),
                      .b = g_new0(double, k *n + 1),
                      .reference = g_new0(double, m *n + 1),
                      .tail = g_new0(double, m *n + 1),
                      .magnitude = g_new0(double, m *n + 1),
                      .representable = g_new0(bool, m *n + 1)};
}

static void instance_free(instance_t *instance) {
  g_free(instance->a);
  g_free(instance->b);
  g_free(instance->reference);
  g_free(instance->tail);
  g_free(instance->magnitude);
  g_free(instance->representable);
}

static void instance_draw(instance_t *instance, rng_t *rng, regime_t regime) {
  size_t m = instance->m, n = instance->n, k = instance->k;
  for (size_t i = 0; i < m * k; i++) instance->a[i] = draw_number(rng, regime, instance->is_f64);
  for (size_t i = 0; i < k * n; i++) instance->b[i] = draw_number(rng, regime, instance->is_f64);
  for (size_t i = 0; i < m * k && !instance->is_f64; i++) instance->a[i] = (float)instance->a[i];
  for (size_t i = 0; i < k * n && !instance->is_f64; i++) instance->b[i] = (float)instance->b[i];
}

/* The second half of the terms takes the first half away, up to an odd term in the middle. */
static void instance_cancel(instance_t *instance) {
  size_t m = instance->m, n = instance->n, k = instance->k;
  for (size_t t = 0; t < k / 2; t++) {
    for (size_t i = 0; i < m; i++) instance->a[i * k + k - 1 - t] = instance->a[i * k + t];
    for (size_t j = 0; j < n; j++) instance->b[(k - 1 - t) * n + j] = -instance->b[t * n + j];
  }
}

typedef struct truth {
  mpfr_t sum, magnitude, product, a, b;
} truth_t;

static void truth_init(truth_t *truth, bool is_f64) {
  mpfr_init2(truth->sum, is_f64 ? 4500 : 700);
  mpfr_init2(truth->magnitude, 100);
  mpfr_init2(truth->product, 106);
  mpfr_inits2(53, truth->a, truth->b, (mpfr_ptr)0);
}

static void truth_deinit(truth_t *truth) {
  mpfr_clears(truth->sum, truth->magnitude, truth->product, truth->a, truth->b, (mpfr_ptr)0);
}

static void truth_of(truth_t *truth, instance_t *instance, size_t i, size_t j) {
  size_t n = instance->n, k = instance->k, at = i * n + j;
  mpfr_set_zero(truth->sum, 1);
  mpfr_set_zero(truth->magnitude, 1);
  for (size_t t = 0; t < k; t++) {
    mpfr_set_d(truth->a, instance->is_sum ? 1 : instance->a[i * k + t], MPFR_RNDN);
    mpfr_set_d(truth->b, instance->b[t * n + j], MPFR_RNDN);
    g_assert_cmpint(mpfr_mul(truth->product, truth->a, truth->b, MPFR_RNDN), ==, 0);
    g_assert_cmpint(mpfr_add(truth->sum, truth->sum, truth->product, MPFR_RNDN), ==, 0);
    mpfr_abs(truth->product, truth->product, MPFR_RNDN);
    mpfr_add(truth->magnitude, truth->magnitude, truth->product, MPFR_RNDD);
  }
  double reference = mpfr_get_d(truth->sum, MPFR_RNDN);
  instance->reference[at] = reference == 0 ? 0 : reference;
  instance->magnitude[at] = mpfr_get_d(truth->magnitude, MPFR_RNDD);
  mpfr_set_d(truth->a, reference, MPFR_RNDN);
  mpfr_sub(truth->product, truth->sum, truth->a, MPFR_RNDN); /* To 106 bits. */
  instance->tail[at] = mpfr_get_d(truth->product, MPFR_RNDN);
  instance->representable[at] = isfinite(reference) &&
                                (fabs(reference) >= 0x1p-1022 || instance->tail[at] == 0) &&
                                (fabs(instance->tail[at]) >= 0x1p-1022 ||
                                 mpfr_cmp_d(truth->product, instance->tail[at]) == 0);
}

static void instance_solve(instance_t *instance) {
  truth_t truth;
  truth_init(&truth, instance->is_f64);
  for (size_t i = 0; i < instance->m; i++) {
    for (size_t j = 0; j < instance->n; j++) truth_of(&truth, instance, i, j);
  }
  truth_deinit(&truth);
}

static float *narrowed(const double *values, size_t count) {
  float *floats = g_new(float, count + 1);
  for (size_t i = 0; i < count; i++) floats[i] = (float)values[i];
  return floats;
}

static void compute(const exact_kernels_t *kernels, const instance_t *instance,
                    const exact_matmul_t *matmul, arena_t *arena) {
  if (instance->is_f64 && instance->is_sum) {
    kernels->sums_f64(matmul, instance->b, arena);
  } else if (instance->is_f64) {
    kernels->matmul_f64(matmul, instance->a, instance->b, arena);
  } else {
    float *a = narrowed(instance->a, instance->m * instance->k);
    float *b = narrowed(instance->b, instance->k * instance->n);
    if (instance->is_sum) kernels->sums_f32(matmul, b, arena);
    if (!instance->is_sum) kernels->matmul_f32(matmul, a, b, arena);
    g_free(a);
    g_free(b);
  }
}

static void check_output(const instance_t *instance, const exact_matmul_t *got, size_t at) {
  g_assert_cmpint(got->uncertified[at], ==, 0);
  double reference = instance->reference[at], magnitude = instance->magnitude[at];
  if (!(got->reference[at] == reference) || signbit(got->reference[at]) != signbit(reference)) {
    g_error("%zux%zux%zu output %zu: %a, not %a", instance->m, instance->n, instance->k, at,
            got->reference[at], reference);
  }
  double tail = instance->tail[at];
  if (got->reference_tail != NULL) {
    if (!(fabs(got->reference_tail[at] - tail) <= 0x1.1p-50 * fabs(tail))) {
      g_error("%zux%zux%zu tail %zu: %a, not %a", instance->m, instance->n, instance->k, at,
              got->reference_tail[at], tail);
    }
  }
  g_assert_true(got->magnitude[at] >= magnitude);
  g_assert_true(got->magnitude[at] <= magnitude * (1 + 0x1p-10) * (1 + 0x1p-50));
}

/* Room for `guard` elements behind the results shows writes past the end. */
static exact_matmul_t results_new(const instance_t *instance, bool with_tail) {
  size_t count = instance->m * instance->n + 1;
  exact_matmul_t matmul = {.m = instance->m,
                           .n = instance->n,
                           .k = instance->k,
                           .reference = g_new(double, count),
                           .reference_tail = with_tail ? g_new(double, count) : NULL,
                           .magnitude = g_new(double, count),
                           .uncertified = g_new(uint8_t, count)};
  matmul.reference[count - 1] = matmul.magnitude[count - 1] = 77;
  matmul.uncertified[count - 1] = 77;
  if (with_tail) matmul.reference_tail[count - 1] = 77;
  return matmul;
}

static void results_free(exact_matmul_t *matmul) {
  size_t guard = matmul->m * matmul->n;
  g_assert_true(matmul->reference[guard] == 77 && matmul->magnitude[guard] == 77);
  g_assert_cmpint(matmul->uncertified[guard], ==, 77);
  if (matmul->reference_tail != NULL) g_assert_true(matmul->reference_tail[guard] == 77);
  g_free(matmul->reference);
  g_free(matmul->reference_tail);
  g_free(matmul->magnitude);
  g_free(matmul->uncertified);
}

/* All instruction sets give the truth, and the same bits where the promise leaves a choice. */
static void check_instance(const instance_t *instance, bool with_tail, arena_t *arena) {
  size_t count = instance->m * instance->n;
  exact_matmul_t first = results_new(instance, with_tail);
  compute(exact_kernels_named("portable"), instance, &first, arena);
  for (size_t at = 0; at < count; at++) {
    if (instance->representable[at]) check_output(instance, &first, at);
    if (!instance->representable[at]) g_assert_cmpint(first.uncertified[at], ==, 1);
  }
  for (size_t name = 1; name < G_N_ELEMENTS(kernel_names); name++) {
    const exact_kernels_t *kernels = exact_kernels_named(kernel_names[name]);
    if (kernels == NULL) continue;
    exact_matmul_t got = results_new(instance, with_tail);
    compute(kernels, instance, &got, arena);
    g_assert_true(memcmp(got.uncertified, first.uncertified, count) == 0);
    for (size_t at = 0; at < count; at++) {
      if (!instance->representable[at]) continue;
      check_output(instance, &got, at);
      g_assert_true(got.magnitude[at] == first.magnitude[at]);
    }
    results_free(&got);
  }
  results_free(&first);
}

static void draw_and_check(size_t m, size_t n, size_t k, bool is_f64, size_t seed, arena_t *arena) {
  instance_t instance = instance_new(m, n, k, is_f64);
  rng_t rng = rng_make(seed);
  instance_draw(&instance, &rng, (regime_t)(seed % REGIME_COUNT));
  if (seed / REGIME_COUNT % 3 == 0) instance_cancel(&instance);
  instance_solve(&instance);
  check_instance(&instance, is_f64 || seed % 2 == 0, arena);
  instance_free(&instance);
}

static void test_all_small_shapes(gconstpointer is_f64) {
  arena_t arena;
  arena_init(&arena);
  size_t seed = 0;
  for (size_t m = 1; m <= 20; m++) {
    for (size_t n = 1; n <= 20; n++) {
      size_t step = is_f64 != NULL ? 4 : 1;
      for (size_t k = 1 + seed % step; k <= 20; k += step) {
        draw_and_check(m, n, k, is_f64 != NULL, seed++, &arena);
      }
    }
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/exact_matmul/shapes/f32", NULL, test_all_small_shapes);
  g_test_add_data_func("/exact_matmul/shapes/f64", "f64", test_all_small_shapes);
  return g_test_run();
}
