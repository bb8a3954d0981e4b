/* SPDX-License-Identifier: Apache-2.0 */
/* What is said quickly about sums is what the careful way says (theory.md, T243): of numbers that
 * loops give, of their neighbours, of zero and of numbers far away; plain terms and products, with
 * and without an initial value, that cancel or do not, subnormal ones, and such as overflow or
 * whose magnitudes alone do; under contracts that differ in what they permit. */
#include <glib.h>
#include <math.h>

#include "generated/exact_permissions.h"
#include "harness/base/rng.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/sum/bounds.h"
#include "oracles/exact/sum/quick/quick_answer.h"
#include "oracles/exact/tree_search/compensated.h"

enum { TERMS_MAX = 24, ROUNDS = 3000 };

typedef struct counts {
  size_t words[QUICK_REFUSED + 1];
} counts_t;

static double draw_term(rng_t *rng, const format_t *format, int span, int middle) {
  if (rng_one_in(rng, 12)) return rng_one_in(rng, 2) ? 0.0 : -0.0;
  int exponent = middle + (int)rng_between(rng, -span, span);
  double value = ldexp(1 + (double)(rng_bits(rng) >> 12) * 0x1p-52, exponent);
  value = format_round_double(format, rng_one_in(rng, 2) ? value : -value);
  return isfinite(value) ? value : 1;
}

static contract_t draw_contract(rng_t *rng) {
  contract_t contract = contract_backend();
  if (rng_one_in(rng, 3)) PERMITTED(&contract, fma) = FMA_NO;
  if (rng_one_in(rng, 3)) PERMITTED(&contract, accum_wider) = ACCUM_WIDER_NO;
  if (rng_one_in(rng, 4)) PERMITTED(&contract, depth) = DEPTH_LANES;
  if (rng_one_in(rng, 6)) PERMITTED(&contract, ftz) = FTZ_BOTH;
  return contract;
}

static void check_close(double quick, double careful) {
  g_assert_true(quick == careful || fabs(quick - careful) <= fabs(careful) * 0x1p-48);
}

static void check_pattern(const sum_problem_t *question, const contract_t *contract, uint64_t bits,
                          arena_t *arena, counts_t *counts) {
  answer_t quick = {0}, careful = {0};
  failure_t error;
  contract_t trees = *contract;
  const contract_t effective = sum_effective_contract(question, contract);
  quick_word_t word = sum_quick_answer(question, &effective, bits, &quick);
  counts->words[word]++;
  if (word == QUICK_OPEN) return;
  PERMITTED(&trees, compensated) = COMPENSATED_NO;
  g_assert_cmpint(sum_answer(question, &trees, bits, arena, &careful, &error), ==, STATUS_OK);
  g_assert_cmpint(careful.conforms, ==, word == QUICK_CONFORMS);
  g_assert_cmpint(quick.conforms, ==, careful.conforms);
  g_assert_false(careful.is_vacuous);
  g_assert_cmpstr(careful.observed, ==, "");
  /* Where no number at all conforms the careful way measures nothing. */
  if (word == QUICK_CONFORMS) g_assert_cmpint(quick.has_reference, ==, careful.has_reference);
  if (!careful.has_reference) return;
  check_close(quick.ulp_error, careful.ulp_error);
  check_close(quick.backward_error, careful.backward_error);
  g_assert_true(quick.slack <= careful.slack * (1 + 0x1p-40));
  g_assert_true((quick.slack > 1) == (word == QUICK_REFUSED));
}

