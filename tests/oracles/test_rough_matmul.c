/* SPDX-License-Identifier: Apache-2.0 */
/* Rough products (theory.md, T296) against exact ones, on every instruction set: what they may err
 * by, that rows which are measured have whole magnitudes, and that data beyond the ordinary has
 * nothing rough. */
#include <glib.h>
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "harness/base/rng.h"
#include "oracles/exact/matmul/kernels.h"

static const char *const kernel_names[] = {"portable", "avx2", "avx512"};

/* Data of a product. */
typedef enum data {
  DATA_UNIFORM,
  DATA_POSITIVE,
  DATA_CANCELLING, /* Sums that are much smaller than their terms. */
  DATA_SHORT,      /* Of eight bits. */
  DATA_SMALL,      /* Products are below 2^-126. */
  DATA_ONE_LARGE,  /* One row and one column hold a number that dwarfs all others. */
  DATA_HALF_ZERO,  /* Terms of every other index are zeros. */
  DATA_WIDE,       /* Exponents within 2^+-60. */
  DATA_INFINITE,   /* One number is not finite. */
  DATA_COUNT
} data_t;

/* Whether most rows of a large product of such data are rough. */
static const bool is_ordinary[DATA_COUNT] = {[DATA_UNIFORM] = true,
                                             [DATA_POSITIVE] = true,
                                             [DATA_CANCELLING] = true,
                                             [DATA_SHORT] = true,
                                             [DATA_ONE_LARGE] = false};

typedef struct product {
  bool is_f64;
  size_t m, n, k;
  double *a, *b; /* Numbers of f32, or of f64. */
} product_t;

static double draw(rng_t *rng, data_t data, bool is_f64) {
  double x =
      is_f64 ? (double)(rng_bits(rng) >> 11) * 0x1p-53 : (double)(rng_bits(rng) >> 40) * 0x1p-24;
  if (data != DATA_POSITIVE && rng_one_in(rng, 2)) x = -x;
  if (data == DATA_SHORT) x = ldexp(rint(ldexp(x, 8)), -8);
  if (data == DATA_SMALL) x = ldexp(x, is_f64 ? -480 : -66);
  if (data == DATA_WIDE) x = ldexp(x, (int)rng_between(rng, -60, 60));
  return x;
}

static product_t product_new(const size_t shape[3], bool is_f64, data_t data, rng_t *rng) {
  size_t m = shape[0], n = shape[1], k = shape[2];
  product_t product = {is_f64, m, n, k, g_new(double, m *k), g_new(double, k *n)};
  for (size_t i = 0; i < m * k; i++) product.a[i] = draw(rng, data, is_f64);
  for (size_t i = 0; i < k * n; i++) product.b[i] = draw(rng, data, is_f64);
  for (size_t i = 0; i < m * k && data == DATA_HALF_ZERO; i++) {
    if (i % k % 2 == 0) product.a[i] = 0;
  }
  if (data == DATA_ONE_LARGE) product.a[m / 2 * k + 3] = product.b[3 * n + 7] = 0x1p40;
  if (data == DATA_INFINITE) product.a[(m - 1) * k + 1] = (double)INFINITY;
  if (data == DATA_CANCELLING) {
    for (size_t t = 1; t < k; t += 2) {
      for (size_t i = 0; i < m; i++) product.a[i * k + t] = -product.a[i * k + t - 1];
      memcpy(product.b + t * n, product.b + (t - 1) * n, n * sizeof(double));
    }
  }
  return product;
}

static void product_free(product_t *product) {
  g_free(product->a);
  g_free(product->b);
}

static float *narrowed(const double *values, size_t count) {
  float *floats = g_new(float, count);
  for (size_t i = 0; i < count; i++) floats[i] = (float)values[i];
  return floats;
}

typedef struct output {
  double *reference, *tail, *magnitude;
  uint8_t *uncertified;
  double bound;
} output_t;

static output_t multiply(const exact_kernels_t *kernels, const product_t *product, bool is_rough,
                         arena_t *arena) {
  size_t count = product->m * product->n;
  output_t output = {g_new(double, count), g_new0(double, count), g_new(double, count),
                     g_new(uint8_t, count), 0};
  const exact_matmul_t matmul = {.m = product->m,
                                 .n = product->n,
                                 .k = product->k,
                                 .reference = output.reference,
                                 .reference_tail = product->is_f64 ? output.tail : NULL,
                                 .magnitude = output.magnitude,
                                 .uncertified = output.uncertified,
                                 .rough_bound = is_rough ? &output.bound : NULL};
  if (product->is_f64) {
    kernels->matmul_f64(&matmul, product->a, product->b, arena);
    return output;
  }
  g_autofree float *a = narrowed(product->a, product->m * product->k);
  g_autofree float *b = narrowed(product->b, product->k * product->n);
  kernels->matmul_f32(&matmul, a, b, arena);
  return output;
}

static void output_free(output_t *output) {
  g_free(output->reference);
  g_free(output->tail);
  g_free(output->magnitude);
  g_free(output->uncertified);
}

