/* SPDX-License-Identifier: Apache-2.0 */
/* Trees whose nodes may be truncated or flushed: what the search says is given is given by some
 * tree of all, and what usual loops give is found; and what a bound alone permits is said to be
 * unproven (oracles/theory.md, T207). */
#include <math.h>
#include <string.h>

#include "harness/base/rng.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/sum/problem.h"
#include "oracles/exact/tree_search/choices.h"

static contract_t contract_of(const char *text) {
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from(text), &contract, NULL), ==, STATUS_OK);
  return contract;
}

static const format_t *find_format(const char *name) { return element_named(name)->format; }

/* A sum of terms of the format that it is computed in. */
static sum_problem_t question_about(const format_t *format, const double *terms, size_t count,
                                    GString *why) {
  return (sum_problem_t){.format = format,
                         .count = count,
                         .left = terms,
                         .left_format = format,
                         .right_format = format,
                         .why = why};
}

/* ---- All trees of few numbers ---------------------------------------------------------------- */

enum { FEW = 4, SET_MAX = 4096 };

typedef struct set {
  size_t count;
  double items[SET_MAX];
} set_t;

typedef struct walk {
  arithmetic_t rounds, truncates;
  bool may_truncate, may_flush;
  set_t found;
} walk_t;

static void add(set_t *set, double value) {
  for (size_t i = 0; i < set->count; i++) {
    if (set->items[i] == value) return;
  }
  g_assert_cmpuint(set->count, <, SET_MAX);
  set->items[set->count++] = value;
}

static void walk(walk_t *walked, const double *numbers, size_t count);

static void walk_on(walk_t *walked, const double *numbers, size_t count, size_t i, size_t j,
                    double sum) {
  double left[FEW];
  size_t kept = 0;
  for (size_t k = 0; k < count; k++) {
    if (k != i && k != j) left[kept++] = numbers[k];
  }
  left[kept++] = sum;
  walk(walked, left, kept);
  bool is_subnormal = sum != 0 && fabs(sum) < format_smallest_normal(walked->rounds.format);
  if (!walked->may_flush || !is_subnormal) return;
  left[kept - 1] = 0;
  walk(walked, left, kept);
}

static void walk(walk_t *walked, const double *numbers, size_t count) {
  if (count == 1) {
    add(&walked->found, numbers[0]);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t j = i + 1; j < count; j++) {
      walk_on(walked, numbers, count, i, j,
              arithmetic_add(&walked->rounds, numbers[i], numbers[j]));
      if (!walked->may_truncate) continue;
      walk_on(walked, numbers, count, i, j,
              arithmetic_add(&walked->truncates, numbers[i], numbers[j]));
    }
  }
}

static double draw(rng_t *rng, const format_t *format, int exponent) {
  double value = ldexp((double)rng_between(rng, -15, 15), exponent + (int)rng_below(rng, 4));
  return format_round_double(format, value);
}

/* Each number of the format: none is said to be given that no tree gives, and most are found. */
static void test_all_trees(gconstpointer data) {
  enum { SUMS = 30 };
  const format_t *format = find_format(data);
  rng_t rng = rng_make(3);
  size_t given = 0, found = 0;
  for (int n = 0; n < SUMS; n++) {
    double terms[FEW];
    bool flushes = n % 3 == 1, truncates = n % 3 != 1;
    for (size_t i = 0; i < FEW; i++) {
      terms[i] = draw(&rng, format, flushes ? format->exponent_min - 3 : -4);
    }
    walk_t *walked = g_new0(walk_t, 1);
    walked->rounds = arithmetic_make(format);
    walked->truncates = (arithmetic_t){.format = format, .truncate_additions = true};
    walked->may_truncate = truncates;
    walked->may_flush = flushes;
    walk(walked, terms, FEW);
    const few_terms_t sum = {.format = format, .count = FEW, .left = terms};
    const bool flushable[FEW] = {false};
    const tree_choices_t choices = {.may_truncate = truncates,
                                    .may_flush_results = flushes,
                                    .may_flush_terms = flushes,
                                    .flushable = flushable};
    for (uint64_t bits = 0; bits < UINT64_C(1) << format->bits; bits++) {
      const double value = format_to_double(format, bits);
      if (!isfinite(value)) continue;
      bool is_given = false;
      for (size_t i = 0; i < walked->found.count; i++) {
        is_given |= walked->found.items[i] == value;
      }
      const bool is_found = few_terms_choices_give(&sum, &choices, value);
      g_assert_true(is_given || !is_found);
      given += is_given;
      found += is_found;
    }
    g_free(walked);
  }
  g_test_message("%zu of %zu found", found, given);
  g_assert_cmpuint(given, >, SUMS);
  g_assert_cmpuint(10 * found, >=, 9 * given);
}

/* ---- Usual loops ----------------------------------------------------------------------------- */

/* So many accumulators, added up one after the other. */
static double sum_lanes(const arithmetic_t *nodes, const double *terms, size_t count,
                        size_t lanes) {
  double total = 0;
  for (size_t lane = 0; lane < lanes && lane < count; lane++) {
    double sum = terms[lane];
    for (size_t i = lane + lanes; i < count; i += lanes) sum = arithmetic_add(nodes, sum, terms[i]);
    total = lane == 0 ? sum : arithmetic_add(nodes, total, sum);
  }
  return total;
}

/* What truncating loops give of 9 to 64 terms is known to be; a number in the middle of what the
 * bound permits is not, and sum_answer() tells them apart where it is asked why. */
