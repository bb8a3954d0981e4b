/* SPDX-License-Identifier: Apache-2.0 */
/* What a run counts: judged cases, of each executor; that drawing follows what is accepted; who
 * gets programs that break a constraint; and what is said of a run that judged little. */
#include <inttypes.h>

#include "harness/builtin/builtin.h"
#include "harness/session/session.h"
#include "harness/session/shortfall.h"
#include "tests/campaign/examples.h"
#include "tests/campaign/fake_executor.h"

static const char sum_line[] = "stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[]";
static const char other_sum_line[] = "stablehlo.reduce body=add dims=[0] f32[9] f32[] -> f32[]";
static const char double_line[] = "stablehlo.reduce body=add dims=[0] f64[3] f64[] -> f64[]";
static const char broken_line[] = "stablehlo.reduce body=add dims=[7] f32[3] f32[] -> f32[]";

static executor_t *open_named(const char *name) {
  const executor_options_t options = {.find_builtin = builtin_find};
  executor_t *executor = NULL;
  failure_t error = {0};
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  return executor;
}

static executor_t *open_dso(const char *file) {
  g_autofree char *name = g_strdup_printf("dso:%s/tests/dso/%s.so", ASSAY_BINARY_DIR, file);
  return open_named(name);
}

/* As `assay run` has them without --op. */
static session_options_t make_options(executor_t *const *executors, size_t count) {
  session_options_t options = {.stream = {.ops = op_all(), .gen = gen_options_default(), .seed = 1},
                               .executors = executors,
                               .executor_count = count,
                               .contract = contract_backend(),
                               .draws_max = 200000,
                               .command = "test",
                               .assay_version = "test"};
  while (op_all()[options.stream.op_count] != NULL) options.stream.op_count++;
  return options;
}

static stream_program_t given(const char *line, arena_t *arena) {
  stream_program_t program = {.broken = NULL};
  g_assert_cmpint(stream_program_parse(str_from(line), arena, &program, NULL), ==, STATUS_OK);
  return program;
}

static session_t *run_session(const session_options_t *options) {
  session_t *session = NULL;
  failure_t error = {0};
  if (session_open(options, &session, &error) != STATUS_OK ||
      session_run(session, &error) != STATUS_OK) {
    g_error("%s: %s", error.text, session == NULL ? "" : session_bug_case(session));
  }
  return session;
}

static void close_session(session_t *session) {
  failure_t error = {0};
  g_assert_cmpint(session_close(session, 0, &error), ==, STATUS_OK);
}

/* Cases of an executor with an outcome, or all for OUTCOME_COUNT; of an op, or all for NULL. */
static uint64_t count(const session_t *session, size_t executor, const char *op,
                      outcome_t outcome) {
  uint64_t cases = 0;
  tally_t *tally = session_tally(session);
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    bool is_meant = row->executor == executor && (op == NULL || strcmp(row->label.op, op) == 0) &&
                    (outcome == OUTCOME_COUNT || row->outcome == outcome);
    if (is_meant) cases += row->cases;
  }
  return cases;
}

static uint64_t count_invalid(const session_t *session, size_t executor) {
  uint64_t cases = 0;
  tally_t *tally = session_tally(session);
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    if (row->executor == executor && row->is_invalid) cases += row->cases;
  }
  return cases;
}

/* The lines that end a run, one behind the other. */
static char *shortfall_text(const session_t *session, bool ops_are_named) {
  GString *text = g_string_new(NULL);
  GArray *shortfalls = shortfall_find(session, ops_are_named);
  for (guint i = 0; i < shortfalls->len; i++) {
    shortfall_print(session, &g_array_index(shortfalls, shortfall_t, i), text);
    g_string_append_c(text, '\n');
  }
  g_array_unref(shortfalls);
  return g_string_free(text, FALSE);
}

static void assert_says(const session_t *session, bool ops_are_named, const char *part) {
  g_autofree char *text = shortfall_text(session, ops_are_named);
  if (strstr(text, part) == NULL) g_error("not in it: %s\n%s", part, text);
}

static void assert_silent(const session_t *session) {
  g_autofree char *text = shortfall_text(session, false);
  g_assert_cmpstr(text, ==, "");
}

/* ---- Counting -------------------------------------------------------------------------------- */

