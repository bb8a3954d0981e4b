/* SPDX-License-Identifier: Apache-2.0 */
/* What goes into the store is found there: runs, executors, counters, findings. */
#include <math.h>
#include <string.h>

#include "tests/store/store_fixture.h"

static void test_run_round_trip(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t first = begin_run(fixture, store);
  int64_t second = begin_run(fixture, store);
  g_assert_cmpint(first, !=, second);
  ASSERT_OK(fixture, store_end_run(store, second, 1, &fixture->error));
  close_store(fixture, store);

  assert_query(
      fixture,
      "SELECT run_id, command, seed, permissions, assay_version, ended IS NULL, exit_code "
      "FROM run JOIN contract USING (contract_id) ORDER BY run_id",
      "1|assay run --seed 18446744073709551615|18446744073709551615|order=any|0.1.0|1|NULL\n"
      "2|assay run --seed 18446744073709551615|18446744073709551615|order=any|0.1.0|0|1");
  assert_query(fixture, "SELECT count(*) FROM contract", "1");
  /* Times are UTC, and are now. */
  assert_query(fixture,
               "SELECT count(*) FROM run "
               "WHERE abs(julianday(started) - julianday('now')) * 86400 < 60 AND ended >= started",
               "1");
}

static void test_executor_is_found_again(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t openblas = add_executor(fixture, store, "openblas");
  int64_t onednn = add_executor(fixture, store, "onednn");
  g_assert_cmpint(openblas, !=, onednn);
  g_assert_cmpint(openblas, ==, add_executor(fixture, store, "openblas"));

  store_executor_t newer = {.name = "openblas", .version = "1.3", .hardware = "avx512"};
  int64_t newer_id = -1;
  ASSERT_OK(fixture, store_add_executor(store, &newer, &newer_id, &fixture->error));
  g_assert_cmpint(newer_id, !=, openblas);
  close_store(fixture, store);

  store = open_store(fixture);
  g_assert_cmpint(onednn, ==, add_executor(fixture, store, "onednn"));
  close_store(fixture, store);
  assert_query(fixture, "SELECT executor FROM executor_label ORDER BY executor",
               "onednn\nopenblas #1\nopenblas #3");
}

static void test_counters_add_up(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  store_counter_t counter = sample_counter(run_id, add_executor(fixture, store, "x"));
  store_count(store, &counter);
  counter.cases = 10;
  counter.ulp_error_max = 7;
  counter.slack_max = 0.125;
  store_count(store, &counter);
  /* Once more after a commit: SQL has to do the same. */
  ASSERT_OK(fixture, store_end_run(store, run_id, 0, &fixture->error));
  counter.cases = 100;
  counter.ulp_error_max = 6;
  counter.slack_max = 0.75;
  store_count(store, &counter);
  counter.outcome = "refused";
  store_count(store, &counter);
  counter.cases = 0; /* Adds nothing, not even a row. */
  counter.types = "f64,f64->f64";
  store_count(store, &counter);
  close_store(fixture, store);
  assert_query(fixture, "SELECT outcome, cases, ulp_error_max, slack_max FROM counter ORDER BY 1",
               "conforms|111|7.0|0.75\nrefused|100|6.0|0.75");
  assert_query(fixture, "SELECT cases, conforms, diverges, refused, weak FROM tally",
               "211|111|NULL|100|NULL");
}

/* Every field of a counter's key tells counters apart. */
static void test_counter_key(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  int64_t executor_id = add_executor(fixture, store, "x");
  store_counter_t same = sample_counter(run_id, executor_id);
  store_counter_t variants[8] = {same, same, same, same, same, same, same, same};
  variants[0].run_id = begin_run(fixture, store);
  variants[1].executor_id = add_executor(fixture, store, "y");
  variants[2].op = "stablehlo.dot_general";
  variants[3].algorithm = "maximum";
  variants[4].types = "f64,f64->f64";
  variants[5].outcome = "diverges";
  variants[6].class = "value";
  variants[7].implementation = "jit:avx512";
  for (int twice = 0; twice < 2; twice++) {
    store_count(store, &same);
    for (size_t i = 0; i < G_N_ELEMENTS(variants); i++) {
      store_count(store, &variants[i]);
    }
    ASSERT_OK(fixture, store_end_run(store, run_id, 0, &fixture->error));
  }
  close_store(fixture, store);
  assert_query(fixture, "SELECT count(*), min(cases), max(cases) FROM counter", "9|2|2");
}

