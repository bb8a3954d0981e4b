/* SPDX-License-Identifier: Apache-2.0 */
/* What the fast side is sure of where few terms may overflow, some tree gives. */
#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"
#include "oracles/exact/any_order/few_terms.h"
#include "oracles/exact/sum/simd.h"

enum { SUMS = 400, TERMS_MAX = 5 };

/* Around the largest number, over it where `spread` is positive. */
static double draw(rng_t *rng, const format_t *format, int spread) {
  double share = ldexp((double)rng_between(rng, -(1 << 20), 1 << 20), spread - 20);
  return format_round_double(format, share * ldexp(1, format->exponent_max / 2));
}

static bool is_reached(const few_terms_t *sum, double value, arena_t *arena) {
  double hull[2];
  return few_terms_ask(sum, value, arena, hull) == FEW_TERMS_REACHED;
}

static void test_flags(const void *data) {
  const format_t *format = data;
  contract_t contract = contract_backend();
  rng_t rng = rng_make(format->bits);
  arena_t arena;
  arena_init(&arena);
  size_t infinite = 0, nan = 0;
  for (size_t i = 0; i < SUMS; i++) {
    double left[TERMS_MAX], right[TERMS_MAX];
    /* Fused products may hide what plain trees do. */
    const few_terms_t sum = {
        .format = format, .count = 2 + i % (TERMS_MAX - 1), .left = left, .right = right};
    special_sum_t special = {0};
    for (size_t k = 0; k < sum.count; k++) {
      left[k] = draw(&rng, format, 1);
      right[k] = draw(&rng, format, i % 3 == 0 ? 2 : 1);
      special_sum_take(&special, left[k], right[k]);
    }
    uint8_t flags = special_few_flags(&special, sum.count, format, &contract);
    infinite += (flags & (ACCEPT_POSITIVE_INFINITY | ACCEPT_NEGATIVE_INFINITY)) != 0;
    nan += (flags & ACCEPT_NAN) != 0;
    if ((flags & ACCEPT_POSITIVE_INFINITY) != 0)
      g_assert_true(is_reached(&sum, (double)INFINITY, &arena));
    if ((flags & ACCEPT_NEGATIVE_INFINITY) != 0)
      g_assert_true(is_reached(&sum, -(double)INFINITY, &arena));
    if ((flags & ACCEPT_NAN) != 0) g_assert_true(is_reached(&sum, (double)NAN, &arena));
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  g_test_message("%s: %zu infinite, %zu NaN", format->name, infinite, nan);
  g_assert_cmpuint(nan, >, 5);
  if (format_has_infinity(format)) g_assert_cmpuint(infinite, >, 5);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_data_func("/few-overflow/f32", &format_table[FORMAT_f32], test_flags);
  g_test_add_data_func("/few-overflow/bf16", &format_table[FORMAT_bf16], test_flags);
  g_test_add_data_func("/few-overflow/f16", &format_table[FORMAT_f16], test_flags);
  return g_test_run();
}