/* Each executor gets as many judged cases as were asked for, whatever the other one takes. */
static void test_each_gets_its_cases(void) {
  executor_t *executors[] = {open_dso("good"), open_named("model:sequential")};
  session_options_t options = make_options(executors, 2);
  options.cases_max = 400;
  session_t *session = run_session(&options);
  g_assert_cmpint(session_end(session), ==, SESSION_END_JUDGED);
  for (size_t i = 0; i < 2; i++) {
    g_assert_cmpuint(session_judged(session, i), ==, 400);
    uint64_t judged = count(session, i, NULL, OUTCOME_conforms) +
                      count(session, i, NULL, OUTCOME_diverges) +
                      count(session, i, NULL, OUTCOME_failed);
    g_assert_cmpuint(judged, ==, 400);
  }
  g_assert_cmpuint(count(session, 0, example_op(sum_line)->name, OUTCOME_conforms), ==, 400);
  g_assert_cmpuint(count(session, 1, example_op(sum_line)->name, OUTCOME_COUNT), <, 300);
  assert_silent(session);
  close_session(session);
  for (size_t i = 0; i < 2; i++) executor_close(executors[i]);
}

/* A backend of one op gets most of the cases, four fifths or so.  How many others do is decided by
 * how long it takes until its first program comes, of which there is one in forty, with as many ops
 * as there are: once in a while they get a quarter, so that three seeds are asked. */
static void test_most_cases(void) {
  enum { SEEDS = 3 };
  executor_t *executor = open_dso("good");
  session_options_t options = make_options(&executor, 1);
  options.cases_max = 10000;
  unsigned nearly_all = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    options.stream.seed = seed;
    session_t *session = run_session(&options);
    uint64_t own = count(session, 0, example_op(sum_line)->name, OUTCOME_COUNT);
    g_test_message("seed %d: %" PRIu64 " of %" PRIu64, (int)seed, own, session_cases(session));
    g_assert_cmpuint(own * 100, >, session_cases(session) * 75);
    nearly_all += own * 100 > session_cases(session) * 78;
    close_session(session);
  }
  g_assert_cmpuint(nearly_all, >=, SEEDS - 1);
  executor_close(executor);
}

/* It gets the same ones again, few of which it refuses. */
static void test_one_op(void) {
  executor_t *executor = open_dso("good");
  session_options_t options = make_options(&executor, 1);
  options.cases_max = 10000;
  session_t *session = run_session(&options);
  session_t *again = run_session(&options);
  g_assert_cmpuint(session_judged(session, 0), ==, 10000);
  g_assert_cmpuint(count(session, 0, example_op(sum_line)->name, OUTCOME_refused), <, 1000);
  assert_silent(session);
  tally_t *tally = session_tally(session), *tally_again = session_tally(again);
  g_assert_cmpuint(session_cases(session), ==, session_cases(again));
  g_assert_cmpuint(tally_count(tally), ==, tally_count(tally_again));
  for (size_t i = 0; i < tally_count(tally); i++) {
    g_assert_cmpuint(tally_at(tally, i)->cases, ==, tally_at(tally_again, i)->cases);
    g_assert_cmpstr(tally_at(tally, i)->label.types, ==, tally_at(tally_again, i)->label.types);
  }
  close_session(session);
  close_session(again);
  executor_close(executor);
}

/* A run of which nobody takes anything ends. */
static void test_nothing_is_taken(void) {
  executor_t *executor = fake_executor_open(FAKE_refuses, false);
  const op_t *convert = example_op(EXAMPLE_CONVERSION);
  session_options_t options = make_options(&executor, 1);
  options.stream.ops = &convert;
  options.stream.op_count = 1;
  options.cases_max = 1000;
  options.draws_max = 3000;
  session_t *session = run_session(&options);
  g_assert_cmpint(session_end(session), ==, SESSION_END_DRAWS);
  g_assert_cmpuint(session_cases(session), ==, 3000);
  g_assert_cmpuint(session_judged(session, 0), ==, 0);
  assert_says(
      session, false,
      "judged 0 of 1000: model:fake-refuses refused 3000 (said the fake), no more than 3000 "
      "are drawn (--draws)\n");
  close_session(session);
  executor_close(executor);
}

/* WITHOUT_ORACLE(program, contract): a program that a contract does not forbid, and without oracle.
 */
static const struct {
  const char *program;
  const char *contract;
} without_oracles[] = {
#define WITHOUT_ORACLE(program, contract) {program, contract},
#include "generated/all_without_oracle.def"
#undef WITHOUT_ORACLE
};

/* What has no oracle is not judged, and an op of which most is so is told. */
static void test_mostly_unjudged(void) {
  executor_t *executor = fake_executor_open(FAKE_right, false);
  arena_t arena;
  arena_init(&arena);
  const stream_program_t without_oracle = given(without_oracles[0].program, &arena);
  session_options_t options = make_options(&executor, 1);
  g_assert_cmpint(contract_parse(str_from(without_oracles[0].contract), &options.contract, NULL),
                  ==, STATUS_OK);
  options.stream.programs = &without_oracle;
  options.stream.program_count = 1;
  options.cases_max = 50;
  options.draws_max = 80;
  session_t *session = run_session(&options);
  assert_says(session, false, "judged 0 of 50: model:fake-right refused 0, 80 without an oracle");
  close_session(session);
  executor_close(executor);
  arena_deinit(&arena);
}

