/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of cases in the database: kept, added up, merged, absorbed, absent from older ones; and
 * what the texts of executors and contracts say, as columns. */
#include <math.h>

#include "harness/store/merge.h"
#include "harness/store/schema.h"
#include "tests/store/store_fixture.h"

static void execute(store_fixture_t *fixture, const char *path, const char *sql) {
  connection_t connection;
  ASSERT_OK(fixture, connection_open(path, CONNECTION_WRITE, &connection, &fixture->error));
  ASSERT_OK(fixture, connection_execute(&connection, sql, &fixture->error));
  connection_close(&connection);
}

/* A finding of version 15 is there after migrating, and nothing is made up about it. */
static void test_older(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  connection_t connection;
  store_schema_t schema = store_schema();
  schema.version = 15;
  schema.views = "";
  ASSERT_OK(fixture,
            connection_open(fixture->path, CONNECTION_WRITE, &connection, &fixture->error));
  ASSERT_OK(fixture, store_schema_apply(&connection, &schema, &fixture->error));
  ASSERT_OK(
      fixture,
      connection_execute(
          &connection,
          "INSERT INTO contract VALUES (1, 'order=any,ftz=none');"
          "INSERT INTO run (run_id, command, seed, contract_id, assay_version, started, uuid) "
          " VALUES (1, 'assay', '1', 1, '0', '2026-01-01T00:00:00Z', 'u');"
          "INSERT INTO executor VALUES (5, 'x', '1', 'a');"
          "INSERT INTO counter (run_id, executor_id, op, algorithm, types, outcome, class, "
          " implementation, cases) VALUES (1, 5, 'op', '', 't', 'diverges', 'value', '', 3);"
          "INSERT INTO divergence (divergence_id, executor_id, signature, op, algorithm, types, "
          " outcome, class, broken_constraint, sightings, first_seen, last_seen, first_run_id, "
          " last_run_id) VALUES (7, 5, 's', 'op', '', 't', 'diverges', 'value', '', 3, "
          " '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', 1, 1);"
          "INSERT INTO program VALUES (1, '0123456789abcdef0123456789abcdef', 'op');"
          "INSERT INTO reproducer (divergence_id, role, program_id, run_id, case_line, case_seed, "
          " regime, implementation, result, component, wrong_count, component_count, got_bits, "
          " got, expected, observed, reason, severity) VALUES "
          " (7, 'worst', 1, 1, 'l', '1', '', '', 0, 0, 1, 2, '0', '0', '1', '', '', 'precision'),"
          " (7, 'shortest', 1, 1, 'l', '1', '', '', 0, 0, 1, 2, '0', '0', '1', '', '', "
          "  'precision'),"
          " (7, 'gravest', 1, 1, 'l', '1', '', '', 0, 0, 1, 2, '0', '0', '1', '', '', "
          "  'precision')",
          &fixture->error));
  connection_close(&connection);
  close_store(fixture, open_store(fixture));
  assert_query(fixture,
               "SELECT id, terms IS NULL, condition IS NULL, special_share IS NULL, "
               "seconds IS NULL, ordinal IS NULL, first_ordinal IS NULL FROM finding",
               "7|1|1|1|1|1|1");
  assert_query(fixture, "SELECT cases, executor_seconds FROM counter", "3|0.0");
  assert_query(fixture, "SELECT processor, architecture, processors IS NULL FROM run", "||1");
  assert_query(fixture, "SELECT count(*) FROM accuracy", "0");
}

static store_accuracy_t sample_accuracy(int64_t run_id, int64_t executor_id) {
  return (store_accuracy_t){.run_id = run_id,
                            .executor_id = executor_id,
                            .op = "op",
                            .outcome = "conforms",
                            .data = "ordinary",
                            .terms_low = 9,
                            .terms_high = 64,
                            .condition_bucket = -1,
                            .condition_low = (double)NAN,
                            .condition_high = (double)NAN,
                            .cases = 2,
                            .elements = 10,
                            .nan_elements = 1,
                            .seconds = 0.5,
                            .ulp_error_cases = 2,
                            .ulp_error_sum = 0.75,
                            .ulp_error_max = 0.5,
                            .condition_max = (double)NAN,
                            .term_magnitude_max = 8};
}

static const char SUMS[] =
    "SELECT cases, elements, nan_elements, seconds, ulp_error_cases, ulp_error_sum, ulp_error_max, "
    "condition_low IS NULL, condition_max, term_magnitude_max FROM accuracy";

/* Sums add up, extremes grow, and what is not known stays so until somebody knows it. */
static void test_added(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  store_accuracy_t accuracy =
      sample_accuracy(begin_run(fixture, store), add_executor(fixture, store, "x"));
  store_add_accuracy(store, &accuracy);
  accuracy.ulp_error_max = 0.25;
  accuracy.condition_max = 3;
  store_add_accuracy(store, &accuracy);
  accuracy.cases = 0; /* Nothing. */
  store_add_accuracy(store, &accuracy);
  close_store(fixture, store);
  assert_query(fixture, SUMS, "4|20|2|1.0|4|1.5|0.5|1|3.0|8.0");
}

