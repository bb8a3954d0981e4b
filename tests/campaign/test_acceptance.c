/* SPDX-License-Identifier: Apache-2.0 */
/* Turns and expectations: who is asked how often, and what is passed over. */
#include "harness/run/acceptance/acceptance.h"

#include "harness/gen/gen.h"

static program_t parse(const char *line, arena_t *arena) {
  program_t program;
  failure_t error = {0};
  if (program_parse(str_from(line), arena, &program, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  return program;
}

static const char sum_f32[] = "stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[]";
static const char sum_f64[] = "stablehlo.reduce body=add dims=[0] f64[3] f64[] -> f64[]";
static const char most_f32[] = "stablehlo.reduce body=maximum dims=[0] f32[3] f32[] -> f32[]";
static const char most_f64[] = "stablehlo.reduce body=maximum dims=[0] f64[3] f64[] -> f64[]";

/* Who takes everything gets the same share of cases each, in order. */
static void test_even_turns(void) {
  arena_t arena;
  arena_init(&arena);
  program_t program = parse(sum_f32, &arena);
  acceptance_t *acceptance = acceptance_new(3);
  for (size_t i = 0; i < 300; i++) {
    size_t subject = acceptance_choose(acceptance);
    g_assert_cmpuint(subject, ==, i % 3);
    acceptance_learn(acceptance, subject, &program, true, 7);
  }
  acceptance_free(acceptance);
  arena_deinit(&arena);
}

/* Of three subjects one is taken: it gets nearly all cases; the others are never forgotten. */
static void test_refused_subjects(void) {
  arena_t arena;
  arena_init(&arena);
  program_t program = parse(sum_f32, &arena);
  acceptance_t *acceptance = acceptance_new(3);
  uint64_t cases[3] = {0};
  uint64_t late[3] = {0};
  for (size_t i = 0; i < 4000; i++) {
    size_t subject = acceptance_choose(acceptance);
    uint64_t count = subject == 1 ? 20 : 1;
    acceptance_learn(acceptance, subject, &program, subject == 1, count);
    cases[subject] += count;
    if (i >= 3000) late[subject] += count;
  }
  g_assert_cmpuint(cases[1], >, 100 * cases[0]);
  g_assert_cmpuint(cases[1], >, 100 * cases[2]);
  g_assert_cmpuint(late[0], >, 0);
  g_assert_cmpuint(late[2], >, 0);
  acceptance_free(acceptance);
  arena_deinit(&arena);
}

/* One of which every hundredth program is taken, with as much data as there were refusals, is not
 * starved by one that takes everything. */
static void test_rare_subject(void) {
  arena_t arena;
  arena_init(&arena);
  program_t program = parse(sum_f32, &arena);
  acceptance_t *acceptance = acceptance_new(2);
  uint64_t cases[2] = {0};
  uint64_t asked = 0;
  while (cases[0] + cases[1] < 40000) {
    size_t subject = acceptance_choose(acceptance);
    bool is_accepted = subject == 0 || ++asked % 100 == 0;
    uint64_t count = !is_accepted ? 1 : subject == 0 ? 20 : 200;
    acceptance_learn(acceptance, subject, &program, is_accepted, count);
    cases[subject] += count;
  }
  g_assert_cmpuint(cases[1], >, 10000);
  acceptance_free(acceptance);
  arena_deinit(&arena);
}

static void test_retired(void) {
  acceptance_t *acceptance = acceptance_new(2);
  acceptance_retire(acceptance, 0);
  for (size_t i = 0; i < 10; i++) {
    g_assert_cmpuint(acceptance_choose(acceptance), ==, 1);
    acceptance_charge(acceptance, 1, 100, NULL);
  }
  acceptance_free(acceptance);
}

/* How many of `count` programs are asked about. */
static unsigned count_expected(acceptance_t *acceptance, const program_t *program, unsigned count) {
  unsigned expected = 0;
  for (unsigned i = 0; i < count; i++) expected += acceptance_expects(acceptance, 0, program);
  return expected;
}

/* What only refused programs had is passed over, though not always; what came along is not. */
static void test_features(void) {
  arena_t arena;
  arena_init(&arena);
  program_t f32 = parse(sum_f32, &arena), f64 = parse(sum_f64, &arena);
  program_t most = parse(most_f32, &arena), most64 = parse(most_f64, &arena);
  acceptance_t *acceptance = acceptance_new(1);
  for (int i = 0; i < 50; i++) acceptance_learn(acceptance, 0, &most64, false, 1);
  g_assert_cmpuint(count_expected(acceptance, &most64, 100), ==, 100); /* Nothing is known yet. */
  for (int i = 0; i < 3; i++) acceptance_learn(acceptance, 0, &most64, false, 1);
  /* Now it is the turn of what is f32 throughout. */
  g_assert_cmpuint(count_expected(acceptance, &most64, 2560), ==, 10);
  g_assert_cmpuint(count_expected(acceptance, &f32, 640), ==, 640);
  acceptance_learn(acceptance, 0, &f32, true, 20);
  for (int i = 0; i < 8; i++) acceptance_learn(acceptance, 0, &f64, false, 1);
  g_assert_cmpuint(count_expected(acceptance, &f32, 640), ==, 640);
  g_assert_cmpuint(count_expected(acceptance, &most, 640), ==, 640);
  g_assert_cmpuint(count_expected(acceptance, &f64, 2560), ==, 10);
  acceptance_learn(acceptance, 0, &f64, true, 20); /* It was something else. */
  g_assert_cmpuint(count_expected(acceptance, &f64, 640), ==, 640);
  acceptance_free(acceptance);
  arena_deinit(&arena);
}

/* Who sums numbers into their own type alone refuses all that is summed into a wider one; that says
 * nothing of sums of the wider type, and sums of that into itself nothing of the others. */
static void test_one_kind(void) {
  arena_t arena;
  arena_init(&arena);
  program_t f32 = parse(sum_f32, &arena), f64 = parse(sum_f64, &arena);
  program_t widened = parse("stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f64[]", &arena);
  acceptance_t *acceptance = acceptance_new(1);
  acceptance_learn(acceptance, 0, &f32, true, 20);
  for (int i = 0; i < 8; i++) acceptance_learn(acceptance, 0, &widened, false, 1);
  g_assert_cmpuint(count_expected(acceptance, &widened, 2560), ==, 10);
  g_assert_cmpuint(count_expected(acceptance, &f64, 640), ==, 640);
  acceptance_learn(acceptance, 0, &f64, true, 20);
  g_assert_cmpuint(count_expected(acceptance, &f64, 640), ==, 640);
  acceptance_free(acceptance);
  arena_deinit(&arena);
}

/* Element types that nothing takes are not asked about of an op of which nothing was taken yet. */
static void test_kinds(void) {
  arena_t arena;
  arena_init(&arena);
  program_t f32 = parse(sum_f32, &arena), f64 = parse(sum_f64, &arena);
  acceptance_t *acceptance = acceptance_new(2);
  acceptance_learn(acceptance, 1, &f32, true, 20);
  for (int i = 0; i < 8; i++) acceptance_learn(acceptance, 1, &f64, false, 1);
  g_assert_cmpuint(count_expected(acceptance, &f64, 2560), ==, 10);
  g_assert_cmpuint(count_expected(acceptance, &f32, 640), ==, 640);
  acceptance_free(acceptance);
  arena_deinit(&arena);
}

/* A program of unknown sizes that is taken shows that its types are, though refusals blamed them;
 * one that is refused blames nothing. */
static void test_charged(void) {
  arena_t arena;
  arena_init(&arena);
  program_t taken = parse(sum_f32, &arena), refused = parse(most_f64, &arena);
  program_t other = parse(sum_f64, &arena);
  acceptance_t *acceptance = acceptance_new(1);
  acceptance_learn(acceptance, 0, &taken, true, 1);
  for (int i = 0; i < 20; i++) acceptance_learn(acceptance, 0, &refused, false, 1);
  g_assert_false(acceptance_expects(acceptance, 0, &other));
  g_assert_cmpfloat(acceptance_excess(acceptance, 0, &other), >, 0);
  acceptance_charge(acceptance, 0, 1, NULL);
  g_assert_false(acceptance_expects(acceptance, 0, &other));
  acceptance_charge(acceptance, 0, 1, &other);
  g_assert_true(acceptance_expects(acceptance, 0, &other));
  for (int i = 0; i < 20; i++) acceptance_learn(acceptance, 0, &taken, true, 1);
  g_assert_cmpfloat(acceptance_excess(acceptance, 0, &other), ==, 0); /* 20 of 21 and 20. */
  acceptance_free(acceptance);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/acceptance/even_turns", test_even_turns);
  g_test_add_func("/acceptance/refused_subjects", test_refused_subjects);
  g_test_add_func("/acceptance/rare_subject", test_rare_subject);
  g_test_add_func("/acceptance/retired", test_retired);
  g_test_add_func("/acceptance/features", test_features);
  g_test_add_func("/acceptance/one_kind", test_one_kind);
  g_test_add_func("/acceptance/kinds", test_kinds);
  g_test_add_func("/acceptance/charged", test_charged);
  return g_test_run();
}