/* ---- A tail that is dropped ------------------------------------------------------------------ */

static void stop_at_finding(void *context, const session_t *session, const finding_t *finding) {
  (void)session;
  g_assert_cmpstr(finding->label.op, ==, example_op(EXAMPLE_PRODUCT)->name);
  *(volatile sig_atomic_t *)context = 1;
}

/* README's own command, without an op, finds what a first matmul in C does wrong: with every seed,
 * and within the cases that it judges. */
static void test_matmul_tail(void) {
#ifdef ASSAY_SANITIZE
  enum { SEEDS = 2 };
#else
  enum { SEEDS = 20 };
#endif
  executor_t *executor = open_dso("matmul_tail");
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    session_options_t options = make_options(&executor, 1);
    volatile sig_atomic_t stop = 0;
    options.stream.seed = seed;
    options.cases_max = 20000;
    options.stop = &stop;
    options.on_finding = stop_at_finding;
    options.hook_context = (void *)(uintptr_t)&stop;
    session_t *session = run_session(&options);
    g_test_message("seed %" PRIu64 ": %" PRIu64 " judged of %" PRIu64 " drawn", seed,
                   session_judged(session, 0), session_cases(session));
    g_assert_cmpuint(session_finding_count(session), >, 0);
    close_session(session);
  }
  executor_close(executor);
}

/* ---- Programs that break a constraint -------------------------------------------------------- */

static void test_who_gets_invalid_programs(void) {
  executor_t *executors[] = {open_dso("good"), open_dso("validates"),
                             open_named("model:sequential")};
  const op_t *reduce = example_op(EXAMPLE_SUM);
  session_options_t options = make_options(executors, 3);
  options.stream.ops = &reduce;
  options.stream.op_count = 1;
  options.stream.gen.invalid_one_in = 3;
  options.cases_max = 300;
  session_t *session = run_session(&options);
  g_assert_cmpuint(count_invalid(session, 0), ==, 0);
  g_assert_cmpuint(count_invalid(session, 1), >, 20);
  g_assert_cmpuint(count_invalid(session, 2), >, 20);
  for (size_t i = 0; i < session_finding_count(session); i++) {
    const finding_t *finding = session_finding(session, i);
    g_assert_cmpuint(finding->executor, ==, 1);
    g_assert_cmpint(finding->verdict.class_, ==, CLASS_invalid_accepted);
  }
  close_session(session);
  options.asks_invalid = true;
  session = run_session(&options);
  g_assert_cmpuint(count_invalid(session, 0), >, 20);
  close_session(session);
  for (size_t i = 0; i < 3; i++) executor_close(executors[i]);
}

/* Valid programs are the same, whoever is asked about invalid ones. */
static void test_alone_without_validation(void) {
  executor_t *executor = open_dso("good");
  session_options_t options = make_options(&executor, 1);
  options.cases_max = 500;
  options.stream.gen.invalid_one_in = 2;
  session_t *session = run_session(&options);
  g_assert_cmpuint(count_invalid(session, 0), ==, 0);
  g_assert_cmpuint(session_judged(session, 0), ==, 500);
  close_session(session);
  executor_close(executor);
}

static void test_walk_of_invalid_program(void) {
  executor_t *executor = open_dso("good");
  session_options_t options = make_options(&executor, 1);
  session_t *session = NULL;
  failure_t error = {0};
  arena_t arena;
  arena_init(&arena);
  stream_program_t broken = given(broken_line, &arena);
  g_assert_nonnull(broken.broken);
  case_t instance = case_make(&arena, &broken.program);
  stream_draw_data(1, &instance);
  g_assert_cmpint(session_open(&options, &session, &error), ==, STATUS_OK);
  verdict_t verdict = {.outcome = OUTCOME_diverges};
  g_assert_cmpint(session_walk(session, &instance, broken.broken, &verdict, &error), ==, STATUS_OK);
  g_assert_cmpint(verdict.outcome, ==, OUTCOME_refused);
  g_assert_true(g_str_has_prefix(verdict.reason, "not run"));
  g_assert_cmpuint(tally_count(session_tally(session)), ==, 0);
  close_session(session);
  executor_close(executor);
  arena_deinit(&arena);
}

/* ---- Given programs -------------------------------------------------------------------------- */

typedef struct program_counts {
  uint64_t sum;
  uint64_t other;
  uint64_t seen[64]; /* Case seeds, as far as they fit. */
  size_t seen_count;
} program_counts_t;

