/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of few terms with more initial values than trees are made of one by one, in long formats and
 * with wider nodes: what random trees give conforms, and what lies on the wrong side of all that
 * trees with fewer of them give does not. */
#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"
#include "oracles/exact/sum/problem.h"

enum { TERMS_MAX = 5, INITS_MAX = 400, LEAVES_MAX = TERMS_MAX + INITS_MAX };

typedef struct row {
  const char *path;
  const char *contract;
  int format;
  bool is_wider; /* Some trees compute in binary64, and round at last. */
} row_t;

static const row_t rows[] = {
    {"/many-inits/backend/f32", "backend", FORMAT_f32, true},
    {"/many-inits/backend/f16", "backend", FORMAT_f16, true},
    {"/many-inits/backend/bf16", "backend", FORMAT_bf16, true},
    {"/many-inits/backend/f8E5M2", "backend", FORMAT_f8E5M2, true},
    {"/many-inits/any-order/f32", "spec,order=any", FORMAT_f32, false},
    {"/many-inits/any-order/f64", "spec,order=any", FORMAT_f64, false},
    {"/many-inits/any-order/bf16", "spec,order=any", FORMAT_bf16, false},
    {"/many-inits/any-order/f16", "spec,order=any", FORMAT_f16, false},
};

typedef struct sum {
  const format_t *format;
  size_t count;
  double terms[TERMS_MAX];
  double init;
} sum_t;

static double draw_number(rng_t *rng, const format_t *format) {
  double value = 1 + (double)rng_below(rng, 1 << 20) * 0x1p-20;
  if (rng_one_in(rng, 2)) value = 1 + (double)rng_below(rng, 4) * 0.25;
  if (rng_one_in(rng, 2)) value = -value;
  return format_round_double(format, ldexp(value, (int)rng_between(rng, -4, 4)));
}

static sum_t draw_sum(rng_t *rng, const format_t *format) {
  sum_t sum = {.format = format, .count = 1 + rng_below(rng, TERMS_MAX)};
  bool has_one_sign = rng_one_in(rng, 2);
  for (size_t i = 0; i < sum.count; i++) {
    sum.terms[i] = draw_number(rng, format);
    if (has_one_sign) sum.terms[i] = fabs(sum.terms[i]);
  }
  sum.init = draw_number(rng, format);
  if (has_one_sign) sum.init = fabs(sum.init);
  return sum;
}

/* Any tree, a loop, or neighbours; each sum rounded, or the last one only. */
static double random_tree(rng_t *rng, const sum_t *sum, size_t inits, bool rounds_each) {
  double leaves[LEAVES_MAX];
  size_t count = 0;
  for (size_t i = 0; i < sum->count; i++) leaves[count++] = sum->terms[i];
  for (size_t i = 0; i < inits; i++) leaves[count++] = sum->init;
  uint64_t shape = rng_below(rng, 3);
  while (count > 1) {
    size_t kept = shape == 0 ? 0 : (size_t)rng_below(rng, count - 1);
    size_t freed = shape == 1 ? count - 1 : kept + 1 + (size_t)rng_below(rng, count - kept - 1);
    double node = leaves[kept] + leaves[freed];
    leaves[kept] = rounds_each ? format_round_double(sum->format, node) : node;
    leaves[freed] = leaves[--count];
  }
  return format_round_double(sum->format, leaves[0]);
}

static bool conforms(const sum_t *sum, const contract_t *contract, double value, arena_t *arena) {
  const sum_problem_t question = {.format = sum->format,
                                  .count = sum->count,
                                  .left = sum->terms,
                                  .left_format = sum->format,
                                  .right_format = sum->format,
                                  .has_init = true,
                                  .init = sum->init};
  answer_t answer;
  failure_t error;
  uint64_t bits = format_from_double(sum->format, value);
  g_assert_cmpint(sum_answer(&question, contract, bits, arena, &answer, &error), ==, STATUS_OK);
  arena_reset(arena);
  return answer.conforms;
}

static void test_reached(gconstpointer data) {
  enum { CASES = 30, TREES = 4 };
  const row_t *row = data;
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from(row->contract), &contract, NULL), ==, STATUS_OK);
  rng_t rng = rng_make(17);
  arena_t arena;
  arena_init(&arena);
  size_t refused = 0, beyond = 0;
  for (int i = 0; i < CASES; i++) {
    sum_t sum = draw_sum(&rng, &format_table[row->format]);
    for (int t = 0; t < TREES; t++) {
      size_t inits = 5 + (size_t)rng_below(&rng, rng_one_in(&rng, 2) ? 12 : INITS_MAX - 5);
      double value = random_tree(&rng, &sum, inits, !row->is_wider || rng_one_in(&rng, 2));
      refused += isfinite(value) && !conforms(&sum, &contract, value, &arena);
    }
    /* All of one sign: no sum is less than the largest of them. */
    double largest = 0, least = fabs(sum.init), sign = sum.init > 0 ? 1 : -1;
    for (size_t k = 0; k < sum.count; k++) {
      largest = fmax(largest, fabs(sum.terms[k]));
      if (sum.terms[k] * sign < 0) least = 0;
    }
    if (least > 0) beyond += conforms(&sum, &contract, 0.75 * largest * sign, &arena);
  }
  arena_deinit(&arena);
  g_assert_cmpuint(refused, ==, 0);
  g_assert_cmpuint(beyond, ==, 0);
}

/* What all trees give is at least 40960; and 65536 times 2^-10 is not 1000 in f16. */
static void test_directed(void) {
  arena_t arena;
  arena_init(&arena);
  contract_t backend = contract_backend(), plain;
  g_assert_cmpint(contract_parse(str_from("spec,order=any"), &plain, NULL), ==, STATUS_OK);
  const sum_t pushed = {.format = &format_table[FORMAT_f8E5M2],
                        .count = 4,
                        .terms = {40, 14, 4096, 40960},
                        .init = 1.75};
  g_assert_false(conforms(&pushed, &plain, 28672, &arena));
  g_assert_false(conforms(&pushed, &backend, 28672, &arena));
  g_assert_true(conforms(&pushed, &backend, 40960, &arena));
  const sum_t grown = {
      .format = &format_table[FORMAT_f16], .count = 1, .terms = {0x1p-10}, .init = 0x1.fbp-11};
  g_assert_false(conforms(&grown, &plain, 1000, &arena));
  g_assert_true(conforms(&grown, &plain, 63, &arena));
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_add_data_func(rows[i].path, &rows[i], test_reached);
  }
  g_test_add_func("/many-inits/directed", test_directed);
  return g_test_run();
}