/* The answers of the whole way in, brief and not, to the same question. */
static void check_whole(const sum_problem_t *question, const contract_t *contract, uint64_t bits,
                        arena_t *arena) {
  answer_t quick = {0}, careful = {0};
  failure_t error;
  sum_problem_t brief = *question;
  brief.is_brief = brief.is_any_way = true;
  g_assert_cmpint(sum_answer(question, contract, bits, arena, &careful, &error), ==, STATUS_OK);
  g_assert_cmpint(sum_answer(&brief, contract, bits, arena, &quick, &error), ==, STATUS_OK);
  g_assert_cmpint(quick.conforms, ==, careful.conforms);
  g_assert_cmpint(quick.is_vacuous, ==, careful.is_vacuous);
  g_assert_cmpint(quick.is_treeless, <=, careful.is_treeless); /* The loop is a tree. */
  g_assert_cmpstr(quick.observed, ==, careful.observed);
}

/* In turn, written once more. */
static double add_in_turn(const sum_problem_t *question, bool is_fused) {
  const arithmetic_t arithmetic = arithmetic_make(question->format);
  double sum = question->has_init ? question->init : 0;
  for (size_t i = 0; i < question->count; i++) {
    double left = question->left[i], right = question->right == NULL ? 1 : question->right[i];
    sum = is_fused
              ? arithmetic_fused(&arithmetic, left, right, sum)
              : arithmetic_add(&arithmetic, sum, arithmetic_multiply(&arithmetic, left, right));
  }
  return sum;
}

static void check_around(const sum_problem_t *question, const contract_t *contract, double value,
                         arena_t *arena, counts_t *counts) {
  const format_t *format = question->format;
  uint64_t up = format_from_double(format, value), down = up;
  for (int i = 0; i < 3; i++) {
    check_pattern(question, contract, up, arena, counts);
    check_pattern(question, contract, down, arena, counts);
    up = format_next_up(format, up);
    down = format_from_double(
        format, -format_to_double(
                    format, format_next_up(format, format_from_double(
                                                       format, -format_to_double(format, down)))));
  }
}

static void check_problem(rng_t *rng, const sum_problem_t *question, counts_t *counts) {
  const format_t *format = question->format;
  const contract_t contract = draw_contract(rng);
  arena_t arena;
  arena_init(&arena);
  double values[] = {
      add_in_turn(question, false), add_in_turn(question, true), 0, -0.0, NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
    uint64_t bits = format_from_double(format, values[i]);
    check_around(question, &contract, values[i], &arena, counts);
    check_whole(question, &contract, bits, &arena);
  }
  double beside = values[0] * (1 + ldexp((double)rng_between(rng, -64, 64), -format->precision));
  check_pattern(question, &contract, format_from_double(format, beside), &arena, counts);
  arena_deinit(&arena);
}

static void check_drawn(rng_t *rng, counts_t *counts) {
  static const int formats[] = {FORMAT_f32, FORMAT_f32, FORMAT_bf16, FORMAT_f16, FORMAT_f64};
  const format_t *format = &format_table[formats[rng_below(rng, G_N_ELEMENTS(formats))]];
  double left[TERMS_MAX], right[TERMS_MAX];
  int span = rng_one_in(rng, 2) ? 1 : (int)rng_below(rng, rng_one_in(rng, 4) ? 60 : 10);
  int middle = 0;
  if (rng_one_in(rng, 4)) middle = rng_one_in(rng, 2) ? format->exponent_min : format->exponent_max;
  sum_problem_t question = {.format = format,
                            .count = rng_below(rng, TERMS_MAX + 1),
                            .left = left,
                            .right = rng_one_in(rng, 3) ? NULL : right,
                            .left_format = format,
                            .right_format = format,
                            .sums_of_case = rng_one_in(rng, 2) ? 256 : 0};
  for (size_t i = 0; i < question.count; i++) {
    left[i] = draw_term(rng, format, span, middle);
    right[i] = draw_term(rng, format, span, 0);
  }
  question.has_init = question.right == NULL;
  if (question.has_init && rng_one_in(rng, 2)) question.init = draw_term(rng, format, span, middle);
  check_problem(rng, &question, counts);
}

/* All terms but the first, a power of two, are too small for the sum to be rounded to another
 * number. */
