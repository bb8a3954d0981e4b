/* SPDX-License-Identifier: Apache-2.0 */
/* Which algorithm was asked for and which ones were observed: counted, stored, and told of programs
 * outside a declared target too. */
#include <glib/gstdio.h>

#include "harness/builtin/builtin.h"
#include "harness/record/run_log.h"
#include "harness/session/session.h"

#define DOT(attribute) \
  "stablehlo.dot_general batch=[]x[] contract=[1]x[0]" attribute " f32[4,8] f32[8,4] -> f32[4,4]"
static const char asks_nothing[] = DOT("");
static const char asks_bf16[] = DOT(" algorithm=[bf16,bf16,f32,1,1,1,false]");
static const char asks_bf16_x3[] = DOT(" algorithm=[bf16,bf16,f32,1,1,3,false]");

/* ---- Executors ------------------------------------------------------------------------------- */

/* A model that has declared a target which holds nothing, and that in execution may give up. */
static assay_executor_t outside_table;
static int32_t outside_answer; /* Of execute(), unless it is ASSAY_EXECUTOR_OK. */
static unsigned executions;

static int32_t promise_nothing(void *self, const assay_program_t *program) {
  return (void)self, (void)program, 0;
}

static int32_t count_execution(void *self, void *handle, const void *const *operands,
                               void *const *results, assay_reason_t *reason) {
  executions++;
  if (outside_answer != ASSAY_EXECUTOR_OK) {
    g_strlcpy(reason->text, "said the model", reason->text_bytes);
    return outside_answer;
  }
  return builtin_find("model:")->execute(self, handle, operands, results, reason);
}

static const assay_executor_t *find_outside(const char *name) {
  outside_table = *builtin_find(name);
  outside_table.promises = promise_nothing;
  outside_table.execute = count_execution;
  return &outside_table;
}

static executor_t *open_executor(const char *name,
                                 const assay_executor_t *(*find)(const char *name)) {
  const executor_options_t options = {.find_builtin = find};
  executor_t *executor = NULL;
  failure_t error = {0};
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  return executor;
}

/* ---- Sessions -------------------------------------------------------------------------------- */

typedef struct fixture {
  arena_t arena;
  stream_program_t given;
  char *folder;
  char *path;
  store_t *store;
  executor_t *executor;
  session_t *session;
} fixture_t;

static void open_store(fixture_t *fixture) {
  failure_t error = {0};
  fixture->folder = g_dir_make_tmp("assay-observations-XXXXXX", NULL);
  fixture->path = g_build_filename(fixture->folder, "x.db", NULL);
  g_assert_cmpint(store_open(fixture->path, &fixture->store, &error), ==, STATUS_OK);
}

