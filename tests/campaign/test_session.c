/* SPDX-License-Identifier: Apache-2.0 */
/* Campaigns: the same seed gives the same cases and findings, everything is counted once, and
 * refusals cost one case a program. */
#include <glib/gstdio.h>

#include "harness/builtin/builtin.h"
#include "harness/session/session.h"
#include "tests/campaign/examples.h"
#include "tests/campaign/fake_executor.h"

static const char sum_line[] = "stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[]";

static executor_t *open_builtin(const char *name) {
  const executor_options_t options = {.find_builtin = builtin_find};
  executor_t *executor = NULL;
  failure_t error = {0};
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  return executor;
}

static size_t count_ops(void) {
  size_t count = 0;
  while (op_all()[count] != NULL) count++;
  return count;
}

static session_options_t make_options(executor_t *const *executors, size_t count) {
  return (session_options_t){
      .stream = {.ops = op_all(), .op_count = count_ops(), .gen = gen_options_default(), .seed = 7},
      .executors = executors,
      .executor_count = count,
      .contract = contract_backend(),
      .command = "test",
      .assay_version = "test"};
}

static session_t *run_session(const session_options_t *options) {
  session_t *session = NULL;
  failure_t error = {0};
  if (session_open(options, &session, &error) != STATUS_OK ||
      session_run(session, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  return session;
}

static stream_program_t parse_sum(arena_t *arena) {
  stream_program_t given = {.broken = NULL};
  g_assert_cmpint(stream_program_parse(str_from(sum_line), arena, &given, NULL), ==, STATUS_OK);
  return given;
}

static void close_session(session_t *session) {
  failure_t error = {0};
  g_assert_cmpint(session_close(session, 0, &error), ==, STATUS_OK);
}

/* ---- Counting -------------------------------------------------------------------------------- */

static uint64_t count_all(const session_t *session) {
  uint64_t cases = 0;
  for (int i = 0; i < OUTCOME_COUNT; i++) {
    cases += tally_cases(session_tally(session), (outcome_t)i);
  }
  return cases;
}

static void test_same_seed_same_findings(void) {
  executor_t *executor = open_builtin("canary:drop_last_term");
  session_options_t options = make_options(&executor, 1);
  options.draws_max = 1000;
  session_t *first = run_session(&options);
  session_t *again = run_session(&options);
  g_assert_cmpuint(session_finding_count(first), >, 0);
  g_assert_cmpuint(session_finding_count(first), ==, session_finding_count(again));
  for (size_t i = 0; i < session_finding_count(first); i++) {
    const finding_t *a = session_finding(first, i);
    const finding_t *b = session_finding(again, i);
    g_assert_cmpstr(a->signature.text, ==, b->signature.text);
    g_assert_cmpstr(a->case_line, ==, b->case_line);
    g_assert_cmpuint(a->count, ==, b->count);
  }
  close_session(first);
  close_session(again);
  executor_close(executor);
}

static void test_every_case_counted_once(void) {
  executor_t *executors[] = {open_builtin("model:sequential"),
                             open_builtin("canary:drop_last_term")};
  session_options_t options = make_options(executors, 2);
  options.draws_max = 600;
  session_t *session = run_session(&options);
  g_assert_cmpuint(session_cases(session), ==, 600);
  uint64_t occurrences = 0;
  for (size_t i = 0; i < session_finding_count(session); i++) {
    const finding_t *finding = session_finding(session, i);
    g_assert_cmpuint(finding->executor, ==, 1);
    occurrences += finding->count;
    for (size_t j = 0; j < i; j++) {
      g_assert_cmpstr(finding->signature.text, !=, session_finding(session, j)->signature.text);
    }
  }
  g_assert_cmpuint(occurrences, ==, tally_cases(session_tally(session), OUTCOME_diverges));
  g_assert_cmpuint(count_all(session), ==, 1200);
  g_assert_cmpint(session_exit_code(session), ==, 1);
  close_session(session);
  for (int i = 0; i < 2; i++) executor_close(executors[i]);
}

/* One signature on two executors is two findings. */
static void test_findings_by_executor(void) {
  executor_t *executors[] = {open_builtin("canary:drop_last_term"),
                             open_builtin("canary:drop_last_term")};
  session_options_t options = make_options(executors, 2);
  options.draws_max = 300;
  session_t *session = run_session(&options);
  size_t count[2] = {0};
  for (size_t i = 0; i < session_finding_count(session); i++) {
    count[session_finding(session, i)->executor]++;
  }
  g_assert_cmpuint(count[0], >, 0);
  g_assert_cmpuint(count[0], ==, count[1]);
  close_session(session);
  for (int i = 0; i < 2; i++) executor_close(executors[i]);
}

/* ---- Refusals, failures and limits ----------------------------------------------------------- */

static void test_refused_program_costs_one_case(void) {
  executor_t *executor = fake_executor_open(FAKE_refuses, false);
  session_options_t options = make_options(&executor, 1);
  options.draws_max = 100;
  session_t *session = run_session(&options);
  g_assert_cmpuint(tally_cases(session_tally(session), OUTCOME_refused), ==, 100);
  g_assert_cmpint(session_exit_code(session), ==, 0);
  close_session(session);
  arena_t arena;
  arena_init(&arena);
  const stream_program_t given = parse_sum(&arena);
  options.stream.programs = &given;
  options.stream.program_count = 1;
  session = run_session(&options);
  g_assert_cmpuint(session_cases(session), ==, 1);
  close_session(session);
  arena_deinit(&arena);
  executor_close(executor);
}

/* Nor does one that refuses only when it is to run get more than one case. */
static void test_refused_data_costs_one_case(void) {
  executor_t *executor = fake_executor_open(FAKE_refuses_data_unpromised, false);
  arena_t arena;
  arena_init(&arena);
  const stream_program_t given = parse_sum(&arena);
  session_options_t options = make_options(&executor, 1);
  options.stream.programs = &given;
  options.stream.program_count = 1;
  options.draws_max = 10;
  session_t *session = run_session(&options);
  g_assert_cmpuint(tally_cases(session_tally(session), OUTCOME_refused), ==, 1);
  g_assert_cmpuint(session_cases(session), ==, 1);
  close_session(session);
  arena_deinit(&arena);
  executor_close(executor);
}

/* One that refuses does not keep the others from the rest of the data. */
static void test_refusal_beside_others(void) {
  executor_t *executors[] = {fake_executor_open(FAKE_refuses, false),
                             open_builtin("model:sequential")};
  session_options_t options = make_options(executors, 2);
  /* An op no program of which breaks rules of the contract: those the model refuses too. */
  const op_t *const convert = example_op(EXAMPLE_CONVERSION);
  options.stream.ops = &convert;
  options.stream.op_count = 1;
  options.stream.gen.invalid_one_in = 0;
  options.draws_max = 200;
  session_t *session = run_session(&options);
  uint64_t refused = tally_cases(session_tally(session), OUTCOME_refused);
  g_assert_cmpuint(refused, >, 0);
  g_assert_cmpuint(refused, <, 100);
  g_assert_cmpuint(count_all(session), ==, 200 + refused);
  close_session(session);
  for (int i = 0; i < 2; i++) executor_close(executors[i]);
}

static void test_failures(void) {
  executor_t *executor = fake_executor_open(FAKE_crashes, true);
  arena_t arena;
  arena_init(&arena);
  const stream_program_t given = parse_sum(&arena);
  session_options_t options = make_options(&executor, 1);
  options.stream.programs = &given;
  options.stream.program_count = 1;
  options.draws_max = 10;
  session_t *session = run_session(&options);
  g_assert_cmpuint(tally_cases(session_tally(session), OUTCOME_failed), ==, 3);
  g_assert_cmpuint(session_finding_count(session), ==, 1);
  g_assert_cmpuint(session_finding(session, 0)->count, ==, 3);
  g_assert_cmpint(session_exit_code(session), ==, 3);
  close_session(session);
  arena_deinit(&arena);
  executor_close(executor);
}

static void test_limits(void) {
  executor_t *executor = open_builtin("model:sequential");
  session_options_t options = make_options(&executor, 1);
  volatile sig_atomic_t stop = 1;
  options.stop = &stop;
  session_t *session = run_session(&options);
  g_assert_cmpuint(session_cases(session), ==, 0);
  close_session(session);
  options.stop = NULL;
  options.seconds_max = 0.05;
  session = run_session(&options);
  g_assert_cmpuint(session_cases(session), >, 0);
  g_assert_cmpfloat(session_seconds(session), <, 5);
  close_session(session);
  executor_close(executor);
}

/* ---- The store ------------------------------------------------------------------------------- */

static status_t keep_integer(void *context, int column_count, const char *const *names,
                             const store_value_t *values, failure_t *error) {
  (void)column_count, (void)names, (void)error;
  if (values != NULL) *(int64_t *)context = values[0].integer;
  return STATUS_OK;
}

static int64_t query_integer(const char *path, const char *sql) {
  int64_t value = -1;
  failure_t error = {0};
  if (store_query(path, sql, keep_integer, &value, &error) != STATUS_OK) {
    g_error("%s: %s", sql, error.text);
  }
  return value;
}

typedef struct stored {
  char *folder;
  char *path;
  store_t *store;
} stored_t;

static stored_t open_store(void) {
  stored_t stored = {.folder = g_dir_make_tmp("assay-session-XXXXXX", NULL)};
  stored.path = g_build_filename(stored.folder, "session.db", NULL);
  failure_t error = {0};
  g_assert_cmpint(store_open(stored.path, &stored.store, &error), ==, STATUS_OK);
  return stored;
}

static void remove_store(stored_t *stored) {
  char *command = g_strdup_printf("rm -r %s", stored->folder);
  g_assert_cmpint(system(command), ==, 0);
  g_free(command);
  g_free(stored->path);
  g_free(stored->folder);
}

/* Counters are written several times while a run lasts, and each case once. */
static void test_store_ticks(void) {
  stored_t stored = open_store();
  executor_t *executor = open_builtin("model:sequential");
  session_options_t options = make_options(&executor, 1);
  options.seconds_max = 1.3;
  options.store = stored.store;
  session_t *session = run_session(&options);
  int64_t cases = (int64_t)session_cases(session);
  close_session(session);
  failure_t error = {0};
  g_assert_cmpint(store_close(stored.store, &error), ==, STATUS_OK);
  g_assert_cmpint(query_integer(stored.path, "SELECT sum(cases) FROM counter"), ==, cases);
  remove_store(&stored);
  executor_close(executor);
}

static void test_store(void) {
  stored_t stored = open_store();
  executor_t *executor = open_builtin("canary:drop_first_term");
  session_options_t options = make_options(&executor, 1);
  options.draws_max = 400;
  options.store = stored.store;
  session_t *session = run_session(&options);
  int64_t findings = (int64_t)session_finding_count(session);
  int64_t diverging = (int64_t)tally_cases(session_tally(session), OUTCOME_diverges);
  g_assert_cmpint(diverging, >, 0);
  close_session(session);
  failure_t error = {0};
  g_assert_cmpint(store_close(stored.store, &error), ==, STATUS_OK);
  g_assert_cmpint(query_integer(stored.path, "SELECT sum(cases) FROM counter"), ==, 400);
  g_assert_cmpint(query_integer(stored.path, "SELECT count(*) FROM divergence"), ==, findings);
  g_assert_cmpint(query_integer(stored.path, "SELECT sum(sightings) FROM divergence"), ==,
                  diverging);
  remove_store(&stored);
  executor_close(executor);
}

static status_t count_named(void *context, const session_t *session, const session_answer_t *answer,
                            failure_t *error) {
  (void)session;
  (void)error;
  const verdict_t *verdict = answer->verdict;
  *(uint64_t *)context += verdict->outcome == OUTCOME_diverges && verdict->is_cause_sure;
  return STATUS_OK;
}

/* Of two operands that may not be exchanged. */
static const op_t *find_difference(void) {
  const op_t *const *op = op_all();
  while (!g_str_has_suffix((*op)->name, ".subtract")) op++;
  return *op;
}

/* The first cases of a fault come before there are enough of them to name it; in the end they have
 * the name of those that came later, in the database too, under the signatures that they had. */
static void test_explained_again(void) {
  stored_t stored = open_store();
  executor_t *executor = open_builtin("canary:operand_aliased");
  const op_t *op = find_difference();
  uint64_t named = 0;
  session_options_t options = make_options(&executor, 1);
  options.stream.ops = &op;
  options.stream.op_count = 1;
  options.stream.gen.limits = (draw_limits_t){.rank_max = 3, .elements_max = 32, .terms_max = 8};
  options.draws_max = 200;
  options.store = stored.store;
  options.on_answer = count_named;
  options.hook_context = &named;
  session_t *session = run_session(&options);
  uint64_t cases = 0;
  int64_t findings = 0;
  for (size_t i = 0; i < session_finding_count(session); i++) {
    const finding_t *finding = session_finding(session, i);
    if (!finding->verdict.is_cause_sure) continue;
    g_assert_cmpstr(finding->verdict.cause, !=, "");
    cases += finding->count;
    findings++;
  }
  g_assert_cmpuint(named, >, 0);
  g_assert_cmpuint(cases, >, named);
  close_session(session);
  failure_t error = {0};
  g_assert_cmpint(store_close(stored.store, &error), ==, STATUS_OK);
  g_assert_cmpint(query_integer(stored.path, "SELECT count(*) FROM divergence WHERE cause <> ''"),
                  ==, findings);
  g_assert_cmpint(query_integer(stored.path,
                                "SELECT count(DISTINCT divergence_id) FROM reproducer "
                                "JOIN divergence USING (divergence_id) "
                                "WHERE cause <> '' AND cause_words <> ''"),
                  ==, findings);
  remove_store(&stored);
  executor_close(executor);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/session/same_seed_same_findings", test_same_seed_same_findings);
  g_test_add_func("/session/every_case_counted_once", test_every_case_counted_once);
  g_test_add_func("/session/refused_program_costs_one_case", test_refused_program_costs_one_case);
  g_test_add_func("/session/findings_by_executor", test_findings_by_executor);
  g_test_add_func("/session/refused_data_costs_one_case", test_refused_data_costs_one_case);
  g_test_add_func("/session/refusal_beside_others", test_refusal_beside_others);
  g_test_add_func("/session/failures", test_failures);
  g_test_add_func("/session/limits", test_limits);
  g_test_add_func("/session/store", test_store);
  g_test_add_func("/session/store_ticks", test_store_ticks);
  g_test_add_func("/session/explained_again", test_explained_again);
  return g_test_run();
}
