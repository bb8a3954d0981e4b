/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of positive, negative and special terms in lanes, against a loop over one output at a time:
 * the same bits with every instruction set, also where all are NaN before the last term. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "harness/base/rng.h"
#include "oracles/exact/matmul/kernels.h"

enum { TERMS_MAX = 40, STRIDE_MAX = 21 };

static const char *const kernel_names[] = {"portable", "avx2", "avx512"};

typedef struct operands {
  float a32[TERMS_MAX], b32[TERMS_MAX * STRIDE_MAX];
  double a64[TERMS_MAX], b64[TERMS_MAX * STRIDE_MAX];
} operands_t;

static float draw_f32(rng_t *rng) {
  static const float chosen[] = {0, -0.0F, 1, -1, 0x1p127F, -0x1p127F, 0x1p-149F, 0x1.fffffep127F};
  uint32_t bits = (uint32_t)rng_bits(rng);
  float value;
  memcpy(&value, &bits, sizeof value);
  switch (rng_below(rng, 8)) {
    case 0:
      return rng_one_in(rng, 2) ? INFINITY : -INFINITY;
    case 1:
      return NAN;
    case 2:
    case 3:
      return chosen[rng_below(rng, G_N_ELEMENTS(chosen))];
    default:
      return value;
  }
}

/* Some operands have nothing special, so that sums of ordinary terms are seen too. */
static void draw(rng_t *rng, operands_t *out) {
  bool has_special = rng_one_in(rng, 2);
  for (size_t i = 0; i < TERMS_MAX * STRIDE_MAX; i++) {
    float a = draw_f32(rng), b = draw_f32(rng);
    if (!has_special || rng_below(rng, 8) != 0) {
      a = isfinite(a) ? a : 1;
      b = isfinite(b) ? b : -1;
    }
    if (i < TERMS_MAX) out->a32[i] = a;
    if (i < TERMS_MAX) out->a64[i] = (double)a * 0x1p300; /* Products that overflow binary64 too. */
    out->b32[i] = b;
    out->b64[i] = (double)b * (rng_one_in(rng, 2) ? 0x1p600 : 0x1p-900);
  }
}

static bool are_same(double a, double b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void check_column(const signed_sums_t *got, size_t column, const double *left,
                         const double *right, size_t k, uint64_t *inout_seen) {
  double positive = 0, negative = 0, special = 0;
  bool has_special = false;
  for (size_t t = 0; t < k; t++) {
    double term = left[t] * right[t];
    if (isfinite(left[t]) && isfinite(right[t])) {
      *(term > 0 ? &positive : &negative) += term;
    } else {
      has_special = true;
      special += term;
    }
  }
  g_assert_true(are_same(got->special[column], special));
  if (!isnan(special)) {
    g_assert_true(are_same(got->positive[column], positive));
    g_assert_true(are_same(got->negative[column], negative));
  }
  g_assert_true((got->has_special[column] != 0) == has_special);
  inout_seen[has_special] += 1;
}

static void check(const exact_kernels_t *kernels, const operands_t *operands, size_t k,
                  size_t stride, size_t columns, bool is_f64, uint64_t *inout_seen) {
  signed_sums_t sums;
  if (is_f64) {
    kernels->signed_sums_f64(operands->a64, operands->b64, k, stride, columns, &sums);
  } else {
    kernels->signed_sums_f32(operands->a32, operands->b32, k, stride, columns, &sums);
  }
  for (size_t column = 0; column < columns; column++) {
    double left[TERMS_MAX], right[TERMS_MAX];
    for (size_t t = 0; t < k; t++) {
      left[t] = is_f64 ? operands->a64[t] : (double)operands->a32[t];
      right[t] =
          is_f64 ? operands->b64[t * stride + column] : (double)operands->b32[t * stride + column];
    }
    check_column(&sums, column, left, right, k, inout_seen);
  }
}

static void test_sums(gconstpointer type) {
  rng_t rng = rng_make(23);
  uint64_t seen[2] = {0};
  for (int i = 0; i < 2000; i++) {
    operands_t operands;
    draw(&rng, &operands);
    size_t k = rng_below(&rng, TERMS_MAX + 1);
    size_t columns = 1 + rng_below(&rng, SIGNED_SUMS_COLUMNS);
    size_t stride = columns + rng_below(&rng, STRIDE_MAX - columns + 1);
    for (size_t j = 0; j < G_N_ELEMENTS(kernel_names); j++) {
      const exact_kernels_t *kernels = exact_kernels_named(kernel_names[j]);
      if (kernels != NULL) check(kernels, &operands, k, stride, columns, type != NULL, seen);
    }
  }
  g_assert_cmpuint(seen[0], >, 1000);
  g_assert_cmpuint(seen[1], >, 1000);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/signed_sums/f32", NULL, test_sums);
  g_test_add_data_func("/signed_sums/f64", "f64", test_sums);
  return g_test_run();
}