static void run(fixture_t *fixture, executor_t *executor, const char *program_line,
                uint64_t cases) {
  failure_t error = {0};
  arena_init(&fixture->arena);
  fixture->executor = executor;
  g_assert_cmpint(
      stream_program_parse(str_from(program_line), &fixture->arena, &fixture->given, &error), ==,
      STATUS_OK);
  const session_options_t options = {.stream = {.programs = &fixture->given,
                                                .program_count = 1,
                                                .gen = gen_options_default(),
                                                .seed = 11},
                                     .executors = &fixture->executor,
                                     .executor_count = 1,
                                     .contract = contract_backend(),
                                     .draws_max = cases,
                                     .store = fixture->store,
                                     .command = "test",
                                     .assay_version = "test"};
  if (session_open(&options, &fixture->session, &error) != STATUS_OK ||
      session_run(fixture->session, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
}

static void end_run(fixture_t *fixture) {
  failure_t error = {0};
  g_assert_cmpint(session_close(fixture->session, 0, &error), ==, STATUS_OK);
  executor_close(fixture->executor);
  arena_deinit(&fixture->arena);
}

static void close_store(fixture_t *fixture) {
  failure_t error = {0};
  g_assert_cmpint(store_close(fixture->store, &error), ==, STATUS_OK);
  fixture->store = NULL;
}

static void remove_store(fixture_t *fixture) {
  GDir *directory = g_dir_open(fixture->folder, 0, NULL);
  for (const char *name; (name = g_dir_read_name(directory)) != NULL;) {
    g_autofree char *path = g_build_filename(fixture->folder, name, NULL);
    g_assert_cmpint(g_remove(path), ==, 0);
  }
  g_dir_close(directory);
  g_assert_cmpint(g_rmdir(fixture->folder), ==, 0);
  g_free(fixture->path);
  g_free(fixture->folder);
}

/* Cases whose observed set has the algorithm; of all cases if it is NULL. */
static uint64_t count_kind(const fixture_t *fixture, observation_kind_t kind,
                           const char *algorithm) {
  uint64_t cases = 0;
  observation_tally_t *observations = session_observations(fixture->session);
  for (size_t i = 0; i < observation_tally_count(observations); i++) {
    const observation_row_t *row = observation_tally_at(observations, i);
    if (row->kind != kind) continue;
    if (algorithm == NULL || observation_set_has(row->observed, algorithm)) cases += row->cases;
  }
  return cases;
}

static uint64_t count_cases(const fixture_t *fixture, const char *algorithm) {
  return count_kind(fixture, OBSERVATION_ALGORITHM, algorithm);
}

static uint64_t count_class(const fixture_t *fixture, divergence_class_t class_) {
  uint64_t cases = 0;
  tally_t *tally = session_tally(fixture->session);
  for (size_t i = 0; i < tally_count(tally); i++) {
    if (tally_at(tally, i)->class_ == class_) cases += tally_at(tally, i)->cases;
  }
  return cases;
}

static status_t keep_text(void *context, int column_count, const char *const *names,
                          const store_value_t *values, failure_t *error) {
  (void)column_count, (void)names, (void)error;
  char **text = (char **)context;
  if (values == NULL) return STATUS_OK;
  g_free(*text);
  *text = g_strdup(values[0].text);
  return STATUS_OK;
}

static uint64_t query(const fixture_t *fixture, const char *sql) {
  g_autofree char *text = NULL;
  failure_t error = {0};
  if (store_query(fixture->path, sql, keep_text, (void *)&text, &error) != STATUS_OK) {
    g_error("%s: %s", sql, error.text);
  }
  return text == NULL ? 0 : g_ascii_strtoull(text, NULL, 10);
}

/* ---- What is counted ------------------------------------------------------------------------- */

static void test_set(void) {
  g_assert_true(observation_set_has("A", "A"));
  g_assert_true(observation_set_has("A|B|C", "A"));
  g_assert_true(observation_set_has("A|B|C", "B"));
  g_assert_true(observation_set_has("A|B|C", "C"));
  g_assert_false(observation_set_has("", "A"));
  g_assert_false(observation_set_has("AB|BA", "A"));
  g_assert_false(observation_set_has("A_X3|A_X6", "A"));
  g_assert_false(observation_set_has("A", "A_X3"));
}

/* Another algorithm than the one asked for: found, and it is in every set. */
static void test_fallback(void) {
  fixture_t fixture = {0};
  open_store(&fixture);
  run(&fixture, open_executor("model:sequential+algorithm=F32_F32_F32", builtin_find), asks_bf16,
      60);
  g_assert_cmpuint(count_cases(&fixture, NULL), ==, 60);
  g_assert_cmpuint(count_cases(&fixture, "F32_F32_F32"), ==, 60);
  uint64_t as_asked = count_cases(&fixture, "BF16_BF16_F32");
  g_assert_cmpuint(as_asked, <, 60);
  g_assert_cmpuint(count_class(&fixture, CLASS_algorithm), >, 0);
  g_assert_cmpuint(tally_cases(session_tally(fixture.session), OUTCOME_diverges), ==,
                   60 - as_asked);
  for (size_t i = 0; i < session_finding_count(fixture.session); i++) {
    const verdict_t *verdict = &session_finding(fixture.session, i)->verdict;
    g_assert_true(observation_set_has(verdict->algorithms, "F32_F32_F32"));
    g_assert_false(observation_set_has(verdict->algorithms, "BF16_BF16_F32"));
  }
  end_run(&fixture);
  close_store(&fixture);
  g_assert_cmpuint(query(&fixture, "SELECT sum(cases) FROM observation"), ==, 60);
  g_assert_cmpuint(query(&fixture,
                         "SELECT sum(cases) FROM observation WHERE algorithm = 'BF16_BF16_F32' "
                         "AND '|' || observed || '|' LIKE '%|BF16_BF16_F32|%'"),
                   ==, as_asked);
  remove_store(&fixture);
}

/* The algorithm that was asked for, in whatever order and split: always among those observed. */
static void test_as_asked(void) {
  static const char *const names[] = {
      "model:shuffled+seed=3+algorithm=BF16_BF16_F32_X3+split=truncate+by-term",
      "model:lanes8+fma+algorithm=BF16_BF16_F32_X3", "model:pairwise"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    fixture_t fixture = {0};
    run(&fixture, open_executor(names[i], builtin_find), asks_bf16_x3, 60);
    g_assert_cmpuint(count_cases(&fixture, "BF16_BF16_F32_X3"), ==, 60);
    g_assert_cmpuint(session_finding_count(fixture.session), ==, 0);
    end_run(&fixture);
  }
}

/* Where nothing was asked for, only what is wrong is held against algorithms; and every fourth
 * case, to tell what a precision_config gets. */
static void test_nothing_asked(void) {
  fixture_t fixture = {0};
  run(&fixture, open_executor("model:sequential", builtin_find), asks_nothing, 30);
  g_assert_cmpuint(count_cases(&fixture, NULL), ==, 0);
  g_assert_cmpuint(count_kind(&fixture, OBSERVATION_PRECISION, NULL), >, 0);
  g_assert_cmpuint(count_kind(&fixture, OBSERVATION_PRECISION, NULL), ==,
                   count_kind(&fixture, OBSERVATION_PRECISION, "F32_F32_F32"));
  end_run(&fixture);
  run(&fixture, open_executor("model:sequential+algorithm=BF16_BF16_F32", builtin_find),
      asks_nothing, 30);
  g_assert_cmpuint(count_class(&fixture, CLASS_algorithm), >, 0);
  g_assert_cmpuint(count_cases(&fixture, NULL), >=, count_class(&fixture, CLASS_algorithm));
  g_assert_cmpuint(count_cases(&fixture, NULL), <=,
                   tally_cases(session_tally(fixture.session), OUTCOME_diverges));
  g_assert_cmpstr(observation_tally_at(session_observations(fixture.session), 0)->label.algorithm,
                  ==, "default");
  end_run(&fixture);
}

/* ---- What is stored -------------------------------------------------------------------------- */

/* Runs add up, and each keeps its own count. */
static void test_runs_add_up(void) {
  fixture_t fixture = {0};
  open_store(&fixture);
  for (uint64_t cases = 10; cases <= 20; cases += 10) {
    run(&fixture, open_executor("model:sequential", builtin_find), asks_bf16, cases);
    end_run(&fixture);
  }
  close_store(&fixture);
  g_assert_cmpuint(query(&fixture, "SELECT sum(cases) FROM observation"), ==, 30);
  g_assert_cmpuint(query(&fixture, "SELECT sum(cases) FROM observation WHERE run_id = 1"), ==, 10);
  remove_store(&fixture);
}

/* What was written once is not written again. */
static void test_written_once(void) {
  fixture_t fixture = {0};
  open_store(&fixture);
  failure_t error = {0};
  executor_t *executor = open_executor("model:sequential", builtin_find);
  const store_run_t row = {
      .command = "test", .seed = 1, .contract = "order=any", .assay_version = "test"};
  tally_t *tally = tally_new();
  pair_tally_t *pairs = pair_tally_new();
  observation_tally_t *observations = observation_tally_new();
  ledger_t ledger;
  g_assert_cmpint(ledger_open(fixture.store, &row, &executor, 1, &ledger, &error), ==, STATUS_OK);
  const tally_label_t label = {"op", "A", "types"};
  verdict_t verdict = {.outcome = OUTCOME_conforms, .algorithms = "A|B", .has_algorithms = true};
  const verdict_t unasked = {.outcome = OUTCOME_conforms};
  for (int i = 0; i < 5; i++) {
    observation_tally_add(observations, 0, &label, &verdict);
    observation_tally_add(observations, 0, &label, &unasked);
    if (i == 2) g_strlcpy(verdict.algorithms, "B", sizeof verdict.algorithms);
    for (int twice = 0; twice < 2; twice++) {
      g_assert_cmpint(ledger_write(&ledger, tally, pairs, observations, &error), ==, STATUS_OK);
    }
  }
  g_assert_cmpint(ledger_close(&ledger, tally, pairs, observations, 0, &error), ==, STATUS_OK);
  observation_tally_free(observations);
  pair_tally_free(pairs);
  tally_free(tally);
  executor_close(executor);
  close_store(&fixture);
  g_assert_cmpuint(query(&fixture, "SELECT cases FROM observation WHERE observed = 'A|B'"), ==, 3);
  g_assert_cmpuint(query(&fixture, "SELECT cases FROM observation WHERE observed = 'B'"), ==, 2);
  remove_store(&fixture);
}

/* ---- Outside the target ---------------------------------------------------------------------- */

static void run_outside(fixture_t *fixture, const char *program_line, int32_t answer) {
  executions = 0;
  outside_answer = answer;
  run(fixture, open_executor("model:sequential+algorithm=F32_F32_F32", find_outside), program_line,
      50);
}

/* It is run on a few data, to tell what was run; the verdict and the finding are one. */
static void test_outside_target(void) {
  fixture_t fixture = {0};
  run_outside(&fixture, asks_bf16, ASSAY_EXECUTOR_OK);
  uint64_t cases = count_class(&fixture, CLASS_unsupported_accepted);
  g_assert_cmpuint(cases, >, 0);
  g_assert_cmpuint(cases, <=, 4);
  g_assert_cmpuint(cases, ==, session_cases(fixture.session));
  g_assert_cmpuint(executions, ==, 2 * cases);
  g_assert_cmpuint(count_cases(&fixture, "F32_F32_F32"), ==, cases);
  g_assert_cmpuint(session_finding_count(fixture.session), ==, 1);
  const verdict_t *verdict = &session_finding(fixture.session, 0)->verdict;
  g_assert_cmpint(verdict->outcome, ==, OUTCOME_diverges);
  g_assert_true(verdict->has_algorithms);
  g_assert_cmpstr(verdict->observed, ==, verdict->algorithms);
  g_assert_cmpstr(verdict->observed, !=, "");
  g_assert_cmpuint(verdict->wrong_count, ==, 0);
  end_run(&fixture);
}

/* Without an algorithm there is nothing to tell: it is not executed. */
static void test_outside_target_unnamed(void) {
  fixture_t fixture = {0};
  run_outside(&fixture, asks_nothing, ASSAY_EXECUTOR_OK);
  g_assert_cmpuint(executions, ==, 0);
  g_assert_cmpuint(count_class(&fixture, CLASS_unsupported_accepted), ==, 1);
  g_assert_cmpuint(count_cases(&fixture, NULL), ==, 0);
  end_run(&fixture);
}

/* That it then fails does not undo that it accepted; that it refuses after all does. */
static void test_outside_target_without_results(void) {
  fixture_t fixture = {0};
  run_outside(&fixture, asks_bf16, ASSAY_EXECUTOR_FAILED);
  g_assert_cmpuint(executions, ==, 1);
  g_assert_cmpuint(count_class(&fixture, CLASS_unsupported_accepted), ==, 1);
  g_assert_cmpuint(count_cases(&fixture, NULL), ==, 0);
  g_assert_nonnull(strstr(session_finding(fixture.session, 0)->verdict.reason, "said the model"));
  end_run(&fixture);
  run_outside(&fixture, asks_bf16, ASSAY_EXECUTOR_UNSUPPORTED);
  g_assert_cmpuint(executions, ==, 1);
  g_assert_cmpuint(tally_cases(session_tally(fixture.session), OUTCOME_refused), ==, 1);
  g_assert_cmpuint(session_finding_count(fixture.session), ==, 0);
  end_run(&fixture);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/observations/set", test_set);
  g_test_add_func("/observations/fallback", test_fallback);
  g_test_add_func("/observations/as-asked", test_as_asked);
  g_test_add_func("/observations/nothing-asked", test_nothing_asked);
  g_test_add_func("/observations/runs-add-up", test_runs_add_up);
  g_test_add_func("/observations/written-once", test_written_once);
  g_test_add_func("/observations/outside-target", test_outside_target);
  g_test_add_func("/observations/outside-target/unnamed", test_outside_target_unnamed);
  g_test_add_func("/observations/outside-target/without-results",
                  test_outside_target_without_results);
  return g_test_run();
}
