/* SPDX-License-Identifier: Apache-2.0 */
/* A column that is added to columns.def, and to its table, is written and merged: no other list of
 * columns has to be changed.  This program is the store with such columns (extra_columns.cmake). */
#include "harness/store/connection.h"
#include "harness/store/life.h"
#include "harness/store/merge.h"
#include "harness/store/schema.h"
#include "tests/store/store_fixture.h"

/* What a migration would do. */
static const char MIGRATION[] =
    "ALTER TABLE run ADD COLUMN extra TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE run ADD COLUMN extra_seconds REAL NOT NULL DEFAULT 0;"
    "ALTER TABLE counter ADD COLUMN extra REAL;"
    "ALTER TABLE divergence ADD COLUMN extra TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE reproducer ADD COLUMN extra_of_case TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE profile ADD COLUMN extra TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE waiver ADD COLUMN extra TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE retest ADD COLUMN extra TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE bits_case ADD COLUMN extra_of_case TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE result_bits ADD COLUMN extra TEXT NOT NULL DEFAULT ''";

static const char EXTRA[] =
    "SELECT run.extra, extra_seconds, counter.extra, divergence.extra, reproducer.extra_of_case, "
    "profile.extra, waiver.extra, retest.extra, bits_case.extra_of_case, result_bits.extra "
    "FROM run, counter, divergence, reproducer, profile, waiver, retest, bits_case, result_bits "
    "WHERE role = 'worst'";

static void make_database(store_fixture_t *fixture, const char *path) {
  connection_t connection;
  const store_schema_t schema = store_schema();
  ASSERT_OK(fixture, connection_open(path, CONNECTION_WRITE, &connection, &fixture->error));
  ASSERT_OK(fixture, store_schema_apply(&connection, &schema, &fixture->error));
  ASSERT_OK(fixture, connection_execute(&connection, MIGRATION, &fixture->error));
  connection_close(&connection);
}

static void execute(store_fixture_t *fixture, const char *path, const char *sql) {
  connection_t connection;
  ASSERT_OK(fixture, connection_open(path, CONNECTION_WRITE, &connection, &fixture->error));
  ASSERT_OK(fixture, connection_execute(&connection, sql, &fixture->error));
  connection_close(&connection);
}

/* One row of each kind. */
static void write_rows(store_fixture_t *fixture, store_t *store) {
  const store_run_t run = {.contract = "order=any", .extra = "run"};
  int64_t run_id = -1;
  ASSERT_OK(fixture, store_begin_run(store, &run, &run_id, &fixture->error));
  int64_t executor_id = add_executor(fixture, store, "x");
  const store_run_times_t times = {.run_id = run_id, .extra_seconds = 2};
  store_set_run_times(store, &times);
  store_counter_t counter = sample_counter(run_id, executor_id);
  counter.extra = 3;
  store_count(store, &counter);
  store_divergence_t divergence = sample_divergence(run_id, executor_id, "s");
  divergence.extra = "finding";
  divergence.extra_of_case = "case";
  store_add_divergence(store, &divergence);
  const store_profile_t profile = {.executor_id = executor_id,
                                   .op = "op",
                                   .shape = "n",
                                   .terms_low = 1,
                                   .terms_high = 9,
                                   .program_line = "line",
                                   .text = "text",
                                   .rule = "rule",
                                   .extra = "profile"};
  bool is_new;
  ASSERT_OK(fixture, store_add_profile(store, &profile, &is_new, &fixture->error));
  const store_waiver_t waiver = {.executor = "x",
                                 .signature = "s",
                                 .reason = "why",
                                 .owner = "who",
                                 .expires = "9999-12-31",
                                 .extra = "waiver"};
  ASSERT_OK(fixture, store_add_waiver(store, &waiver, &fixture->error));
  const store_retest_t retest = {.run_id = run_id,
                                 .executor_id = executor_id,
                                 .signature = "s",
                                 .result = "still",
                                 .extra = "retest"};
  store_add_retest(store, &retest);
  const store_bits_t bits = {.run_id = run_id,
                             .executor_id = executor_id,
                             .op = "op",
                             .case_line = "line",
                             .bits = "0123",
                             .outcome = "conforms",
                             .extra_of_case = "asked",
                             .extra = "bits"};
  store_add_bits(store, &bits);
}

static void merge(store_fixture_t *fixture, const char *source) {
  store_merge_report_t report;
  store_t *store = open_store(fixture);
  ASSERT_OK(fixture, store_merge(store, source, &report, &fixture->error));
  close_store(fixture, store);
}

static void test_merged(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  g_autofree char *source = g_build_filename(fixture->directory, "source.db", NULL);
  make_database(fixture, source);
  make_database(fixture, fixture->path);
  store_t *store = NULL;
  ASSERT_OK(fixture, store_open(source, &store, &fixture->error));
  write_rows(fixture, store);
  close_store(fixture, store);
  merge(fixture, source);
  static const char first[] = "run|2.0|3.0|finding|case|profile|waiver|retest|asked|bits";
  assert_query(fixture, EXTRA, first);
  /* What is replaced by what came later, and what only grows. */
  execute(fixture, source,
          "UPDATE run SET extra_seconds = 5;"
          "UPDATE profile SET extra = 'later', last_seen = '9999-01-01T00:00:00Z';"
          "UPDATE retest SET extra = 'later', tested = '9999-01-01T00:00:00Z';"
          "UPDATE result_bits SET extra = 'later', last_seen = '9999-01-01T00:00:00Z'");
  merge(fixture, source);
  assert_query(fixture, EXTRA, "run|5.0|3.0|finding|case|later|waiver|later|asked|later");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/store/extra_columns/merged", test_merged);
  return g_test_run();
}
