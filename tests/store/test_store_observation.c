/* SPDX-License-Identifier: Apache-2.0 */
/* What was asked for and observed, in the database: counts add up, in memory and in SQL, each key
 * is its own, and databases that are older get the table. */
#include "harness/store/schema.h"
#include "tests/store/store_observation_sample.h"

static void test_counts_add_up(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  store_observation_t observation = sample_observation(run_id, add_executor(fixture, store, "x"));
  store_add_observation(store, &observation);
  store_add_observation(store, &observation);
  ASSERT_OK(fixture, store_end_run(store, run_id, 0, &fixture->error));
  assert_query(fixture, "SELECT algorithm, types, observed, cases FROM observation",
               "BF16_BF16_F32|f32,f32->f32|BF16_BF16_F32|F32_F32_F32|60");
  store_add_observation(store, &observation); /* Now SQL has to add. */
  store_observation_t none = observation;
  none.types = "none";
  none.cases = 0;
  store_add_observation(store, &none); /* Not even a row. */
  close_store(fixture, store);
  assert_query(fixture, "SELECT count(*), sum(cases) FROM observation", "1|90");
}

static void test_keys(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  const store_observation_t same = sample_observation(run_id, add_executor(fixture, store, "x"));
  store_observation_t variants[6] = {same, same, same, same, same, same};
  variants[0].run_id = begin_run(fixture, store);
  variants[1].executor_id = add_executor(fixture, store, "y");
  variants[2].op = "stablehlo.convolution";
  variants[3].algorithm = "F32_F32_F32";
  variants[4].types = "f64,f64->f64";
  variants[5].observed = ""; /* None of them. */
  for (int twice = 0; twice < 2; twice++) {
    store_add_observation(store, &same);
    for (size_t i = 0; i < G_N_ELEMENTS(variants); i++) {
      store_add_observation(store, &variants[i]);
    }
    ASSERT_OK(fixture, store_end_run(store, run_id, 0, &fixture->error));
  }
  close_store(fixture, store);
  assert_query(fixture, "SELECT count(*), min(cases), max(cases) FROM observation", "7|60|60");
}

/* What breaks a rule of the table is refused together with all that came with it. */
static void test_refused(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  store_observation_t observation = sample_observation(run_id, add_executor(fixture, store, "x"));
  store_observation_t nothing_asked = observation;
  nothing_asked.algorithm = "";
  store_add_observation(store, &observation);
  store_add_observation(store, &nothing_asked);
  ASSERT_FAILS(fixture, store_close(store, &fixture->error), STATUS_INVALID, "algorithm");
  assert_query(fixture, "SELECT count(*) FROM observation", "0");
}

/* A database of version 1 keeps what is in it. */
static void test_older_database(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_schema_t schema = store_schema();
  schema.version = 1;
  schema.views = "";
  connection_t connection;
  ASSERT_OK(fixture,
            connection_open(fixture->path, CONNECTION_WRITE, &connection, &fixture->error));
  ASSERT_OK(fixture, store_schema_apply(&connection, &schema, &fixture->error));
  ASSERT_OK(fixture,
            connection_execute(&connection, "INSERT INTO executor VALUES (5, 'old', '1', 'avx2')",
                               &fixture->error));
  connection_close(&connection);
  assert_query(fixture, "SELECT count(*) FROM sqlite_schema WHERE name = 'observation'", "0");
  store_t *store = open_store(fixture);
  store_observation_t observation = sample_observation(begin_run(fixture, store), 5);
  store_add_observation(store, &observation);
  close_store(fixture, store);
  assert_query(fixture, "SELECT name, cases FROM observation JOIN executor USING (executor_id)",
               "old|30");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/store-observation/counts-add-up", test_counts_add_up);
  STORE_TEST("/store-observation/keys", test_keys);
  STORE_TEST("/store-observation/refused", test_refused);
  STORE_TEST("/store-observation/older-database", test_older_database);
  return g_test_run();
}
