/* Campaigns: the same seed gives the same cases and findings, everything is counted once, and
 * refusals cost one case a program. */
#include <glib/gstdio.h>

#include "harness/run/builtin.h"
#include "harness/run/session.h"
#include "tests/campaign/fake_executor.h"

static const char sum_line[] = "stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[]";

static executor_t *open_builtin(const char *name) {
  const executor_options_t options = {.find_builtin = builtin_find};
  executor_t *executor = NULL;
  error_t error = {0};
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
  error_t error = {0};
  if (session_open(options, &session, &error) != STATUS_OK ||
      session_run(session, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  return session;
}

static void close_session(session_t *session) {
  error_t error = {0};
  g_assert_cmpint(session_close(session, 0, &error), ==, STATUS_OK);
}

/* ---- The stream ------------------------------------------------------------------------------ */

static GPtrArray *draw_lines(uint64_t seed, bool skip_odd_programs, size_t count) {
  const stream_options_t options = {
      .ops = op_all(), .op_count = count_ops(), .gen = gen_options_default(), .seed = seed};
  stream_t stream;
  stream_init(&stream, &options);
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  while (lines->len < count) {
    stream_next(&stream);
    if (skip_odd_programs && stream.program_index % 2 == 1) {
      stream_skip_program(&stream);
      continue;
    }
    GString *line = g_string_new(NULL);
    g_string_printf(line, "%" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT " ", stream.program_index,
                    stream.case_index);
    case_print(&stream.instance, line);
    g_ptr_array_add(lines, g_string_free(line, FALSE));
  }
  stream_deinit(&stream);
  return lines;
}

static void test_stream_repeats(void) {
  GPtrArray *first = draw_lines(3, false, 500);
  GPtrArray *again = draw_lines(3, false, 500);
  GPtrArray *other = draw_lines(4, false, 500);
  size_t equal = 0;
  for (guint i = 0; i < first->len; i++) {
    g_assert_cmpstr(first->pdata[i], ==, again->pdata[i]);
    equal += strcmp((const char *)first->pdata[i], (const char *)other->pdata[i]) == 0;
  }
  g_assert_cmpuint(equal, <, 5);
  g_ptr_array_unref(first);
  g_ptr_array_unref(again);
  g_ptr_array_unref(other);
}

/* What happens to one program changes no case of another. */
static void test_stream_skips(void) {
  GPtrArray *all = draw_lines(3, false, 500);
  GPtrArray *even = draw_lines(3, true, 200);
  guint next = 0;
  for (guint i = 0; i < all->len && next < even->len; i++) {
    if (strcmp((const char *)all->pdata[i], (const char *)even->pdata[next]) == 0) next++;
  }
  g_assert_cmpuint(next, ==, even->len);
  g_ptr_array_unref(all);
  g_ptr_array_unref(even);
}

/* The data of a case come back from its seed. */
static void test_stream_case_seed(void) {
  const stream_options_t options = {
      .ops = op_all(), .op_count = count_ops(), .gen = gen_options_default(), .seed = 9};
  stream_t stream;
  stream_init(&stream, &options);
  arena_t arena;
  arena_init(&arena);
  GString *drawn = g_string_new(NULL);
  GString *again = g_string_new(NULL);
  for (int i = 0; i < 100; i++) {
    stream_next(&stream);
    g_string_truncate(drawn, 0);
    case_print(&stream.instance, drawn);
    case_t copy = case_make(&arena, &stream.instance.program);
    g_assert_cmpint(stream_draw_data(stream.case_seed, &copy), ==, stream.regime);
    g_string_truncate(again, 0);
    case_print(&copy, again);
    g_assert_cmpstr(drawn->str, ==, again->str);
  }
  g_string_free(drawn, TRUE);
  g_string_free(again, TRUE);
  arena_deinit(&arena);
  stream_deinit(&stream);
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
  options.cases_max = 1000;
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
  options.cases_max = 600;
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

/* ---- Refusals, failures and limits ----------------------------------------------------------- */

static void test_refused_program_costs_one_case(void) {
  executor_t *executor = fake_executor_open(FAKE_refuses, false);
  session_options_t options = make_options(&executor, 1);
  options.cases_max = 100;
  session_t *session = run_session(&options);
  g_assert_cmpuint(tally_cases(session_tally(session), OUTCOME_refused), ==, 100);
  g_assert_cmpint(session_exit_code(session), ==, 0);
  close_session(session);
  arena_t arena;
  arena_init(&arena);
  program_t program;
  g_assert_cmpint(program_parse(str_from(sum_line), &arena, &program, NULL, NULL), ==, STATUS_OK);
  options.stream.program = &program;
  session = run_session(&options);
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
  options.stream.gen.invalid_one_in = 0;
  options.cases_max = 200;
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
  program_t program;
  g_assert_cmpint(program_parse(str_from(sum_line), &arena, &program, NULL, NULL), ==, STATUS_OK);
  session_options_t options = make_options(&executor, 1);
  options.stream.program = &program;
  options.cases_max = 10;
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
                             const store_value_t *values, error_t *error) {
  (void)column_count, (void)names, (void)error;
  if (values != NULL) *(int64_t *)context = values[0].integer;
  return STATUS_OK;
}

static int64_t query_integer(const char *path, const char *sql) {
  int64_t value = -1;
  error_t error = {0};
  if (store_query(path, sql, keep_integer, &value, &error) != STATUS_OK) {
    g_error("%s: %s", sql, error.text);
  }
  return value;
}

static void test_store(void) {
  char *folder = g_dir_make_tmp("assay-session-XXXXXX", NULL);
  char *path = g_build_filename(folder, "session.db", NULL);
  error_t error = {0};
  store_t *store = NULL;
  g_assert_cmpint(store_open(path, &store, &error), ==, STATUS_OK);
  executor_t *executor = open_builtin("canary:drop_first_term");
  session_options_t options = make_options(&executor, 1);
  options.cases_max = 400;
  options.store = store;
  session_t *session = run_session(&options);
  int64_t findings = (int64_t)session_finding_count(session);
  int64_t diverging = (int64_t)tally_cases(session_tally(session), OUTCOME_diverges);
  g_assert_cmpint(diverging, >, 0);
  close_session(session);
  g_assert_cmpint(store_close(store, &error), ==, STATUS_OK);
  g_assert_cmpint(query_integer(path, "SELECT sum(cases) FROM counter"), ==, 400);
  g_assert_cmpint(query_integer(path, "SELECT count(*) FROM divergence"), ==, findings);
  g_assert_cmpint(query_integer(path, "SELECT sum(sightings) FROM divergence"), ==, diverging);
  char *command = g_strdup_printf("rm -r %s", folder);
  g_assert_cmpint(system(command), ==, 0);
  g_free(command);
  g_free(path);
  g_free(folder);
  executor_close(executor);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/stream/repeats", test_stream_repeats);
  g_test_add_func("/stream/skips", test_stream_skips);
  g_test_add_func("/stream/case_seed", test_stream_case_seed);
  g_test_add_func("/session/same_seed_same_findings", test_same_seed_same_findings);
  g_test_add_func("/session/every_case_counted_once", test_every_case_counted_once);
  g_test_add_func("/session/refused_program_costs_one_case", test_refused_program_costs_one_case);
  g_test_add_func("/session/refusal_beside_others", test_refusal_beside_others);
  g_test_add_func("/session/failures", test_failures);
  g_test_add_func("/session/limits", test_limits);
  g_test_add_func("/session/store", test_store);
  return g_test_run();
}
