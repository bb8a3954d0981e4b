/* SPDX-License-Identifier: Apache-2.0 */
/* Merging databases loses nothing, counts nothing twice, and does not depend on the order. */
#include "harness/store/merge.h"

#include <string.h>

#include "harness/base/rng.h"
#include "harness/store/schema.h"
#include "tests/store/store_fixture.h"

enum { SHARDS = 4 };

static char *shard_path(const store_fixture_t *fixture, int shard) {
  return g_strdup_printf("%s/shard-%d.db", fixture->directory, shard);
}

/* Rows of every table, drawn from few keys, so that databases have many of them in common. */
static void write_randomly(store_fixture_t *fixture, store_t *store, int64_t run_id, rng_t *rng) {
  static const char *const names[] = {"x", "y", "z"};
  int64_t ids[G_N_ELEMENTS(names)];
  size_t first = rng_below(rng, 3); /* Numbers of executors differ between databases. */
  for (size_t i = 0; i < 3; i++)
    ids[(first + i) % 3] = add_executor(fixture, store, names[(first + i) % 3]);
  for (int i = 0; i < 40; i++) {
    g_autofree char *types = g_strdup_printf("t%d", (int)rng_below(rng, 4));
    g_autofree char *signature = g_strdup_printf("s%d", (int)rng_below(rng, 12));
    g_autofree char *line = g_strnfill(1 + rng_below(rng, 9), (char)('a' + rng_below(rng, 26)));
    int64_t executor_id = ids[rng_below(rng, 3)];
    store_counter_t counter = sample_counter(run_id, executor_id);
    counter.types = types;
    counter.cases = 1 + rng_below(rng, 9);
    counter.slack_max = (double)rng_below(rng, 100);
    counter.executor_seconds = (double)rng_below(rng, 64); /* Sums of these are exact. */
    store_count(store, &counter);
    store_pair_t pair = sample_pair(run_id, ids[0], ids[1]);
    pair.types = types;
    store_add_pair(store, &pair);
    store_divergence_t divergence = sample_divergence(run_id, executor_id, signature);
    divergence.case_line = line;
    divergence.program_line = line;
    divergence.slack = (double)rng_below(rng, 1 << 30); /* No two are equally bad. */
    divergence.cause = "cause";
    store_add_divergence(store, &divergence);
    if (rng_one_in(rng, 4)) store_add_shrunk(store, &divergence);
    store_histogram_t histogram = {run_id, executor_id, "op",         "",
                                   types,  "conforms",  "slack",      (int)rng_below(rng, 3),
                                   0.5,    1,           counter.cases};
    store_add_histogram(store, &histogram);
    const store_accuracy_t accuracy = {.run_id = run_id,
                                       .executor_id = executor_id,
                                       .op = "op",
                                       .types = types,
                                       .outcome = "conforms",
                                       .data = "wide",
                                       .terms_low = 9,
                                       .terms_high = 64,
                                       .condition_bucket = (int)rng_below(rng, 3),
                                       .cases = counter.cases,
                                       .backward_error_sum = (double)rng_below(rng, 64),
                                       .condition_max = (double)rng_below(rng, 64)};
    store_add_accuracy(store, &accuracy);
    store_tolerance_t tolerance = {run_id, "op", "a", types, 9, 64, 0, (int)rng_below(rng, 3),
                                   0.5,    1,    2};
    store_add_tolerance(store, &tolerance);
    store_constraint_t constraint = {run_id, executor_id, "op", types, "conforms", 1};
    store_count_constraint(store, &constraint);
    store_observation_t observation = {run_id, executor_id, "op", "a", types, "b", "formula", 2};
    store_add_observation(store, &observation);
    store_profile_t profile = {executor_id, "op", "",     types,  types,  1,
                               2,           line, "text", "rule", "words"};
    if (rng_one_in(rng, 8)) {
      bool is_new;
      ASSERT_OK(fixture, store_add_profile(store, &profile, &is_new, &fixture->error));
    }
  }
  const store_run_times_t times = {.run_id = run_id, .seconds = 3, .oracle_seconds = 2};
  store_set_run_times(store, &times);
}

