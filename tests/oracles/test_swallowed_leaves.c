/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds by levels, where leaves are so small that others swallow them (theory.md, T165): by hand,
 * and against all trees of up to eight terms. */
#include "oracles/exact/any_order/levels.h"
#include "oracles/exact/any_order/part_sets.h"
#include "oracles/exact/error_bound.h"
#include "tests/oracles/level_sums.h"

/* By hand: a 16 and 8 quarters in that format.  Quarters lose nothing among themselves, and a 16
 * that swallows one after the other loses all of them, 2; which is half a unit of what is above 16,
 * and was the bound for each of the nodes before T165. */
static void test_swallowed_by_hand(void) {
  const format_t *format = &format_table[FORMAT_f8E5M2];
  level_sum_t sum = {.format = format, .lowest_bit = -2};
  g_assert_true(level_sum_add(&sum, 16));
  for (int i = 0; i < 8; i++) g_assert_true(level_sum_add(&sum, 0.25));
  double swallowed = 16;
  for (int i = 0; i < 8; i++) swallowed = format_round_double(format, swallowed + 0.25);
  g_assert_cmpfloat(level_sum_error(&sum, 0), ==, 16 + 8 * 0.25 - swallowed);
}

/* ---- All trees of few terms ------------------------------------------------------------------ */

/* False if a leaf is too small. */
static bool make_levels(const instance_t *instance, level_sum_t *out_sum) {
  const sum_problem_t *question = &instance->question;
  *out_sum = (level_sum_t){.format = question->format, .lowest_bit = -1000};
  bool is_added = true;
  for (size_t i = 0; i < question->count && is_added; i++) {
    is_added = question->right == NULL
                   ? level_sum_add(out_sum, question->left[i])
                   : level_sum_add_product(out_sum, question->left[i], question->right[i]);
  }
  return is_added;
}

/* What a number of that magnitude loses when it is rounded, at the most. */
static double last_rounding(const format_t *format, double magnitude) {
  return fmax(ldexp(magnitude, -format->precision), format_smallest(format) / 2);
}

/* The bound holds what every plain or fused tree of up to eight terms gives. */
static void check_all_trees_of_few(const instance_t *instance, arena_t *arena, size_t *asked,
                                   double *inout_farthest) {
  const sum_problem_t *question = &instance->question;
  const few_terms_t sum = {.format = question->format,
                           .count = question->count,
                           .left = question->left,
                           .right = question->right,
                           .may_fuse = true};
  leaves_t leaves;
  level_sum_t levels;
  if (!leaves_make(&sum, &leaves) || !make_levels(instance, &levels)) return;
  const part_limits_t plain = {.spans = PART_PLAIN_SPANS_MAX};
  const part_sets_t sets = part_sets_make(&sum, &leaves, &plain, arena);
  if (!sets.is_complete) return;
  const part_set_t *all = &sets.sets[leaves.part_count - 1];
  double total = 0, error = level_sum_error(&levels, 0);
  for (size_t i = 0; i < levels.count; i++) total += levels.leaves[i];
  double most =
      error + last_rounding(question->format, fabs(total) + error) + fabs(total) * 0x1p-48;
  for (size_t k = 0; k < all->count && all->overflows == 0; k++) {
    double distance = fabs(all->spans[k].from.high - total);
    g_assert_cmpfloat(distance, <=, most);
    *inout_farthest = fmax(*inout_farthest, most > 0 ? distance / most : 0);
    *asked += 1;
  }
}

static void test_all_trees_of_few(const void *data) {
  enum { SUMS = 600 };
  const format_t *format = data;
  rng_t rng = rng_make(165);
  arena_t arena;
  arena_init(&arena);
  size_t asked = 0;
  double farthest = 0;
  for (size_t i = 0; i < SUMS; i++) {
    instance_t instance;
    make(&instance, &rng, format, (data_t)(i % DATA_COUNT), 2 + i % 7, i / DATA_COUNT % 2 == 1);
    check_all_trees_of_few(&instance, &arena, &asked, &farthest);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  g_test_message("%s: %zu values, the farthest at %.2f of its bound", format->name, asked,
                 farthest);
  g_assert_cmpuint(asked, >, SUMS);
  g_assert_cmpfloat(farthest, >, 0.6);
}

/* Whoever needs no less than `enough` learns as much as who asks for the least bound. */
static void test_enough(void) {
  enum { SUMS = 3000 };
  static const int formats[] = {FORMAT_f32, FORMAT_bf16, FORMAT_f64};
  rng_t rng = rng_make(122);
  size_t sooner = 0, later = 0;
  for (size_t i = 0; i < SUMS; i++) {
    instance_t instance;
    level_sum_t levels;
    const format_t *format = &format_table[formats[i % G_N_ELEMENTS(formats)]];
    make(&instance, &rng, format, (data_t)(i % DATA_COUNT), 2 + i % 31, i % 2 == 1);
    if (!make_levels(&instance, &levels)) continue;
    double least = level_sum_error(&levels, 0);
    double enough = least * (double)rng_below(&rng, 64) / 32;
    double error = level_sum_error(&levels, enough);
    g_assert_cmpfloat(fmax(error, enough), ==, fmax(least, enough));
    sooner += error > least;
    later += least > enough;
  }
  g_assert_cmpuint(sooner, >, SUMS / 100);
  g_assert_cmpuint(later, >, SUMS / 100);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/swallowed_leaves/by-hand", test_swallowed_by_hand);
  g_test_add_func("/swallowed_leaves/enough", test_enough);
  static const int formats[] = {FORMAT_f32,  FORMAT_f64,    FORMAT_f16,
                                FORMAT_bf16, FORMAT_f8E5M2, FORMAT_f8E4M3FN};
  for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
    const format_t *format = &format_table[formats[i]];
    g_autofree char *few = g_strdup_printf("/swallowed_leaves/all-trees/%s", format->name);
    g_test_add_data_func(few, format, test_all_trees_of_few);
  }
  return g_test_run();
}
