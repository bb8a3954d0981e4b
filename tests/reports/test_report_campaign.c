/* SPDX-License-Identifier: Apache-2.0 */
/* One campaign seen alone, and what the comments of the schema say, for Datasette. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "harness/store/reader.h"
#include "harness/store/schema.h"
#include "reports/datasette.h"
#include "reports/overview/report_overview.h"
#include "reports/query_table.h"
#include "reports/report.h"
#include "tests/reports/report_sample.h"

static void assert_answer(store_fixture_t *fixture, const char *campaign, const char *sql,
                          const char *expected) {
  char *written = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&written, &size);
  ASSERT_OK(fixture, report_query(&(report_source_t){.path = fixture->path, .campaign = campaign},
                                  sql, REPORT_CSV, NULL, out, &fixture->error));
  g_assert_cmpint(fclose(out), ==, 0);
  const char *rows = strchr(written, '\n') + 1; /* Behind the names. */
  g_assert_cmpstr(rows, ==, expected);
  free(written);
}

/* Night 1 is run 1, seen again by run 3; night 2 is run 2. */
static void fill_nights(store_fixture_t *fixture) {
  fill_sample(fixture);
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  int64_t onednn = add_executor(fixture, store, "onednn");
  store_counter_t counter = sample_counter(run_id, onednn);
  count(store, counter, "conforms", "", 7);
  store_divergence_t again = sample_divergence(run_id, onednn, "s1");
  store_add_divergence(store, &again);
  close_store(fixture, store);
  change_database(fixture,
                  "UPDATE run SET started = '2026-01-0' || run_id || 'T00:00:00Z';"
                  "UPDATE run SET campaign = 'night''s 1' WHERE run_id IN (1, 3);"
                  "UPDATE run SET campaign = 'night 2' WHERE run_id = 2");
}

static void test_one_campaign(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill_nights(fixture);
  static const char totals[] = "SELECT sum(cases) FROM tally";
  assert_answer(fixture, NULL, totals, "127\r\n");
  assert_answer(fixture, "night's 1", totals, "127\r\n");
  assert_answer(fixture, "night 2", totals, "\r\n");
  static const char findings[] =
      "SELECT group_concat(id || ':' || sightings) FROM (SELECT * FROM finding ORDER BY id)";
  assert_answer(fixture, NULL, findings, "\"1:7,2:4,3:2,4:1\"\r\n");
  assert_answer(fixture, "night's 1", findings, "\"1:7,2:4,3:2\"\r\n");
  assert_answer(fixture, "night 2", findings, "4:1\r\n");
  static const char executors[] = "SELECT group_concat(executor) FROM executor_label";
  assert_answer(fixture, "night 2", executors, "openblas\r\n");
  static const char fresh[] =
      "SELECT group_concat(new_findings) FROM (SELECT * FROM campaign ORDER BY number)";
  assert_answer(fixture, NULL, fresh, "\"3,1\"\r\n");
  assert_answer(fixture, "night 2", fresh, "1\r\n");
  assert_answer(fixture, "night 2", "SELECT count(*) FROM main.divergence", "4\r\n");
}

/* What a campaign sees again was found by another, and belongs to both. */
static void test_seen_again(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill_nights(fixture);
  change_database(fixture, "UPDATE run SET campaign = 'night 3' WHERE run_id = 3");
  static const char findings[] =
      "SELECT group_concat(id || ':' || sightings || ' of ' || first_campaign) FROM finding";
  assert_answer(fixture, "night 3", findings, "1:1 of night's 1\r\n");
  assert_answer(fixture, "night 3", "SELECT findings || ' ' || new_findings FROM campaign",
                "1 0\r\n");
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  const report_source_t source = {.path = fixture->path, .campaign = "night 3"};
  ASSERT_OK(fixture, report_write_overview(&source, OVERVIEW_TEXT, out, &fixture->error));
  g_assert_cmpint(fclose(out), ==, 0);
  g_assert_nonnull(strstr(text, "night 3 found no new root cause.\n1 root cause is known from"));
  free(text);
}

