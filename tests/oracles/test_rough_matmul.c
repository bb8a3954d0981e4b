/* SPDX-License-Identifier: Apache-2.0 */
/* Rough products (theory.md, T296) against exact ones, on every instruction set: what they may err
 * by, that rows which are measured have whole magnitudes, and that data beyond the ordinary has
 * nothing rough. */
#include <glib.h>
#include <math.h>
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
  size_t m, n, k;
  float *a, *b;
} product_t;

static float draw(rng_t *rng, data_t data) {
  double x = (double)(rng_bits(rng) >> 40) * 0x1p-24;
  if (data != DATA_POSITIVE && rng_one_in(rng, 2)) x = -x;
  if (data == DATA_SHORT) x = ldexp(rint(ldexp(x, 8)), -8);
  if (data == DATA_SMALL) x = ldexp(x, -66);
  if (data == DATA_WIDE) x = ldexp(x, (int)rng_between(rng, -60, 60));
  return (float)x;
}

static product_t product_new(size_t m, size_t n, size_t k, data_t data, rng_t *rng) {
  product_t product = {m, n, k, g_new(float, m *k), g_new(float, k *n)};
  for (size_t i = 0; i < m * k; i++) product.a[i] = draw(rng, data);
  for (size_t i = 0; i < k * n; i++) product.b[i] = draw(rng, data);
  for (size_t i = 0; i < m * k && data == DATA_HALF_ZERO; i++) {
    if (i % k % 2 == 0) product.a[i] = 0;
  }
  if (data == DATA_ONE_LARGE) product.a[m / 2 * k + 3] = product.b[3 * n + 7] = 0x1p40F;
  if (data == DATA_INFINITE) product.a[(m - 1) * k + 1] = (float)INFINITY;
  if (data == DATA_CANCELLING) {
    for (size_t t = 1; t < k; t += 2) {
      for (size_t i = 0; i < m; i++) product.a[i * k + t] = -product.a[i * k + t - 1];
      memcpy(product.b + t * n, product.b + (t - 1) * n, n * sizeof(float));
    }
  }
  return product;
}

static void product_free(product_t *product) {
  g_free(product->a);
  g_free(product->b);
}

typedef struct output {
  double *reference, *magnitude;
  uint8_t *uncertified;
  double bound;
} output_t;

static output_t multiply(const exact_kernels_t *kernels, const product_t *product, bool is_rough,
                         arena_t *arena) {
  size_t count = product->m * product->n;
  output_t output = {g_new(double, count), g_new(double, count), g_new(uint8_t, count), 0};
  const exact_matmul_t matmul = {.m = product->m,
                                 .n = product->n,
                                 .k = product->k,
                                 .reference = output.reference,
                                 .magnitude = output.magnitude,
                                 .uncertified = output.uncertified,
                                 .rough_bound = is_rough ? &output.bound : NULL};
  kernels->matmul_f32(&matmul, product->a, product->b, arena);
  return output;
}

static void output_free(output_t *output) {
  g_free(output->reference);
  g_free(output->magnitude);
  g_free(output->uncertified);
}

/* Elements whose magnitude is that of some terms alone. */
static size_t check(const product_t *product, const output_t *exact, const output_t *rough) {
  size_t partial = 0;
  for (size_t i = 0; i < product->m * product->n; i++) {
    g_assert_cmpint(rough->uncertified[i], ==, exact->uncertified[i]);
    if (exact->uncertified[i] != 0) continue;
    double whole = exact->magnitude[i], some = rough->magnitude[i];
    double error = fabs(rough->reference[i] - exact->reference[i]);
    g_assert_cmpfloat(error, <=, EXACT_ROUGH_ERROR * (double)product->k * some);
    g_assert_cmpfloat(some, <=, whole);
    g_assert_cmpfloat(whole, <=, rough->bound * (1 + 0x1p-10));
    if (exact_matmul_is_measured(i / product->n)) g_assert_true(some == whole);
    partial += some < whole;
  }
  return partial;
}

static void check_data(size_t m, size_t n, size_t k, data_t data, rng_t *rng, arena_t *arena) {
  product_t product = product_new(m, n, k, data, rng);
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
                                   {9, 17, 1000}, {70, 16, 255}, {5, 40, 700},  {64, 64, 16},
                                   {200, 8, 100}, {16, 16, 16}};

static void test_data(gconstpointer data) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(GPOINTER_TO_UINT(data));
  for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
    check_data(shapes[i][0], shapes[i][1], shapes[i][2], (data_t)GPOINTER_TO_UINT(data), &rng,
               &arena);
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