static void test_divergence_round_trip(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  store_divergence_t divergence =
      sample_divergence(run_id, add_executor(fixture, store, "x"), "s1");
  divergence.broken_constraint = "C7";
  divergence.observed = "init_count=2";
  divergence.reason = "because \"of\" | this\n";
  store_add_divergence(store, &divergence);
  close_store(fixture, store);
  assert_query(fixture,
               "SELECT signature, executor, op, algorithm, types, outcome, class, "
               "broken_constraint, sightings, first_run_id, last_run_id FROM finding",
               "s1|x|stablehlo.reduce|add|f32,f32->f32|diverges|value|C7|1|1|1");
  assert_query(
      fixture,
      "SELECT regime, implementation, program_line, case_line, case_seed, result, "
      "component, wrong_count, component_count, got_bits, got, expected, observed, reason, "
      "ulp_error, slack, backward_error FROM finding",
      "cancellation|jit:avx2|stablehlo.reduce body=add f32[2] f32[] -> f32[]|"
      "stablehlo.reduce body=add f32[2] f32[] -> f32[] : 00 : 0|18446744073709551615|0|3|2|"
      "4|3f800000|0x1p+0|0x1.8p+0 .. 0x1.9p+0|init_count=2|because \"of\" | this\n|12.0|"
      "1.5|3.0");
  assert_query(fixture, "SELECT role FROM reproducer ORDER BY role", "gravest\nshortest\nworst");
}

/* A sighting, and what is then kept: named by their case lines. */
typedef struct occurrence {
  const char *case_line;
  double slack;
  double ulp_error;
  const char *expected_worst;
  const char *expected_shortest;
} occurrence_t;

static const occurrence_t SIGHTINGS[] = {
    {"bbbb", 2, 8, "bbbb", "bbbb"},
    {"cccc", 2, 8, "bbbb", "bbbb"},      /* Equal: the first is kept. */
    {"dddddd", 2, 9, "dddddd", "bbbb"},  /* The slack is equal, the ulp error decides. */
    {"eeeee", 2.25, 1, "eeeee", "bbbb"}, /* The slack comes first. */
    {"f", 0.5, 100, "eeeee", "f"},       /* Shorter, not worse. */
    {"gg", NAN, INFINITY, "eeeee", "f"}, /* Not measured is least. */
    {"hhh", INFINITY, 1, "hhh", "f"},    /* Infinity is most ... */
    {"iii", INFINITY, 1, "hhh", "f"},    /* ... and equal to itself. */
    {"jjj", INFINITY, INFINITY, "jjj", "f"},
};

/* With a commit after each sighting (SQL decides), or with one at the end (memory decides). */
static void check_kept_cases(store_fixture_t *fixture, bool commit_each) {
  store_t *store = open_store(fixture);
  int64_t executor_id = add_executor(fixture, store, "x");
  for (size_t count = 1; count <= G_N_ELEMENTS(SIGHTINGS); count++) {
    g_autofree char *signature = g_strdup_printf("s%zu", count);
    int64_t run_id = begin_run(fixture, store);
    for (size_t i = 0; i < count; i++) {
      store_divergence_t divergence = sample_divergence(run_id, executor_id, signature);
      divergence.case_line = SIGHTINGS[i].case_line;
      divergence.program_line = SIGHTINGS[i].case_line;
      divergence.slack = SIGHTINGS[i].slack;
      divergence.ulp_error = SIGHTINGS[i].ulp_error;
      store_add_divergence(store, &divergence);
      if (commit_each) ASSERT_OK(fixture, store_end_run(store, run_id, 0, &fixture->error));
    }
  }
  close_store(fixture, store);
  for (size_t count = 1; count <= G_N_ELEMENTS(SIGHTINGS); count++) {
    const occurrence_t *last = &SIGHTINGS[count - 1];
    g_autofree char *sql = g_strdup_printf(
        "SELECT sightings, case_line, program_line, shortest_case_line FROM finding "
        "WHERE signature = 's%zu'",
        count);
    g_autofree char *expected = g_strdup_printf("%zu|%s|%s|%s", count, last->expected_worst,
                                                last->expected_worst, last->expected_shortest);
    assert_query(fixture, sql, expected);
  }
}

static void test_kept_in_memory(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  check_kept_cases(fixture, false);
}

static void test_kept_in_sql(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  check_kept_cases(fixture, true);
}