static void test_every_query_of_one_campaign(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill_nights(fixture);
  FILE *nowhere = fopen("/dev/null", "w");
  for (const named_query_t *query = query_table(); query->name != NULL; query++) {
    ASSERT_OK(fixture,
              report_query(&(report_source_t){.path = fixture->path, .campaign = "night's 1"},
                           query->sql, REPORT_CSV, NULL, nowhere, &fixture->error));
  }
  fclose(nowhere);
}

/* A run without a campaign is one by its number. */
static void test_single_run(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill_sample(fixture);
  assert_answer(fixture, "run 1", "SELECT sum(cases) FROM tally", "120\r\n");
  assert_answer(fixture, "run 2", "SELECT id FROM finding", "4\r\n");
}

static void test_no_such_campaign(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill_nights(fixture);
  store_reader_t *reader = NULL;
  ASSERT_FAILS(fixture, store_reader_open(fixture->path, "night 3", &reader, &fixture->error),
               STATUS_INVALID, "it has night 2, night's 1");
  ASSERT_FAILS(fixture, store_reader_open(fixture->path, "run 1", &reader, &fixture->error),
               STATUS_INVALID, "no campaign \"run 1\"");
}

static status_t take_text(void *context, int column_count, const char *const *names,
                          const store_value_t *values, failure_t *error) {
  (void)column_count;
  (void)names;
  (void)error;
  if (values != NULL) g_string_append_printf(context, "%s;", values[0].text);
  return STATUS_OK;
}

/* All questions to a reader are answered from one state, while others write. */
static void test_one_state(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill_sample(fixture);
  store_reader_t *reader = NULL;
  ASSERT_OK(fixture, store_reader_open(fixture->path, NULL, &reader, &fixture->error));
  GString *counts = g_string_new(NULL);
  static const char sql[] = "SELECT count(*) FROM run";
  ASSERT_OK(fixture, store_reader_query(reader, sql, take_text, counts, &fixture->error));
  store_t *store = open_store(fixture);
  begin_run(fixture, store);
  close_store(fixture, store);
  ASSERT_OK(fixture, store_reader_query(reader, sql, take_text, counts, &fixture->error));
  store_reader_close(reader);
  ASSERT_OK(fixture, store_reader_open(fixture->path, NULL, &reader, &fixture->error));
  ASSERT_OK(fixture, store_reader_query(reader, sql, take_text, counts, &fixture->error));
  store_reader_close(reader);
  g_assert_cmpstr(counts->str, ==, "2;2;3;");
  g_string_free(counts, TRUE);
}

static json_t *read_datasette(const char *path) {
  char *written = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&written, &size);
  datasette_write(path, out);
  fclose(out);
  json_error_t error;
  json_t *document = json_loads(written, 0, &error);
  if (document == NULL) g_error("%s: %s", error.text, written);
  free(written);
  return document;
}

static const char *described(json_t *database, const char *table, const char *column) {
  json_t *row = json_object_get(json_object_get(database, "tables"), table);
  if (column == NULL) return json_string_value(json_object_get(row, "description"));
  return json_string_value(json_object_get(json_object_get(row, "columns"), column));
}