/* Merging again changes nothing, and a newer state of the run replaces the older one. */
static void test_merged(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  g_autofree char *source = g_build_filename(fixture->directory, "source.db", NULL);
  store_t *store = NULL;
  ASSERT_OK(fixture, store_open(source, &store, &fixture->error));
  int64_t run_id = begin_run(fixture, store);
  int64_t executor_id = add_executor(fixture, store, "x");
  const store_accuracy_t accuracy = sample_accuracy(run_id, executor_id);
  for (int i = 0; i < 3; i++) {
    store_add_accuracy(store, &accuracy);
    if (i == 0) continue;
    ASSERT_OK(fixture, store_flush(store, &fixture->error));
    store_merge_report_t report;
    store_t *target = open_store(fixture);
    ASSERT_OK(fixture, store_merge(target, source, &report, &fixture->error));
    ASSERT_OK(fixture, store_merge(target, source, &report, &fixture->error));
    close_store(fixture, target);
    assert_query(fixture, SUMS,
                 i == 1 ? "4|20|2|1.0|4|1.5|0.5|1|NULL|8.0" : "6|30|3|1.5|6|2.25|0.5|1|NULL|8.0");
  }
  close_store(fixture, store);
  assert_query(fixture, "SELECT architecture <> '', processors > 0 FROM run", "1|1");
}

/* The first case goes with who saw the finding first, in whatever order databases are merged. */
static void test_first_ordinal(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  g_autofree char *source = g_build_filename(fixture->directory, "source.db", NULL);
  for (int i = 0; i < 2; i++) {
    store_t *store = NULL;
    ASSERT_OK(fixture, store_open(i == 0 ? fixture->path : source, &store, &fixture->error));
    store_divergence_t finding =
        sample_divergence(begin_run(fixture, store), add_executor(fixture, store, "x"), "s");
    finding.ordinal = finding.first_ordinal = i == 0 ? 500 : 7;
    finding.terms = i == 0 ? 64 : 2;
    finding.slack = i == 0 ? 1 : 2;
    store_add_divergence(store, &finding);
    finding.ordinal = finding.first_ordinal = 900; /* Seen again. */
    store_add_divergence(store, &finding);
    close_store(fixture, store);
  }
  execute(fixture, source,
          "UPDATE run SET started = '2020-01-01T00:00:00Z';"
          "UPDATE divergence SET first_seen = '2020-01-01T00:00:00Z';");
  assert_query(fixture, "SELECT first_ordinal, terms FROM finding", "500|64");
  store_merge_report_t report;
  store_t *store = open_store(fixture);
  ASSERT_OK(fixture, store_merge(store, source, &report, &fixture->error));
  close_store(fixture, store);
  assert_query(fixture, "SELECT first_ordinal, terms, sightings FROM finding", "7|2|4");
}

/* Names, versions and hardware as backends of today write them, and what they say. */
static void test_executor_parts(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  static const struct {
    store_executor_t executor;
    const char *parts;
  } rows[] = {
      {{"onednn", "onednn 2.6.3", "AVX512_CORE_BF16"}, "onednn|||2.6.3|2|6|3|AVX512_CORE_BF16||"},
      {{"onednn@3.5?isa=AVX2", "onednn 3.5", "AVX2 [DNNL_MAX_CPU_ISA=AVX2]"},
       "onednn|3.5|isa=AVX2|3.5|3|5|NULL|AVX2||DNNL_MAX_CPU_ISA=AVX2"},
      {{"openblas", "openblas OpenBLAS 0.3.21 NO_LAPACKE MAX_THREADS=64", "Cooperlake"},
       "openblas|||0.3.21|0|3|21|Cooperlake||"},
      {{"jax", "0.7.1, jaxlib 0.7.0", "cpu, A Model (R) 9"},
       "jax|||0.7.1|0|7|1|cpu|A Model (R) 9|"},
      {{"numpy", "2.1.0", "A Model (R) 9"}, "numpy|||2.1.0|2|1|0||A Model (R) 9|"},
      {{"proc:./w a@b?", "?", ""}, "proc:./w a@b||||NULL|NULL|NULL|||"},
      {{"model:pairwise", "model:pairwise 1", "simulated"},
       "model:pairwise|||1|1|NULL|NULL|simulated||"},
  };
  store_t *store = open_store(fixture);
  begin_run(fixture, store);
  close_store(fixture, store);
  execute(fixture, fixture->path, "UPDATE run SET processor = 'A Model (R) 9'");
  store = open_store(fixture);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    int64_t id = 0;
    ASSERT_OK(fixture, store_add_executor(store, &rows[i].executor, &id, &fixture->error));
    g_autofree char *sql = g_strdup_printf(
        "SELECT backend, asked_release, options, version_number, version_major, version_minor, "
        "version_patch, kernels, processor, variables FROM executor_part WHERE executor_id = %d",
        (int)id);
    assert_query(fixture, sql, rows[i].parts);
  }
  close_store(fixture, store);
}

static void test_permissions(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  const store_run_t run = {.contract = "order=in-order,init_count=any,ftz=none"};
  int64_t run_id = 0;
  ASSERT_OK(fixture, store_begin_run(store, &run, &run_id, &fixture->error));
  begin_run(fixture, store);
  close_store(fixture, store);
  assert_query(fixture,
               "SELECT group_concat(contract_id || place || permission || '=' || value, ' ') "
               "FROM (SELECT * FROM contract_permission ORDER BY contract_id, place)",
               "11order=in-order 12init_count=any 13ftz=none 21order=any");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/store/figures/older", test_older);
  STORE_TEST("/store/figures/added", test_added);
  STORE_TEST("/store/figures/merged", test_merged);
  STORE_TEST("/store/figures/first-ordinal", test_first_ordinal);
  STORE_TEST("/store/figures/executor-parts", test_executor_parts);
  STORE_TEST("/store/figures/permissions", test_permissions);
  return g_test_run();
}
