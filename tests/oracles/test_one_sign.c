/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of many numbers of one sign stay within theory.md, T128: the largest and the least that any
 * tree makes of equal numbers, by dynamic programming over how many there are, and random trees of
 * unlike ones. */
#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/sum/bounds.h"

enum { COUNT_MAX = 1200, LEAVES_MAX = 3000 };

typedef struct ends {
  double least[COUNT_MAX + 1];
  double most[COUNT_MAX + 1];
} ends_t;

/* Rounded additions grow with both operands, so that extremes are made of extremes. */
static void make_ends(const format_t *format, double value, ends_t *out) {
  out->least[1] = out->most[1] = value;
  for (size_t count = 2; count <= COUNT_MAX; count++) {
    out->least[count] = INFINITY;
    out->most[count] = 0;
    for (size_t i = 1; 2 * i <= count; i++) {
      double low = format_round_double(format, out->least[i] + out->least[count - i]);
      double high = format_round_double(format, out->most[i] + out->most[count - i]);
      out->least[count] = fmin(out->least[count], low);
      out->most[count] = fmax(out->most[count], high);
    }
  }
}

static void test_equal(gconstpointer data) {
  const format_t *format = data;
  static ends_t ends;
  double sharpest_most = 0, sharpest_least = INFINITY;
  for (uint64_t bits = 0; bits < 8; bits++) {
    /* One, and other numbers of few and of all bits. */
    double value = format_round_double(format, 1 + ldexp((double)(bits * bits), -6));
    make_ends(format, value, &ends);
    for (size_t count = 1; count <= COUNT_MAX; count++) {
      double exact = value * (double)count;
      if (!isfinite(ends.most[count])) break;
      bool is_beyond_t10 = (double)(count - 1) * format_unit_roundoff(format) >= 4;
      double most = ends.most[count] / exact / sum_one_sign_growth(format, count);
      double least = ends.least[count] / exact / sum_one_sign_decline(format, count);
      g_assert_cmpfloat(most, <=, 1);
      g_assert_cmpfloat(least, >=, 1);
      if (!is_beyond_t10) continue;
      sharpest_most = fmax(sharpest_most, most);
      sharpest_least = fmin(sharpest_least, least);
    }
  }
  g_test_message(
      "of the upper bound %.3f are attained, of the lower one %.3f,"
      " where T10 says nothing",
      sharpest_most, sharpest_least);

  if (isfinite(sharpest_least)) g_assert_cmpfloat(sharpest_least, <, 1.25);
}

/* Adds two of the leaves that are left, of neighbouring sizes, of unlike ones, or any. */
static double random_tree(rng_t *rng, const format_t *format, double *leaves, size_t count) {
  uint64_t shape = rng_below(rng, 3);
  while (count > 1) {
    size_t kept = shape == 0 ? 0 : (size_t)rng_below(rng, count - 1);
    size_t freed = shape == 1 ? count - 1 : kept + 1 + (size_t)rng_below(rng, count - kept - 1);
    leaves[kept] = format_round_double(format, leaves[kept] + leaves[freed]);
    leaves[freed] = leaves[--count];
  }
  return leaves[0];
}

static void test_unlike(gconstpointer data) {
  enum { TREES = 200 };
  const format_t *format = data;
  rng_t rng = rng_make(7);
  static double leaves[LEAVES_MAX];
  for (int i = 0; i < TREES; i++) {
    size_t count = 1 + (size_t)rng_below(&rng, LEAVES_MAX);
    double exact = 0;
    int spread = 1 + (int)rng_below(&rng, 4);
    for (size_t k = 0; k < count; k++) {
      double value = 1 + ldexp((double)rng_below(&rng, 1 << 20), -20);
      value = ldexp(value, -8 - (int)rng_below(&rng, (uint64_t)spread * 4));
      leaves[k] = format_round_double(format, value);
      exact += leaves[k];
    }
    double sum = random_tree(&rng, format, leaves, count);
    if (!isfinite(sum)) continue;
    g_assert_cmpfloat(sum, <=, exact * sum_one_sign_growth(format, count));
    g_assert_cmpfloat(sum, >=, exact * sum_one_sign_decline(format, count));
  }
}

int main(int argc, char **argv) {
  static const int formats[] = {FORMAT_f8E5M2, FORMAT_f8E4M3, FORMAT_f8E3M4, FORMAT_bf16,
                                FORMAT_f16};
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
    const format_t *format = &format_table[formats[i]];
    char *equal = g_strdup_printf("/one-sign/equal/%s", format->name);
    char *unlike = g_strdup_printf("/one-sign/unlike/%s", format->name);
    g_test_add_data_func(equal, format, test_equal);
    g_test_add_data_func(unlike, format, test_unlike);
    g_free(equal);
    g_free(unlike);
  }
  return g_test_run();
}