/* Every table and view of a database is described, and what is described is there. */
static void test_datasette(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  json_t *document = read_datasette("some/where/night.db");
  json_t *database = json_object_get(json_object_get(document, "databases"), "night");
  GString *names = g_string_new(NULL);
  ASSERT_OK(fixture,
            store_query(fixture->path,
                        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND "
                        "name NOT LIKE 'sqlite_%'",
                        take_text, names, &fixture->error));
  g_auto(GStrv) tables = g_strsplit(names->str, ";", -1);
  for (char **table = tables; (*table)[0] != '\0'; table++) {
    g_test_message("%s: %s", *table, described(database, *table, NULL));
    g_assert_nonnull(described(database, *table, NULL));
    g_assert_nonnull(strchr(described(database, *table, NULL), ' '));
  }
  static const struct {
    const char *table;
    const char *column;
    const char *words;
  } rows[] = {
      {"counter", "types", "element types: \"f32,f32->f32\""},
      {"counter", "op", "\"stablehlo.reduce\""},
      {"run", "exit_code", "of the program; NULL like `ended`"},
      {"run", "campaign", "what it is a part of, as named by assay campaign --name"},
      {"run", "oracle_seconds", "where its time went, so far"},
      {"reproducer", "got_bits", "hex bits of the worst element"},
      {"reproducer", NULL, "The cases that are kept of a finding."},
      {"profile", "rule", "gives the trees of the other lengths; '' if none is known, and then"},
      {"observation", "kind", "algorithm: a set of dot algorithms"},
      {"divergence", "cause", "what explains the wrong elements"},
      {"percentile", NULL, "How large errors are"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const char *text = described(database, rows[i].table, rows[i].column);
    g_test_message("%s.%s: %s", rows[i].table, rows[i].column, text);
    g_assert_nonnull(text);
    g_assert_nonnull(strstr(text, rows[i].words));
  }
  for (const named_query_t *query = query_table(); query->name != NULL; query++) {
    json_t *row = json_object_get(json_object_get(database, "queries"), query->name);
    g_assert_cmpstr(json_string_value(json_object_get(row, "sql")), ==, query->sql);
  }
  g_string_free(names, TRUE);
  json_decref(document);
}

/* What a description says must be about a column that is there. */
static void test_described_columns_exist(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  json_t *document = read_datasette(NULL);
  json_t *database = json_object_get(json_object_get(document, "databases"), "campaign");
  const char *table;
  json_t *row;
  json_object_foreach(json_object_get(database, "tables"), table, row) {
    const char *column;
    json_t *text;
    json_object_foreach(json_object_get(row, "columns"), column, text) {
      g_autofree char *sql =
          g_strdup_printf("SELECT \"%s\".\"%s\" FROM \"%s\" LIMIT 0", table, column, table);
      assert_query(fixture, sql, "");
    }
  }
  json_decref(document);
}

/* Every column of every table and view is described, in more than its name. */
static void test_all_columns_described(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  g_autoptr(GPtrArray) columns = g_ptr_array_new_with_free_func(g_free);
  ASSERT_OK(fixture, store_schema_columns(columns, &fixture->error));
  json_t *document = read_datasette(NULL);
  json_t *database = json_object_get(json_object_get(document, "databases"), "campaign");
  g_autoptr(GString) missing = g_string_new(NULL);
  for (guint i = 0; i < columns->len; i++) {
    const char *column = g_ptr_array_index(columns, i);
    g_auto(GStrv) names = g_strsplit(column, ".", 2);
    const char *text = described(database, names[0], names[1]);
    if (text == NULL || strlen(text) < 4) g_string_append_printf(missing, " %s", column);
  }
  g_assert_cmpuint(columns->len, >, 300);
  if (missing->len > 0) g_error("columns that nothing describes:%s", missing->str);
  json_decref(document);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/campaign/one", test_one_campaign);
  STORE_TEST("/campaign/seen-again", test_seen_again);
  STORE_TEST("/campaign/every-query", test_every_query_of_one_campaign);
  STORE_TEST("/campaign/single-run", test_single_run);
  STORE_TEST("/campaign/no-such", test_no_such_campaign);
  STORE_TEST("/campaign/one-state", test_one_state);
  STORE_TEST("/datasette/tables-and-queries", test_datasette);
  STORE_TEST("/datasette/columns-exist", test_described_columns_exist);
  STORE_TEST("/datasette/all-columns", test_all_columns_described);
  return g_test_run();
}
