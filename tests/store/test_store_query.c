/* SPDX-License-Identifier: Apache-2.0 */
/* Queries read, change nothing, and say what is wrong with them. */
#include <math.h>
#include <string.h>

#include "harness/store/reader.h"
#include "tests/store/store_fixture.h"

static void test_kinds_of_values(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  assert_query(fixture,
               "SELECT NULL, 1, -9223372036854775807 - 1, 0.5, 9e999, 'text', '', x'00ff', "
               "char(8364)",
               "NULL|1|-9223372036854775808|0.5|Inf|text||00ff|\xe2\x82\xac");
}

static status_t check_kinds(void *context, int column_count, const char *const *names,
                            const store_value_t *values, failure_t *error) {
  (void)error;
  int *calls = context;
  ++*calls;
  g_assert_cmpint(column_count, ==, 5);
  g_assert_cmpstr(names[0], ==, "whole");
  g_assert_cmpstr(names[4], ==, "bytes");
  if (values == NULL) {
    g_assert_cmpint(*calls, ==, 1); /* The header comes first. */
    return STATUS_OK;
  }
  g_assert_cmpint(values[0].kind, ==, STORE_INTEGER);
  g_assert_cmpint(values[0].integer, ==, 42);
  g_assert_cmpfloat(values[0].real, ==, 42);
  g_assert_cmpint(values[1].kind, ==, STORE_REAL);
  g_assert_true(isinf(values[1].real));
  g_assert_cmpint(values[2].kind, ==, STORE_NULL);
  g_assert_null(values[2].text);
  g_assert_cmpint(values[3].kind, ==, STORE_TEXT);
  g_assert_cmpint(values[4].kind, ==, STORE_TEXT);
  return STATUS_OK;
}

static void test_header_and_kinds(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  int calls = 0;
  ASSERT_OK(fixture, store_query(fixture->path,
                                 "SELECT 42 AS whole, 9e999 AS real, NULL AS none, 't' AS text, "
                                 "x'01' AS bytes UNION ALL SELECT 42, 9e999, NULL, 't', x'02'",
                                 check_kinds, &calls, &fixture->error));
  g_assert_cmpint(calls, ==, 3);
}

static status_t check_numbers(void *context, int column_count, const char *const *names,
                              const store_value_t *values, failure_t *error) {
  (void)column_count, (void)names, (void)error;
  if (values == NULL) return STATUS_OK;
  ++*(int *)context;
  g_assert_cmpint(values[0].integer, ==, 42);
  g_assert_null(values[0].text);
  g_assert_cmpfloat(values[1].real, ==, 0.5);
  g_assert_null(values[1].text);
  g_assert_cmpstr(values[2].text, ==, "a\\x1b");
  return STATUS_OK;
}

/* A pass over many rows has numbers without texts; what is text is made plain all the same. */
static void test_scan(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  store_reader_t *reader = NULL;
  ASSERT_OK(fixture, store_reader_open(fixture->path, NULL, &reader, &fixture->error));
  int rows = 0;
  ASSERT_OK(fixture, store_reader_scan(reader, "SELECT 42, 0.5, 'a' || char(27)", check_numbers,
                                       &rows, &fixture->error));
  g_assert_cmpint(rows, ==, 1);
  store_reader_close(reader);
}

static status_t refuse_row(void *context, int column_count, const char *const *names,
                           const store_value_t *values, failure_t *error) {
  (void)context;
  (void)column_count;
  (void)names;
  if (values == NULL) return STATUS_OK;
  return status_fail(error, STATUS_UNSUPPORTED, "enough");
}

static void test_rows_can_stop_a_query(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  ASSERT_FAILS(fixture, store_query(fixture->path, "SELECT 1", refuse_row, NULL, &fixture->error),
               STATUS_UNSUPPORTED, "enough");
}

/* What must not pass, and a word of the complaint. */
static const struct {
  const char *sql;
  const char *words;
} BAD_QUERIES[] = {
    {"", "no SQL"},
    {"-- only a comment\n", "no SQL"},
    {"SELEKT 1", "syntax error"},
    {"SELECT * FROM nowhere", "no such table: nowhere"},
    {"SELECT 1; SELECT 2", "one statement"},
    {"SELECT 1; DROP TABLE run", "one statement"},
    {"INSERT INTO contract VALUES (1, 'x')", "change nothing"},
    {"DELETE FROM run RETURNING run_id", "change nothing"},
    {"DROP TABLE run", "change nothing"},
    {"PRAGMA journal_mode = DELETE", "change nothing"},
    {"VACUUM", "change nothing"},
    {"VACUUM INTO '/tmp/assay-store-test-vacuum.db'", "change nothing"},
    {"ATTACH '/tmp/assay-store-test-attach.db' AS other", "change nothing"},
    {"BEGIN IMMEDIATE", "change nothing"},
};

static void test_bad_queries(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  begin_run(fixture, store);
  close_store(fixture, store);
  for (size_t i = 0; i < G_N_ELEMENTS(BAD_QUERIES); i++) {
    GString *text = g_string_new(NULL);
    g_test_message("%s", BAD_QUERIES[i].sql);
    ASSERT_FAILS(fixture,
                 store_query(fixture->path, BAD_QUERIES[i].sql, append_row, text, &fixture->error),
                 STATUS_INVALID, BAD_QUERIES[i].words);
    g_assert_cmpstr(text->str, ==, "");
    g_string_free(text, TRUE);
  }
  assert_query(fixture, "SELECT count(*) FROM run", "1");
  g_assert_false(g_file_test("/tmp/assay-store-test-vacuum.db", G_FILE_TEST_EXISTS));
  g_assert_false(g_file_test("/tmp/assay-store-test-attach.db", G_FILE_TEST_EXISTS));
}

static void test_comments_and_semicolons(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  assert_query(fixture, "-- what it is\nSELECT 1; -- and that is all\n", "1");
}

/* Another process writes while we read. */
static void test_reading_beside_a_writer(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  assert_query(fixture, "SELECT count(*) FROM run", "1");
  ASSERT_OK(fixture, store_end_run(store, run_id, 0, &fixture->error));
  assert_query(fixture, "SELECT exit_code FROM run", "0");
  close_store(fixture, store);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/store-query/kinds-of-values", test_kinds_of_values);
  STORE_TEST("/store-query/header-and-kinds", test_header_and_kinds);
  STORE_TEST("/store-query/scan", test_scan);
  STORE_TEST("/store-query/rows-can-stop", test_rows_can_stop_a_query);
  STORE_TEST("/store-query/bad-queries", test_bad_queries);
  STORE_TEST("/store-query/comments", test_comments_and_semicolons);
  STORE_TEST("/store-query/beside-a-writer", test_reading_beside_a_writer);
  return g_test_run();
}