/* The error of a rough sum, by MPFR. */
static double error_of(const product_t *product, const output_t *rough, size_t at) {
  mpfr_t sum, term;
  mpfr_init2(sum, 2200);
  mpfr_init2(term, 106);
  mpfr_set_d(sum, rough->reference[at], MPFR_RNDN);
  mpfr_add_d(sum, sum, rough->tail[at], MPFR_RNDN);
  for (size_t t = 0; t < product->k; t++) {
    mpfr_set_d(term, product->a[at / product->n * product->k + t], MPFR_RNDN);
    mpfr_mul_d(term, term, product->b[t * product->n + at % product->n], MPFR_RNDN);
    mpfr_sub(sum, sum, term, MPFR_RNDN);
  }
  double error = fabs(mpfr_get_d(sum, MPFR_RNDA));
  mpfr_clears(sum, term, (mpfr_ptr)0);
  return error;
}

/* Elements whose magnitude is that of some terms alone. */
static size_t check(const product_t *product, const output_t *exact, const output_t *rough) {
  size_t partial = 0, k = product->k;
  double permitted = product->is_f64 ? exact_rough_error_f64(k) : exact_rough_error_f32(k);
  for (size_t i = 0; i < product->m * product->n; i++) {
    g_assert_cmpint(rough->uncertified[i], ==, exact->uncertified[i]);
    if (exact->uncertified[i] != 0) continue;
    double whole = exact->magnitude[i], some = rough->magnitude[i];
    double error =
        fabs(rough->reference[i] - exact->reference[i] + (rough->tail[i] - exact->tail[i]));
    g_assert_cmpfloat(error, <=, permitted * some);
    if (i % 37 == 0) g_assert_cmpfloat(error_of(product, rough, i), <=, permitted * some);
    g_assert_cmpfloat(some, <=, whole);
    g_assert_cmpfloat(whole, <=, rough->bound * (1 + 0x1p-10));
    if (exact_matmul_is_measured(i / product->n)) g_assert_true(some == whole);
    partial += some < whole;
  }
  return partial;
}

static void check_data(const size_t shape[3], bool is_f64, data_t data, rng_t *rng,
                       arena_t *arena) {
  size_t m = shape[0], n = shape[1], k = shape[2];
  product_t product = product_new(shape, is_f64, data, rng);
  output_t exact = multiply(exact_kernels_named("portable"), &product, false, arena);
  output_t first = multiply(exact_kernels_named("portable"), &product, true, arena);
  size_t count = m * n, partial = check(&product, &exact, &first), unmeasured = 0;
  for (size_t i = 0; i < m; i++) unmeasured += exact_matmul_is_measured(i) ? 0 : n;
  bool is_large = m * n * k >= 1 << 17 && n >= 16 && k >= 32;
  if (is_large && is_ordinary[data]) g_assert_cmpuint(partial, >, unmeasured / 2);
  if (!is_large || data == DATA_INFINITE || data == DATA_SMALL) {
    g_assert_true(isinf(first.bound));
    for (size_t i = 0; i < count; i++) {
      g_assert_true(exact.uncertified[i] != 0 || first.reference[i] == exact.reference[i]);
    }
  }
  if (data == DATA_INFINITE) g_assert_cmpuint(partial, ==, 0);
  for (size_t name = 1; name < G_N_ELEMENTS(kernel_names); name++) {
    const exact_kernels_t *kernels = exact_kernels_named(kernel_names[name]);
    if (kernels == NULL) continue;
    output_t other = multiply(kernels, &product, true, arena);
    g_assert_true(memcmp(other.uncertified, first.uncertified, count) == 0);
    g_assert_true(other.bound == first.bound);
    for (size_t i = 0; i < count; i++) {
      if (first.uncertified[i] != 0) continue;
      g_assert_true(other.reference[i] == first.reference[i]);
      g_assert_true(other.tail[i] == first.tail[i]);
      g_assert_true(other.magnitude[i] == first.magnitude[i]);
    }
    output_free(&other);
  }
  output_free(&first);
  output_free(&exact);
  product_free(&product);
}

/* About tiles, panels, chunks of terms and the rows that are measured; the last are too small. */
static const size_t shapes[][3] = {{64, 64, 64},  {67, 33, 64},  {130, 48, 32}, {21, 100, 63},
                                   {9, 17, 1000}, {6, 16, 4096}, {70, 16, 255}, {5, 40, 700},
                                   {64, 64, 16},  {200, 8, 100}, {16, 16, 16}};

static void test_data(gconstpointer data) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(GPOINTER_TO_UINT(data));
  for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
    for (int is_f64 = 0; is_f64 < 2; is_f64++) {
      check_data(shapes[i], is_f64 == 1, (data_t)GPOINTER_TO_UINT(data), &rng, &arena);
    }
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  static const char *const names[DATA_COUNT] = {
      [DATA_UNIFORM] = "uniform",       [DATA_POSITIVE] = "positive",
      [DATA_CANCELLING] = "cancelling", [DATA_SHORT] = "short",
      [DATA_SMALL] = "small",           [DATA_ONE_LARGE] = "one-large",
      [DATA_HALF_ZERO] = "half-zero",   [DATA_WIDE] = "wide",
      [DATA_INFINITE] = "infinite"};
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < DATA_COUNT; i++) {
    g_autofree char *path = g_strdup_printf("/rough/%s", names[i]);
    g_test_add_data_func(path, GUINT_TO_POINTER((guint)i), test_data);
  }
  return g_test_run();
}
