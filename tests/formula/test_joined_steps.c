/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that the fast evaluator takes at once give the numbers that they give one by one, bit for
 * bit, in all vector loops: of ordinary numbers, of the smallest, and of infinities and NaN. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "harness/base/rng.h"
#include "harness/num/binary64.h"
#include "oracles/formula/fast/fast_evaluator.h"
#include "oracles/formula/fast/fast_rows.h"

enum { ROUNDS = 3000, COUNT_MAX = 300 };

typedef struct tally {
  size_t known, unknown, zeros, subnormal;
} tally_t;

/* Of `regime`: 0 ordinary, 1 near the smallest, 2 of any size, 3 all patterns. */
static double draw(rng_t *rng, int regime) {
  uint32_t bits = (uint32_t)rng_bits(rng);
  double fraction = (double)rng_between(rng, -(1 << 24), 1 << 24) * 0x1p-24;
  if (rng_one_in(rng, 40)) return rng_one_in(rng, 2) ? 0.0 : -0.0;
  if (regime == 0) return (double)(float)(4 * fraction);
  if (regime == 1) return (double)(float)ldexp(fraction, (int)rng_between(rng, -150, -120));
  if (regime == 2) return (double)(float)ldexp(fraction, (int)rng_between(rng, -149, 128));
  float number;
  memcpy(&number, &bits, sizeof number);
  return (double)number;
}

/* Points, or intervals: of an unknown number both ends are NaN; of an infinite one they are equal.
 */
static row_t draw_row(formula_t *formula, rng_t *rng, size_t count, bool are_points) {
  int regime = rng_one_in(rng, 2) ? 0 : (int)rng_below(rng, 4);
  fast_numbers_t *numbers = fast_new(formula, count);
  for (size_t i = 0; i < count; i++) {
    double x = draw(rng, regime), y = draw(rng, regime),
           narrow = (double)(float)(x * (1 + 0x1p-22));
    if (rng_one_in(rng, 2)) y = narrow;
    if (are_points || isinf(x) || isinf(y)) y = x;
    if (!are_points && x == (double)INFINITY) x = y = (double)NAN;
    numbers->low[i] = isnan(y) ? y : fmin(x, y);
    numbers->high[i] = isnan(x) ? x : fmax(x, y);
    if (isnan(x) || isnan(y)) numbers->low[i] = numbers->high[i] = (double)NAN;
    numbers->point[i] = are_points ? numbers->low[i] : x + (y - x) * 0.3;
  }
  if (are_points) return fast_row_of_points(formula, numbers->low, count);
  return (row_t){.count = count, .fast = numbers};
}

static bool is_same(double a, double b) {
  return (isnan(a) && isnan(b)) || binary64_bits(a) == binary64_bits(b);
}

static void compare(row_t by_steps, row_t joined, tally_t *inout_tally) {
  g_assert_cmpuint(by_steps.count, ==, joined.count);
  for (size_t i = 0; i < joined.count; i++) {
    const fast_numbers_t *a = by_steps.fast, *b = joined.fast;
    g_assert_true(is_same(a->low[i], b->low[i]) && is_same(a->high[i], b->high[i]) &&
                  is_same(a->point[i], b->point[i]));
    *(isnan(b->low[i]) ? &inout_tally->unknown : &inout_tally->known) += 1;
    inout_tally->zeros += b->low[i] == 0;
    inout_tally->subnormal += b->low[i] != 0 && fabs(b->low[i]) < 0x1p-126;
  }
}

static void compare_rows(formula_t *formula, rng_t *rng, tally_t *inout_tally) {
  static const real_t third =
      REAL(0.333333333333333333333333333333333333333333333333333333333333333);
  size_t count = 1 + (size_t)rng_below(rng, COUNT_MAX);
  row_t a = draw_row(formula, rng, count, true);
  row_t b = draw_row(formula, rng, rng_one_in(rng, 20) ? 1 : count, rng_one_in(rng, 8));
  compare(formula_half_product_by_steps(formula, a, b), formula_half_product(formula, a, b),
          inout_tally);
  row_t factor = formula_constant(formula, &third), divisor = formula_number(formula, 3);
  compare(formula_scale_by_steps(formula, a, factor, divisor),
          formula_scale(formula, a, factor, divisor), inout_tally);
}

static void test_kernels(gconstpointer data) {
  const fast_kernels_t *kernels = fast_kernels_named(&format_table[FORMAT_f32], data);
  if (kernels == NULL) {
    g_test_skip("this machine cannot run them");
    return;
  }
  const contract_t contract = contract_backend();
  const fast_settings_t settings = {.kernels = kernels};
  rng_t rng = rng_make(295);
  tally_t tally = {0};
  arena_t arena;
  arena_init(&arena);
  formula_t formula = {.evaluator = &fast_evaluator,
                       .settings = &settings,
                       .format = &format_table[FORMAT_f32],
                       .contract = &contract,
                       .arena = &arena};
  for (size_t i = 0; i < ROUNDS; i++) {
    arena_mark_t mark = arena_mark(&arena);
    compare_rows(&formula, &rng, &tally);
    arena_rewind(&arena, mark);
  }
  arena_deinit(&arena);
  g_test_message("%zu known, %zu not; %zu zeros, %zu subnormal", tally.known, tally.unknown,
                 tally.zeros, tally.subnormal);
  g_assert_cmpuint(tally.unknown, >, ROUNDS);
  g_assert_cmpuint(tally.zeros, >, ROUNDS);
  g_assert_cmpuint(tally.subnormal, >, ROUNDS);
  g_assert_cmpuint(tally.known, >, tally.unknown);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/joined-steps/portable", "portable", test_kernels);
  g_test_add_data_func("/joined-steps/avx2", "avx2", test_kernels);
  g_test_add_data_func("/joined-steps/avx512", "avx512", test_kernels);
  return g_test_run();
}
