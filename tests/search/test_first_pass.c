/* SPDX-License-Identifier: Apache-2.0 */
/* The first pass: where compiling is dear what each op is drawn with comes once, early, and then no
 * more; and what is loaded or started once is no reason to draw less of an op. */
#include <string.h>

#include "harness/search/first_pass.h"
#include "harness/search/scheduler.h"
#include "harness/search/search.h"

static const char *const op_names[] = {"stablehlo.reduce", "stablehlo.dot_general", "byteir.erf"};

/* Each kind of types that an op has, each body, and programs without elements, come among the first
 * few cases.  Without the pass 7 of the 11 do among 400, since programs are kept for long. */
static void test_words(void) {
  enum { CASES = 200, DEAR_ONE = 1 };
  static const char *const due[] = {"byteir.erf f32",
                                    "byteir.erf f64",
                                    "byteir.erf f16",
                                    "byteir.erf bf16",
                                    "body=add dims=",
                                    "body=maximum dims=",
                                    "body=multiply dims=",
                                    "body=minimum dims=",
                                    "stablehlo.reduce ",
                                    "stablehlo.dot_general",
                                    "[0"};
  const op_t *ops[G_N_ELEMENTS(op_names)];
  for (size_t i = 0; i < G_N_ELEMENTS(ops); i++) ops[i] = op_find(str_from(op_names[i]));
  search_options_t options = {.ops = ops,
                              .op_count = G_N_ELEMENTS(ops),
                              .gen = gen_options_default(),
                              .compiling_is_dear = true};
  options.gen.limits = (draw_limits_t){.rank_max = 3, .elements_max = 64, .terms_max = 48};
  search_t *search = search_new(&options);
  rng_t rng = rng_make(7);
  g_autoptr(GString) lines = g_string_new(NULL);
  for (int i = 0; i < CASES; i++) {
    arena_t arena;
    arena_init(&arena);
    search_proposal_t proposal;
    search_propose(search, &rng, &arena, NULL, &proposal);
    case_print(&proposal.instance, lines);
    g_string_append_c(lines, '\n');
    verdict_t verdict = {.outcome = OUTCOME_conforms};
    const search_outcome_t outcome = {.verdicts = &verdict, .verdict_count = 1, .cost = DEAR_ONE};
    search_learn(search, &proposal, &outcome);
    arena_deinit(&arena);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(due); i++) {
    g_test_message("%s", due[i]);
    g_assert_nonnull(strstr(lines->str, due[i]));
  }
  search_free(search);
}

/* Of an op that has two kinds: each comes once, in turns, and then nothing. */
static void test_turns(void) {
  arena_t arena;
  arena_init(&arena);
  first_pass_t *pass = first_pass_new(2);
  program_t programs[2];
  const char *const lines[] = {"stablehlo.add f32[2] f32[2] -> f32[2]",
                               "stablehlo.add i32[0] i32[0] -> i32[0]"};
  for (size_t i = 0; i < 2; i++) {
    g_assert_cmpint(program_parse(str_from(lines[i]), &arena, &programs[i], NULL, NULL), ==,
                    STATUS_OK);
  }
  g_assert_cmpuint(first_pass_choose(pass), ==, 0);
  g_assert_cmpuint(first_pass_count_new(pass, 0, &programs[0]), ==, 2); /* Type and algorithm. */
  first_pass_try(pass, 0, &programs[0]);
  first_pass_note_answer(pass, 0, &programs[0]);
  g_assert_cmpuint(first_pass_count_new(pass, 0, &programs[0]), ==, 0);
  g_assert_cmpuint(first_pass_count_new(pass, 1, &programs[0]), ==, 2);
  g_assert_cmpuint(first_pass_choose(pass), ==, 1);
  for (int i = 0; i < FIRST_PASS_MISSES; i++) first_pass_miss(pass, 1);
  g_assert_cmpuint(first_pass_choose(pass), ==, 0);
  g_assert_cmpuint(first_pass_count_new(pass, 0, &programs[1]), ==, 3); /* "integer", empty. */
  first_pass_try(pass, 0, &programs[1]);
  first_pass_note_answer(pass, 0, &programs[1]);
  for (int i = 0; i < FIRST_PASS_MISSES; i++) first_pass_miss(pass, 0);
  g_assert_cmpuint(first_pass_choose(pass), ==, 2);
  first_pass_free(pass);
  arena_deinit(&arena);
}

/* What was refused is tried with other programs, up to a bound, and no more once it was answered.
 */
static void test_refused_is_tried_again(void) {
  arena_t arena;
  arena_init(&arena);
  first_pass_t *pass = first_pass_new(1);
  program_t refused, answered;
  g_assert_cmpint(
      program_parse(str_from("stablehlo.reduce body=maximum dims=[0] f64[2] f64[] -> f64[]"),
                    &arena, &refused, NULL, NULL),
      ==, STATUS_OK);
  g_assert_cmpint(
      program_parse(str_from("stablehlo.reduce body=maximum dims=[0] f32[2] f32[] -> f32[]"),
                    &arena, &answered, NULL, NULL),
      ==, STATUS_OK);
  size_t words = first_pass_count_new(pass, 0, &refused);
  first_pass_try(pass, 0, &refused);
  g_assert_cmpuint(first_pass_count_new(pass, 0, &refused), ==, words);
  g_assert_cmpuint(first_pass_count_new(pass, 0, &answered), ==, words); /* "maximum" is open. */
  first_pass_try(pass, 0, &answered);
  first_pass_note_answer(pass, 0, &answered);
  g_assert_cmpuint(first_pass_count_new(pass, 0, &answered), ==, 0);
  g_assert_cmpuint(first_pass_count_new(pass, 0, &refused), ==, 1); /* f64. */
  for (int i = 1; i < FIRST_PASS_TRIES; i++) first_pass_try(pass, 0, &refused);
  g_assert_cmpuint(first_pass_count_new(pass, 0, &refused), ==, 0);
  first_pass_free(pass);
  arena_deinit(&arena);
}

/* An op whose first case takes a thousand times as long as others is not starved for it. */
static void test_starting_is_excused(void) {
  enum { SUBJECTS = 4, CASES = 400 };
  scheduler_t *scheduler = scheduler_new(SUBJECTS);
  rng_t rng = rng_make(1);
  int cases[SUBJECTS] = {0};
  for (int i = 0; i < CASES; i++) {
    size_t index = scheduler_choose(scheduler, &rng);
    scheduler_note(scheduler, index, index == 1 && cases[1] == 0 ? 100000 : 100, 0);
    cases[index]++;
  }
  for (int i = 0; i < SUBJECTS; i++) g_assert_cmpint(cases[i], >=, CASES / (2 * SUBJECTS));
  g_assert_cmpuint(scheduler_cost(scheduler, 1), ==, 100 * (uint64_t)cases[1]);
  scheduler_free(scheduler);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/first_pass/words", test_words);
  g_test_add_func("/first_pass/turns", test_turns);
  g_test_add_func("/first_pass/refused_is_tried_again", test_refused_is_tried_again);
  g_test_add_func("/first_pass/starting_is_excused", test_starting_is_excused);
  return g_test_run();
}