static void write_shard(store_fixture_t *fixture, int shard, uint64_t seed) {
  g_autofree char *path = shard_path(fixture, shard);
  rng_t rng = rng_make(seed);
  store_t *store = NULL;
  ASSERT_OK(fixture, store_open(path, &store, &fixture->error));
  for (int runs = 1 + (int)rng_below(&rng, 3); runs > 0; runs--) {
    int64_t run_id = begin_run(fixture, store);
    write_randomly(fixture, store, run_id, &rng);
    if (rng_one_in(&rng, 2)) ASSERT_OK(fixture, store_end_run(store, run_id, 1, &fixture->error));
  }
  close_store(fixture, store);
}

static store_merge_report_t merge_shard(store_fixture_t *fixture, const char *target, int shard) {
  g_autofree char *path = shard_path(fixture, shard);
  store_merge_report_t report = {0};
  store_t *store = NULL;
  ASSERT_OK(fixture, store_open(target, &store, &fixture->error));
  ASSERT_OK(fixture, store_merge(store, path, &report, &fixture->error));
  ASSERT_OK(fixture, store_close(store, &fixture->error));
  return report;
}

/* All that a database says, in terms of natural keys.  First and last runs are left out: within a
 * second nobody can tell which came first. */
static const char *const CONTENTS[] = {
    "SELECT uuid, command, seed, permissions, ended IS NULL, exit_code, seconds, oracle_seconds "
    "FROM run JOIN contract USING (contract_id) ORDER BY 1",
    "SELECT uuid, name, op, types, outcome, cases, ulp_error_max, slack_max, "
    "counter.executor_seconds FROM counter "
    "JOIN run USING (run_id) JOIN executor USING (executor_id) ORDER BY 1, 2, 3, 4, 5",
    "SELECT uuid, a.name, b.name, types, cases, alike_wrong, different FROM pair "
    "JOIN run USING (run_id) JOIN executor AS a ON a.executor_id = first_executor_id "
    "JOIN executor AS b ON b.executor_id = second_executor_id ORDER BY 1, 2, 3, 4",
    "SELECT name, signature, sightings, first_seen, last_seen, cause FROM divergence "
    "JOIN executor USING (executor_id) ORDER BY 1, 2",
    "SELECT name, signature, uuid, cases FROM sighting JOIN divergence USING (divergence_id) "
    "JOIN executor USING (executor_id) JOIN run USING (run_id) ORDER BY 1, 2, 3",
    "SELECT name, signature, role, CASE role WHEN 'worst' THEN slack ELSE length(case_line) END, "
    "length(line) = length(case_line) FROM reproducer JOIN divergence USING (divergence_id) "
    "JOIN program USING (program_id) JOIN executor USING (executor_id) ORDER BY 1, 2, 3",
    "SELECT uuid, name, types, bucket, cases FROM histogram JOIN run USING (run_id) "
    "JOIN executor USING (executor_id) ORDER BY 1, 2, 3, 4",
    "SELECT uuid, name, types, condition_bucket, cases, backward_error_sum, condition_max "
    "FROM accuracy JOIN run USING (run_id) JOIN executor USING (executor_id) ORDER BY 1, 2, 3, 4",
    "SELECT uuid, types, bucket, cases FROM tolerance JOIN run USING (run_id) ORDER BY 1, 2, 3",
    "SELECT uuid, name, broken_constraint, cases FROM constraint_counter JOIN run USING (run_id) "
    "JOIN executor USING (executor_id) ORDER BY 1, 2, 3",
    "SELECT uuid, name, types, cases FROM observation JOIN run USING (run_id) "
    "JOIN executor USING (executor_id) ORDER BY 1, 2, 3",
    "SELECT name, types, sightings FROM profile JOIN executor USING (executor_id) ORDER BY 1, 2",
};