static void surround_power(rng_t *rng, const sum_problem_t *question, double *left, double *right) {
  for (size_t i = 0; i < question->count; i++) {
    left[i] = draw_term(rng, question->format, 2, question->right == NULL ? 0 : 800);
    right[i] = draw_term(rng, question->format, 2, 0);
  }
  left[0] = rng_one_in(rng, 2) ? 0x1p1016 : -0x1p1016;
  right[0] = 1;
}

/* Some of its terms are near the largest number of binary64, and the magnitude may be beyond. */
static void check_huge(rng_t *rng, counts_t *counts) {
  const format_t *f64 = &format_table[FORMAT_f64];
  double left[TERMS_MAX], right[TERMS_MAX];
  sum_problem_t question = {.format = f64,
                            .count = 3 + rng_below(rng, TERMS_MAX - 2),
                            .left = left,
                            .right = rng_one_in(rng, 3) ? NULL : right,
                            .left_format = f64,
                            .right_format = f64,
                            .sums_of_case = 256};
  int most = (int)rng_between(rng, 1000, 1023);
  for (size_t i = 0; i < question.count; i++) {
    int exponent = question.right == NULL ? 0 : (int)rng_between(rng, -600, 600);
    int sum = rng_one_in(rng, 4) ? (int)rng_between(rng, -400, most) : most;
    left[i] = draw_term(rng, f64, 2, sum - exponent > 1020 ? 1020 : sum - exponent);
    right[i] = draw_term(rng, f64, 2, exponent);
  }
  if (rng_one_in(rng, 3)) surround_power(rng, &question, left, right);
  question.has_init = question.right == NULL;
  check_problem(rng, &question, counts);
}

static void test_huge(void) {
  rng_t rng = rng_make(1024);
  counts_t counts = {{0}};
  for (int i = 0; i < ROUNDS / 4; i++) check_huge(&rng, &counts);
  g_test_message("%zu open, %zu conform, %zu refused", counts.words[QUICK_OPEN],
                 counts.words[QUICK_CONFORMS], counts.words[QUICK_REFUSED]);
  g_assert_cmpuint(counts.words[QUICK_CONFORMS], >, ROUNDS / 4);
  g_assert_cmpuint(counts.words[QUICK_REFUSED], >, ROUNDS / 4);
}

static void test_drawn(void) {
  rng_t rng = rng_make(243);
  counts_t counts = {{0}};
  for (int i = 0; i < ROUNDS; i++) check_drawn(&rng, &counts);
  g_assert_cmpuint(counts.words[QUICK_OPEN], >, ROUNDS);
  g_assert_cmpuint(counts.words[QUICK_CONFORMS], >, ROUNDS);
  g_assert_cmpuint(counts.words[QUICK_REFUSED], >, ROUNDS / 2);
}

/* What a tree of many more additions than the contract permits gives is not taken for right. */
static void test_depth(void) {
  double left[TERMS_MAX];
  for (size_t i = 0; i < TERMS_MAX; i++) left[i] = 1 + (double)i * 0x1p-20;
  sum_problem_t question = {.format = &format_table[FORMAT_f32],
                            .count = TERMS_MAX,
                            .left = left,
                            .left_format = &format_table[FORMAT_f32]};
  contract_t contract = contract_backend();
  uint64_t bits = format_from_double(question.format, add_in_turn(&question, false));
  answer_t answer;
  g_assert_cmpint(sum_quick_answer(&question, &contract, bits, &answer), ==, QUICK_CONFORMS);
  PERMITTED(&contract, depth) = DEPTH_LOG;
  g_assert_cmpint(sum_quick_answer(&question, &contract, bits, &answer), ==, QUICK_OPEN);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/quick_answer/drawn", test_drawn);
  g_test_add_func("/quick_answer/huge", test_huge);
  g_test_add_func("/quick_answer/depth", test_depth);
  return g_test_run();
}