/* The cells of a finding are those of its first case, whenever what came until then is written. */
static void check_features(store_fixture_t *fixture, bool flushes_between) {
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  store_divergence_t divergence =
      sample_divergence(run_id, add_executor(fixture, store, "x"), "s1");
  divergence.cause = "term-left-out";
  divergence.pattern = "all";
  store_add_divergence(store, &divergence);
  if (flushes_between) ASSERT_OK(fixture, store_flush(store, &fixture->error));
  divergence.class = "nan";
  divergence.pattern = "most";
  divergence.slack = 1e9;
  divergence.case_line = "x";
  store_add_divergence(store, &divergence);
  close_store(fixture, store);
  assert_query(fixture, "SELECT class, pattern FROM divergence", "value|all");
}

static void test_features_in_memory(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  check_features(fixture, false);
}

static void test_features_in_sql(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  check_features(fixture, true);
}

static void test_findings_are_known_again(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  for (int session = 0; session < 3; session++) {
    store_t *store = open_store(fixture);
    int64_t run_id = begin_run(fixture, store);
    int64_t x = add_executor(fixture, store, "x");
    store_divergence_t divergence = sample_divergence(run_id, x, "s1");
    store_add_divergence(store, &divergence);
    store_add_divergence(store, &divergence);
    divergence.executor_id = add_executor(fixture, store, "y");
    store_add_divergence(store, &divergence); /* New to this executor. */
    close_store(fixture, store);
  }
  assert_query(fixture,
               "SELECT executor, sightings, first_run_id, last_run_id, last_seen >= first_seen "
               "FROM finding ORDER BY 1",
               "x|6|1|3|1\ny|3|1|3|1");
}

/* REAL columns hold measures; what cannot be measured is NULL, and infinity is itself. */
static void test_special_measures(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  static const struct {
    double first;
    double second;
    const char *expected;
  } rows[] = {
      {NAN, NAN, "NULL"},   {NAN, 2, "2.0"},
      {2, NAN, "2.0"},      {INFINITY, 2, "Inf"},
      {2, INFINITY, "Inf"}, {NAN, INFINITY, "Inf"},
      {-0.0, -0.0, "0.0"},  {0x1p-1074, 0, "4.94065645841247e-324"},
  };
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  int64_t executor_id = add_executor(fixture, store, "x");
  for (int committed = 0; committed < 2; committed++) {
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
      g_autofree char *types = g_strdup_printf("%d.%zu", committed, i);
      store_counter_t counter = sample_counter(run_id, executor_id);
      counter.types = types;
      counter.ulp_error_max = rows[i].first;
      store_count(store, &counter);
      if (committed) ASSERT_OK(fixture, store_end_run(store, run_id, 0, &fixture->error));
      counter.ulp_error_max = rows[i].second;
      store_count(store, &counter);
    }
  }
  close_store(fixture, store);
  for (int committed = 0; committed < 2; committed++) {
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
      g_autofree char *sql =
          g_strdup_printf("SELECT ulp_error_max FROM counter WHERE types = '%d.%zu'", committed, i);
      assert_query(fixture, sql, rows[i].expected);
    }
  }
}

/* -0 and NaN keep their bits where bits matter. */
static void test_exact_values_are_text(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  store_divergence_t divergence =
      sample_divergence(begin_run(fixture, store), add_executor(fixture, store, "x"), "s1");
  divergence.got_bits = "80000000";
  divergence.got = "-0x0p+0";
  divergence.expected = "NaN";
  divergence.ulp_error = NAN;
  divergence.slack = INFINITY;
  store_add_divergence(store, &divergence);
  close_store(fixture, store);
  assert_query(fixture, "SELECT got_bits, got, expected, ulp_error, slack FROM finding",
               "80000000|-0x0p+0|NaN|NULL|Inf");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/store/run-round-trip", test_run_round_trip);
  STORE_TEST("/store/executor-is-found-again", test_executor_is_found_again);
  STORE_TEST("/store/counters-add-up", test_counters_add_up);
  STORE_TEST("/store/counter-key", test_counter_key);
  STORE_TEST("/store/divergence-round-trip", test_divergence_round_trip);
  STORE_TEST("/store/kept-in-memory", test_kept_in_memory);
  STORE_TEST("/store/kept-in-sql", test_kept_in_sql);
  STORE_TEST("/store/features_in_memory", test_features_in_memory);
  STORE_TEST("/store/features_in_sql", test_features_in_sql);
  STORE_TEST("/store/findings-are-known-again", test_findings_are_known_again);
  STORE_TEST("/store/special-measures", test_special_measures);
  STORE_TEST("/store/exact-values-are-text", test_exact_values_are_text);
  return g_test_run();
}