static void test_loops(gconstpointer data) {
  enum { SUMS = 16, TERMS_MAX = 40 };
  static const size_t lanes[] = {1, 2, 4, 8, 16};
  const format_t *format = find_format(data);
  const arithmetic_t truncates = {.format = format, .truncate_additions = true};
  const contract_t contract = contract_of("backend,accum_rounding=rz,accum_wider=no,fma=no");
  rng_t rng = rng_make(4);
  arena_t arena;
  arena_init(&arena);
  size_t unproven = 0;
  for (int n = 0; n < SUMS; n++) {
    double terms[TERMS_MAX];
    const size_t count = (size_t)rng_between(&rng, 9, TERMS_MAX);
    for (size_t i = 0; i < count; i++) terms[i] = draw(&rng, format, -6);
    g_autoptr(GString) why = g_string_new(NULL);
    const sum_problem_t question = {.format = format,
                                    .count = count,
                                    .left = terms,
                                    .left_format = format,
                                    .right_format = format,
                                    .why = why};
    failure_t error = {.text = ""};
    answer_t answer;
    for (size_t k = 0; k < G_N_ELEMENTS(lanes); k++) {
      const double value = sum_lanes(&truncates, terms, count, lanes[k]);
      const uint64_t bits = format_from_double(format, value);
      g_assert_cmpint(sum_answer(&question, &contract, bits, &arena, &answer, &error), ==,
                      STATUS_OK);
      g_assert_true(answer.conforms);
      g_assert_false(answer.is_unproven);
    }
    double magnitude = 0, exact = 0;
    for (size_t i = 0; i < count; i++) {
      magnitude += fabs(terms[i]);
      exact += terms[i];
    }
    const double share = ldexp((double)count, -format->precision); /* Half of what is permitted. */
    const double far = format_round_double(format, exact + magnitude * share);
    const uint64_t bits = format_from_double(format, far);
    if (!isfinite(far)) continue;
    g_assert_cmpint(sum_answer(&question, &contract, bits, &arena, &answer, &error), ==, STATUS_OK);
    unproven += answer.conforms && answer.is_unproven;
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  g_assert_cmpuint(unproven, >, SUMS / 4);
}

/* Of a thousand terms a truncating loop's result is named so; what lies a quarter of the way to the
 * bound, as a sum that lost some terms may, is not. */
static void test_many(void) {
  enum { COUNT = 1000 };
  const format_t *format = find_format("f32");
  const arithmetic_t truncates = {.format = format, .truncate_additions = true};
  const contract_t contract = contract_of("backend,accum_rounding=rz");
  rng_t rng = rng_make(6);
  double *terms = g_new(double, COUNT), exact = 0;
  for (size_t i = 0; i < COUNT; i++) {
    terms[i] = 1 + (double)rng_below(&rng, 1 << 22) * 0x1p-22;
    exact += terms[i];
  }
  g_autoptr(GString) why = g_string_new(NULL);
  const sum_problem_t question = question_about(format, terms, COUNT, why);
  failure_t error = {.text = ""};
  arena_t arena;
  arena_init(&arena);
  answer_t answer;
  static const size_t lanes[] = {1, 8, 32};
  for (size_t k = 0; k < G_N_ELEMENTS(lanes); k++) {
    const uint64_t bits = format_from_double(format, sum_lanes(&truncates, terms, COUNT, lanes[k]));
    g_assert_cmpint(sum_answer(&question, &contract, bits, &arena, &answer, &error), ==, STATUS_OK);
    g_assert_true(answer.conforms);
    g_assert_false(answer.is_unproven);
  }
  const double far = format_round_double(format, exact * (1 - (double)COUNT * 0x1p-25));
  const uint64_t bits = format_from_double(format, far);
  g_assert_cmpint(sum_answer(&question, &contract, bits, &arena, &answer, &error), ==, STATUS_OK);
  g_assert_true(answer.conforms);
  g_assert_true(answer.is_unproven);
  g_free(terms);
  arena_deinit(&arena);
}

/* 0 for nine terms that are -16 in every order, in a type of 2 bits: within the bound of truncating
 * additions, and no tree's. */
static void test_zero(void) {
  enum { COUNT = 9 };
  const format_t *format = find_format("f8E5M2");
  const double terms[COUNT] = {-2, -2, -2, -2, -2, -2, -2, -1, -1};
  const contract_t contract = contract_of("backend,accum_rounding=rz");
  g_autoptr(GString) why = g_string_new(NULL);
  const sum_problem_t question = question_about(format, terms, COUNT, why);
  failure_t error = {.text = ""};
  arena_t arena;
  arena_init(&arena);
  answer_t answer;
  g_assert_cmpint(sum_answer(&question, &contract, 0, &arena, &answer, &error), ==, STATUS_OK);
  g_assert_true(answer.conforms);
  g_assert_true(answer.is_unproven);
  const uint64_t bits = format_from_double(format, -14); /* There a loop stops. */
  g_assert_cmpint(sum_answer(&question, &contract, bits, &arena, &answer, &error), ==, STATUS_OK);
  g_assert_true(answer.conforms);
  g_assert_false(answer.is_unproven);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  static const char *const formats[] = {"f8E4M3FN", "f8E5M2", "f8E3M4"};
  for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
    g_autofree char *all = g_strdup_printf("/tree_choices/all/%s", formats[i]);
    g_test_add_data_func(all, formats[i], test_all_trees);
  }
  g_test_add_data_func("/tree_choices/loops/f8E5M2", "f8E5M2", test_loops);
  g_test_add_data_func("/tree_choices/loops/f8E4M3", "f8E4M3", test_loops);
  g_test_add_data_func("/tree_choices/loops/bf16", "bf16", test_loops);
  g_test_add_func("/tree_choices/many", test_many);
  g_test_add_func("/tree_choices/zero", test_zero);
  return g_test_run();
}
