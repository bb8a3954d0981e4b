/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of the schema: made, brought forward, refused. */
#include <string.h>

#include "harness/store/schema.h"
#include "tests/store/store_fixture.h"

static const char *const MIGRATIONS[] = {
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT); CREATE TABLE a (x INTEGER);",
    "ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 7;",
    "CREATE TABLE b (z INTEGER); INSERT INTO b SELECT x + y FROM a;",
    "CREATE TABLE c (z INTEGER); INSERT INTO nowhere VALUES (1);",
};
static const char VIEWS[] = "DROP VIEW IF EXISTS v; CREATE VIEW v AS SELECT 1 AS one;";
static const char OTHER_VIEWS[] = "DROP VIEW IF EXISTS v; CREATE VIEW v AS SELECT 2 AS two;";

/* Applies the first `version` migrations. */
static status_t apply(store_fixture_t *fixture, int version, const char *views) {
  store_schema_t schema = {.migrations = MIGRATIONS, .version = version, .views = views};
  connection_t connection;
  STATUS_TRY(connection_open(fixture->path, CONNECTION_WRITE, &connection, &fixture->error));
  status_t status = store_schema_apply(&connection, &schema, &fixture->error);
  connection_close(&connection);
  return status;
}

static void change(store_fixture_t *fixture, const char *sql) {
  connection_t connection;
  ASSERT_OK(fixture,
            connection_open(fixture->path, CONNECTION_WRITE, &connection, &fixture->error));
  ASSERT_OK(fixture, connection_execute(&connection, sql, &fixture->error));
  connection_close(&connection);
}

static void test_older_is_migrated(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  ASSERT_OK(fixture, apply(fixture, 1, VIEWS));
  assert_query(fixture, "PRAGMA user_version", "1");
  change(fixture, "INSERT INTO a VALUES (35)");
  ASSERT_OK(fixture, apply(fixture, 3, VIEWS));
  assert_query(fixture, "PRAGMA user_version", "3");
  assert_query(fixture, "SELECT x, y, z FROM a, b", "35|7|42");
  ASSERT_OK(fixture, apply(fixture, 3, VIEWS)); /* Nothing to do. */
  assert_query(fixture, "SELECT count(*) FROM b", "1");
}

static void test_failed_migration_changes_nothing(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  ASSERT_OK(fixture, apply(fixture, 2, VIEWS));
  ASSERT_FAILS(fixture, apply(fixture, 4, VIEWS), STATUS_INVALID, "no such table: nowhere");
  assert_query(fixture, "PRAGMA user_version", "2");
  assert_query(fixture, "SELECT count(*) FROM sqlite_schema WHERE name IN ('b', 'c')", "0");
}

static void test_views_are_renewed(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  ASSERT_OK(fixture, apply(fixture, 1, VIEWS));
  assert_query(fixture, "SELECT one FROM v", "1");
  ASSERT_OK(fixture, apply(fixture, 1, OTHER_VIEWS));
  assert_query(fixture, "SELECT two FROM v", "2");
}

static void test_newer_is_refused(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  close_store(fixture, store);
  g_autofree char *newer = g_strdup_printf("PRAGMA user_version = %d", store_schema().version + 1);
  change(fixture, newer);
  ASSERT_FAILS(fixture, store_open(fixture->path, &store, &fixture->error), STATUS_INVALID,
               "of a newer Assay");
  assert_query(fixture, "SELECT count(*) FROM run", "0"); /* Reading is no harm. */
}

static void test_marks_of_a_database(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  assert_query(fixture, "PRAGMA application_id", "1095975257"); /* "ASAY" */
  g_autofree char *bytes = NULL;
  g_assert_true(g_file_get_contents(fixture->path, &bytes, NULL, NULL));
  g_assert_cmpint(bytes[18], ==, 2); /* Write-ahead log: "Database File Format", 1.3.3. */
  assert_query(fixture,
               "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND "
               "type = 'table' AND name NOT LIKE 'sqlite_%' AND NOT strict",
               "0");
}

/* The built-in CHECKs hold: each of these rows must be refused. */
static void test_checks(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  static const struct {
    const char *sql;
    const char *rule;
  } rows[] = {
      {"INSERT INTO run (run_id, command, seed, contract_id, assay_version, started, ended, "
       "exit_code) VALUES (9, 'c', '-1', 1, 'v', '2026-01-01T00:00:00Z', NULL, NULL)",
       "seed"},
      {"INSERT INTO run (run_id, command, seed, contract_id, assay_version, started, ended, "
       "exit_code) VALUES (9, 'c', '1', 1, 'v', '2026-01-01', NULL, NULL)",
       "started"},
      {"INSERT INTO run (run_id, command, seed, contract_id, assay_version, started, ended, "
       "exit_code) VALUES (9, 'c', '1', 1, 'v', '2026-01-01T00:00:00Z', NULL, 0)",
       "ended"},
      {"INSERT INTO executor VALUES (9, '', '', '')", "name"},
      {"INSERT INTO program VALUES (9, 'abc', 'line')", "length(hash)"},
      {"INSERT INTO counter VALUES (1, 1, 'op', '', '', 'weak', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, "
       "0)",
       "cases"},
      {"INSERT INTO counter VALUES (1, 1, 'op', '', '', 'weak', '', '', 1, -1, 0, 0, 0, 0, 0, 0, "
       "0, 0)",
       "ulp_error"},
      {"INSERT INTO counter VALUES (1, 1, 'op', '', '', '', '', '', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)",
       "outcome"},
      {"INSERT INTO counter VALUES (1, 1, 'op', '', '', 'weak', '', '', 'x', 0, 0, 0, 0, 0, 0, 0, "
       "0, 0)",
       "TEXT"},
      {"INSERT INTO counter VALUES (1, 1, 'op', '', '', 'weak', '', '', 1, 0, 0, 0, 2, 3, 0, 0, 0, "
       "0)",
       "untested"},
      {"INSERT INTO pair VALUES (1, 1, 1, 'op', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0)", "cases > 0"},
      {"INSERT INTO pair VALUES (1, 1, 1, 'op', '', '', 9, 0, 1, 2, -1, 0, 0, 0, 0)", "min("},
      {"INSERT INTO pair VALUES (1, 1, 1, 'op', '', '', 9, 0, 4, 1, 1, 1, 0, 0, 0)", "different ="},
      {"INSERT INTO pair VALUES (1, 1, 1, 'op', '', '', 9, 5, 5, 1, 1, 1, 1, 1, 0)", "<= cases"},
      {"INSERT INTO pair VALUES (1, 1, 1, 'op', '', '', 9, 0, 0, 0, 0, 0, 0, 0, 2)", "are_twins"},
  };
  store_t *store = open_store(fixture);
  begin_run(fixture, store);
  add_executor(fixture, store, "x");
  close_store(fixture, store);
  connection_t connection;
  ASSERT_OK(fixture,
            connection_open(fixture->path, CONNECTION_WRITE, &connection, &fixture->error));
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    ASSERT_FAILS(fixture, connection_execute(&connection, rows[i].sql, &fixture->error),
                 STATUS_INVALID, rows[i].rule);
  }
  connection_close(&connection);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/store-schema/older-is-migrated", test_older_is_migrated);
  STORE_TEST("/store-schema/failed-migration", test_failed_migration_changes_nothing);
  STORE_TEST("/store-schema/views-are-renewed", test_views_are_renewed);
  STORE_TEST("/store-schema/newer-is-refused", test_newer_is_refused);
  STORE_TEST("/store-schema/marks", test_marks_of_a_database);
  STORE_TEST("/store-schema/checks", test_checks);
  return g_test_run();
}