static status_t count_program(void *context, const session_t *session,
                              const session_answer_t *answer, failure_t *error) {
  (void)session, (void)error;
  program_counts_t *counts = (program_counts_t *)context;
  bool is_other = answer->instance->program.operands[0].dims[0] == 9;
  *(is_other ? &counts->other : &counts->sum) += 1;
  return STATUS_OK;
}

/* Programs take turns; one that nobody takes leaves the cases to the others. */
static void test_programs_in_turn(void) {
  executor_t *executor = open_dso("good");
  arena_t arena;
  arena_init(&arena);
  const stream_program_t programs[] = {given(sum_line, &arena), given(double_line, &arena),
                                       given(other_sum_line, &arena)};
  session_options_t options = make_options(&executor, 1);
  program_counts_t counts = {.sum = 0};
  options.stream.programs = programs;
  options.stream.program_count = 3;
  options.cases_max = 300;
  options.on_answer = count_program;
  options.hook_context = &counts;
  session_t *session = run_session(&options);
  g_assert_cmpuint(session_judged(session, 0), ==, 300);
  g_assert_cmpuint(count(session, 0, NULL, OUTCOME_refused), ==, 1);
  g_assert_cmpuint(counts.sum, >, 120);
  g_assert_cmpuint(counts.other, >, 120);
  close_session(session);
  options.stream.programs = &programs[1];
  options.stream.program_count = 1;
  session = run_session(&options);
  g_assert_cmpint(session_end(session), ==, SESSION_END_PROGRAMS);
  assert_says(session, false,
              "judged 0 of 300: dso:" ASSAY_BINARY_DIR
              "/tests/dso/good.so refused 1 (only sums of f32 to one number), no executor takes "
              "more of any "
              "--program\n");
  close_session(session);
  executor_close(executor);
  arena_deinit(&arena);
}

/* The data of a given program go on from turn to turn: no case comes twice. */
static void test_programs_have_new_data(void) {
  arena_t arena;
  arena_init(&arena);
  const stream_program_t programs[] = {given(sum_line, &arena), given(other_sum_line, &arena)};
  const stream_options_t options = {.programs = programs, .program_count = 2, .seed = 3};
  stream_t stream;
  stream_init(&stream, &options);
  GHashTable *seeds = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  for (int i = 0; i < 500; i++) {
    stream_next(&stream);
    g_assert_true(g_hash_table_add(seeds, g_memdup2(&stream.case_seed, sizeof stream.case_seed)));
  }
  g_hash_table_destroy(seeds);
  stream_deinit(&stream);
  arena_deinit(&arena);
}

/* Three failures of a program are enough, whatever its turns, and the run says so. */
static void test_failures_are_told(void) {
  executor_t *executor = fake_executor_open(FAKE_crashes, true);
  arena_t arena;
  arena_init(&arena);
  const stream_program_t programs[] = {given(sum_line, &arena), given(other_sum_line, &arena)};
  session_options_t options = make_options(&executor, 1);
  options.stream.programs = programs;
  options.stream.program_count = 2;
  options.cases_max = 100;
  session_t *session = run_session(&options);
  g_assert_cmpint(session_end(session), ==, SESSION_END_PROGRAMS);
  g_assert_cmpuint(count(session, 0, NULL, OUTCOME_failed), ==,
                   2 * SESSION_FAILURES_PER_PROGRAM_MAX);
  g_assert_cmpuint(session_given_up(session, 0), ==, 2);
  assert_says(session, false,
              "judged 6 of 100: model:fake-crashes refused 0, 6 failed, gave up on 2");
  close_session(session);
  executor_close(executor);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/judged/each_gets_its_cases", test_each_gets_its_cases);
  g_test_add_func("/judged/most_cases", test_most_cases);
  g_test_add_func("/judged/one_op", test_one_op);
  g_test_add_func("/judged/nothing_is_taken", test_nothing_is_taken);
  g_test_add_func("/judged/mostly_unjudged", test_mostly_unjudged);
  g_test_add_func("/judged/matmul_tail", test_matmul_tail);
  g_test_add_func("/judged/who_gets_invalid_programs", test_who_gets_invalid_programs);
  g_test_add_func("/judged/alone_without_validation", test_alone_without_validation);
  g_test_add_func("/judged/walk_of_invalid_program", test_walk_of_invalid_program);
  g_test_add_func("/judged/programs_in_turn", test_programs_in_turn);
  g_test_add_func("/judged/programs_have_new_data", test_programs_have_new_data);
  g_test_add_func("/judged/failures_are_told", test_failures_are_told);
  return g_test_run();
}