/* Both databases say the same; if not, the first rows that differ are shown. */
static void assert_same(store_fixture_t *fixture, const char *path, const char *other) {
  for (size_t i = 0; i < G_N_ELEMENTS(CONTENTS); i++) {
    GString *text = g_string_new(NULL);
    GString *others = g_string_new(NULL);
    ASSERT_OK(fixture, store_query(path, CONTENTS[i], append_row, text, &fixture->error));
    ASSERT_OK(fixture, store_query(other, CONTENTS[i], append_row, others, &fixture->error));
    g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
    g_auto(GStrv) other_lines = g_strsplit(others->str, "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, g_strv_length(other_lines));
    for (size_t row = 0; lines[row] != NULL; row++) {
      g_assert_cmpstr(lines[row], ==, other_lines[row]);
    }
    g_string_free(text, TRUE);
    g_string_free(others, TRUE);
  }
}

static void test_order_and_repetition(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  rng_t rng = rng_make(7);
  for (int i = 0; i < SHARDS; i++) write_shard(fixture, i, 100 + (uint64_t)i);
  for (int i = 0; i < SHARDS; i++) merge_shard(fixture, fixture->path, i);
  for (int trial = 0; trial < 6; trial++) {
    g_autofree char *path = g_strdup_printf("%s/trial-%d.db", fixture->directory, trial);
    for (int step = 0; step < 12; step++) {
      merge_shard(fixture, path, (int)rng_below(&rng, SHARDS));
      if (step % 5 == 4) merge_shard(fixture, path, step % SHARDS);
    }
    for (int i = SHARDS - 1; i >= 0; i--) merge_shard(fixture, path, i);
    assert_same(fixture, path, fixture->path);
  }
  /* By way of another database. */
  g_autofree char *between = shard_path(fixture, SHARDS);
  merge_shard(fixture, between, 0);
  merge_shard(fixture, between, 1);
  g_autofree char *last = g_strdup_printf("%s/last.db", fixture->directory);
  merge_shard(fixture, last, 1);
  merge_shard(fixture, last, SHARDS);
  for (int i = 0; i < SHARDS; i++) merge_shard(fixture, last, i);
  assert_same(fixture, last, fixture->path);
}

static void test_sums(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  int64_t findings_new = 0;
  for (int i = 0; i < SHARDS; i++) write_shard(fixture, i, 200 + (uint64_t)i);
  for (int i = 0; i < SHARDS; i++) {
    findings_new += merge_shard(fixture, fixture->path, i).findings_new;
  }
  GString *sum = g_string_new("SELECT 0");
  GString *attached = g_string_new(NULL);
  static const char *const counts[] = {
      "SELECT sum(cases) FROM counter",   "SELECT sum(sightings) FROM divergence",
      "SELECT sum(cases) FROM histogram", "SELECT sum(cases) FROM constraint_counter",
      "SELECT sum(cases) FROM pair",      "SELECT coalesce(sum(sightings), 0) FROM profile",
      "SELECT sum(cases) FROM tolerance", "SELECT count(*) FROM run"};
  for (size_t c = 0; c < G_N_ELEMENTS(counts); c++) {
    int64_t expected = 0;
    for (int i = 0; i < SHARDS; i++) {
      g_autofree char *path = shard_path(fixture, i);
      g_string_truncate(sum, 0);
      ASSERT_OK(fixture, store_query(path, counts[c], append_row, sum, &fixture->error));
      expected += g_ascii_strtoll(sum->str, NULL, 10);
    }
    g_string_printf(attached, "%" G_GINT64_FORMAT, expected);
    assert_query(fixture, counts[c], attached->str);
  }
  g_string_printf(attached, "%" G_GINT64_FORMAT, findings_new);
  assert_query(fixture, "SELECT count(*) FROM divergence", attached->str);
  assert_query(fixture, "PRAGMA foreign_key_check", "");
  g_string_free(sum, TRUE);
  g_string_free(attached, TRUE);
}

/* A database is merged while its owner goes on, and again at the end. */
static void test_growing_source(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  g_autofree char *path = shard_path(fixture, 0);
  rng_t rng = rng_make(3);
  store_t *owner = NULL;
  ASSERT_OK(fixture, store_open(path, &owner, &fixture->error));
  int64_t run_id = begin_run(fixture, owner);
  for (int i = 0; i < 5; i++) {
    write_randomly(fixture, owner, run_id, &rng);
    ASSERT_OK(fixture, store_flush(owner, &fixture->error));
    store_merge_report_t report = merge_shard(fixture, fixture->path, 0);
    g_assert_cmpint(report.runs_new, ==, i == 0);
    assert_same(fixture, fixture->path, path);
  }
  ASSERT_OK(fixture, store_end_run(owner, run_id, 1, &fixture->error));
  close_store(fixture, owner);
  store_merge_report_t report = merge_shard(fixture, fixture->path, 0);
  g_assert_cmpint(report.findings_new, ==, 0);
  assert_query(fixture, "SELECT ended IS NOT NULL, exit_code FROM run", "1|1");
}

/* A finding is explained after it was merged: its cause follows. */
static void test_explained_later(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  g_autofree char *path = shard_path(fixture, 0);
  store_t *owner = NULL;
  ASSERT_OK(fixture, store_open(path, &owner, &fixture->error));
  int64_t run_id = begin_run(fixture, owner);
  int64_t executor_id = add_executor(fixture, owner, "one");
  store_divergence_t seen = sample_divergence(run_id, executor_id, "x");
  seen.cause = "";
  seen.cause_words = "";
  store_add_divergence(owner, &seen);
  seen.signature = "y";
  store_add_divergence(owner, &seen);
  ASSERT_OK(fixture, store_flush(owner, &fixture->error));
  merge_shard(fixture, fixture->path, 0);
  assert_query(fixture, "SELECT count(*) FROM divergence WHERE cause <> ''", "0");
  seen.cause = "other-start";
  seen.cause_words = "start indices are taken for zero";
  ASSERT_OK(fixture, store_explain(owner, &seen, &fixture->error));
  close_store(fixture, owner);
  merge_shard(fixture, fixture->path, 0);
  assert_query(fixture, "SELECT signature, cause FROM divergence WHERE cause <> ''",
               "y|other-start");
}

static void change(store_fixture_t *fixture, const char *path, const char *sql) {
  connection_t connection;
  ASSERT_OK(fixture, connection_open(path, CONNECTION_WRITE, &connection, &fixture->error));
  ASSERT_OK(fixture, connection_execute(&connection, sql, &fixture->error));
  connection_close(&connection);
}

static void test_refusals(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  g_autofree char *good = shard_path(fixture, 0);
  write_shard(fixture, 0, 1);
  merge_shard(fixture, fixture->path, 0);
  g_autofree char *before = g_strdup_printf("%s/before.db", fixture->directory);
  merge_shard(fixture, before, 0);
  store_t *store = open_store(fixture);
  store_merge_report_t report;
  g_autofree char *missing = shard_path(fixture, 9);
  ASSERT_FAILS(fixture, store_merge(store, missing, &report, &fixture->error), STATUS_INVALID,
               "there is no database");
  g_assert_false(g_file_test(missing, G_FILE_TEST_EXISTS));
  ASSERT_FAILS(fixture, store_merge(store, fixture->path, &report, &fixture->error), STATUS_INVALID,
               "into itself");
  /* Damaged: pages in the middle are overwritten. */
  g_autofree char *bytes = NULL;
  gsize size = 0;
  g_assert_true(g_file_get_contents(good, &bytes, &size, NULL));
  g_assert_cmpuint(size, >, 40000);
  memset(bytes + 8192, 0x5a, size - 8192 - 4096);
  g_assert_true(g_file_set_contents(missing, bytes, (gssize)size, NULL));
  ASSERT_FAILS(fixture, store_merge(store, missing, &report, &fixture->error), STATUS_INVALID,
               "is damaged");
  /* Cut short, as by a full disk. */
  g_assert_true(g_file_set_contents(missing, bytes, 5000, NULL));
  ASSERT_FAILS(fixture, store_merge(store, missing, &report, &fixture->error), STATUS_INVALID,
               "is damaged");
  g_autofree char *newer = g_strdup_printf("PRAGMA user_version = %d", store_schema().version + 1);
  change(fixture, good, newer);
  ASSERT_FAILS(fixture, store_merge(store, good, &report, &fixture->error), STATUS_INVALID,
               "of a newer Assay");
  close_store(fixture, store);
  assert_same(fixture, fixture->path, before); /* None of this left a trace. */
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/store-merge/order-and-repetition", test_order_and_repetition);
  STORE_TEST("/store-merge/sums", test_sums);
  STORE_TEST("/store-merge/growing-source", test_growing_source);
  STORE_TEST("/store-merge/explained-later", test_explained_later);
  STORE_TEST("/store-merge/refusals", test_refusals);
  return g_test_run();
}
