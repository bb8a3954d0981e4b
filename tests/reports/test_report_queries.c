/* SPDX-License-Identifier: Apache-2.0 */
/* Every embedded query, on an empty database and on a filled one, and in the sqlite3 shell. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/store/schema.h"
#include "reports/query_table.h"
#include "reports/report.h"
#include "reports/report_grid.h"
#include "tests/reports/report_sample.h"

static char *run_report(store_fixture_t *fixture, const char *sql, report_format_t format) {
  char *written = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&written, &size);
  ASSERT_OK(fixture, report_query(&(report_source_t){.path = fixture->path}, sql, format, NULL, out,
                                  &fixture->error));
  g_assert_cmpint(fclose(out), ==, 0);
  return written;
}

/* What each query says of the filled database: some text of its table, and its number of rows. */
static const struct {
  const char *query;
  const char *expected;
  size_t rows;
} EXPECTATIONS[] = {
    {"bits", "f32,f32->f32      1         1         0        0", 2},
    {"blunter", "f32,f32->f32           9          2.378   4.757      2", 1},
    {"by-algorithm", "stablehlo.dot_general  default    openblas     20        10         0", 2},
    {"by-op", "stablehlo.reduce       onednn      100        90         6       4", 2},
    {"by-type", "stablehlo.reduce  f32,f32->f32  onednn      100     10       10         2", 1},
    {"campaigns", "    1    120     10         3             3       20        6", 2},
    {"candidates", "f32,f32->f32  F32_F32_F32          90       100          90", 4},
    {"causes", "without-last-term  value       stablehlo.reduce         1    0          6", 4},
    {"classes", "value       onednn           1          6        1.5       12", 4},
    {"constraints", "C10         accepted         3         2         1        0  onednn", 3},
    {"contracts", "       1     2         2  order=any", 1},
    {"coverage", "stablehlo.dot_general  default    f32,f32->f32     20        10      0", 2},
    {"error-by-condition",
     "              1   8     20                  0.5                   1       1.5        2", 1},
    {"error-by-terms", "9 to 64     20                  0.5                   1       1.5        2",
     1},
    {"executors", "onednn    1.2      avx512      100         2", 4},
    {"fallbacks", "BF16_BF16_F32  f32,f32->f32     30       30  20", 3},
    {"faults", "onednn    without the last term, 1 of 2  stablehlo.reduce  0x0p+0", 4},
    {"figures", " 1  wrong-value       onednn    stablehlo.reduce  f32,f32->f32  value       0", 4},
    {"findings", "crash", 4},
    {"formulas", "byteir.softmax  softmax    f32->f32  online      10      100", 1},
    {"histogram", "ulp          20    32  38.05          0      6", 6},
    {"implementations", "jit:avx2", 2},
    {"inputs", "corner      20         100       0          0               400      1", 1},
    {"invariance", "2  row-count: number of rows 1 to 3: 0x00; 4: 0x01", 1},
    {"known", "(no rows)", 0},
    {"machines", "onednn                      1.2          1      2  -      avx512", 4},
    {"new", " 4  wrong-value  stablehlo.reduce  add        f32,f32->f32  openblas  value", 1},
    {"observed", "BF16_BF16_F32  f32,f32->f32     60       60  20", 4},
    {"op-time", "stablehlo.reduce       onednn      100           0", 2},
    {"ordinary", "f32,f32->f32     20      0        0       1.5        2", 1},
    {"pairs", "  100         15             5            4             3           2          1",
     2},
    {"percentiles", "ulp         96    0  1.189   37   37", 2},
    {"permissions", "order       any    1             2", 1},
    {"power", "9 to 64         6      16.67   4.757  4.757  4.757         1  0.2.0", 2},
    {"precision", "precision=HIGH  f32,f32->f32    100          90  TF32_TF32_F32\n", 1},
    {"profile-changes", "f32[n] f32[] -> f32[]  9 .. 59    8 lanes, pairwise at the end", 2},
    {"profiles", "f32[]  60        irregular                              1  2", 6},
    {"retests", "onednn    1.2      not-run", 1},
    {"runs", "18446744073709551615  0.1.0  assay run", 2},
    {"shortest", "4  openblas  value                                  1  short", 4},
    {"states", "waived  onednn    stablehlo.reduce", 4},
    {"time", "run 1        1       20        50          25          5       10      10        6",
     2},
    {"told-apart", "F64_F64_F64      100          60          30     0       10            90", 3},
    {"totals",
     "2     2          4    2    120       100     10        5          2     3         4", 1},
    {"trend",
     "    120     110     10    9.091       8.333         3             3       37        0.25", 2},
    {"twin-verdicts",
     "onednn    openblas  stablehlo.reduce    100         15           15             5            "
     "   4",
     1},
    {"twins", "openblas  1.2      onednn  stablehlo.reduce  add        f32,f32->f32      1", 1},
    {"unjudged", "     20        5         25          2           10     3      15", 1},
    {"versions", "Z    100     10       10         2          2", 4},
    {"waivers", "holds  onednn    stablehlo.reduce", 1},
    {"wide", "byteir.softmax  softmax    bf16->bf16     8         2       25", 1},
    {"worst", " 4  wrong-value       openblas  value         inf  inf  0x1p+0", 4},
};

static size_t count_json_rows(const char *text) {
  json_error_t error;
  json_t *rows = json_loads(text, 0, &error);
  if (rows == NULL) g_error("%s: %s", error.text, text);
  size_t row_count = json_array_size(rows);
  json_decref(rows);
  return row_count;
}

static void test_filled_database(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill_sample(fixture);
  for (size_t i = 0; i < G_N_ELEMENTS(EXPECTATIONS); i++) {
    const char *sql = report_find_query(EXPECTATIONS[i].query);
    g_assert_nonnull(sql);
    char *table = run_report(fixture, sql, REPORT_TABLE);
    g_test_message("%s\n%s", EXPECTATIONS[i].query, table);
    g_assert_nonnull(strstr(table, EXPECTATIONS[i].expected));
    free(table);
    char *json = run_report(fixture, sql, REPORT_JSON);
    g_assert_cmpuint(count_json_rows(json), ==, EXPECTATIONS[i].rows);
    free(json);
  }
}

static void test_every_query_is_tested(void) {
  size_t query_count = 0;
  for (const named_query_t *query = query_table(); query->name != NULL; query++) {
    g_assert_cmpuint(query_count, <, G_N_ELEMENTS(EXPECTATIONS));
    g_assert_cmpstr(query->name, ==, EXPECTATIONS[query_count].query);
    query_count++;
  }
  g_assert_cmpuint(query_count, ==, G_N_ELEMENTS(EXPECTATIONS));
}

static void test_empty_database(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  for (const named_query_t *query = query_table(); query->name != NULL; query++) {
    for (int format = 0; format < REPORT_FORMAT_COUNT; format++) {
      char *text = run_report(fixture, query->sql, (report_format_t)format);
      bool has_one_row = strcmp(query->name, "totals") == 0; /* Of zeros. */
      if (format == REPORT_JSON && !has_one_row) g_assert_cmpstr(text, ==, "[]\n");
      free(text);
    }
  }
}

/* A database of version 4, with a run, cases and a finding in it. */
static void make_version_4(store_fixture_t *fixture) {
  store_schema_t schema = store_schema();
  schema.version = 4;
  schema.views = "DROP VIEW IF EXISTS finding; CREATE VIEW finding AS SELECT 1 AS old;";
  connection_t connection;
  ASSERT_OK(fixture,
            connection_open(fixture->path, CONNECTION_WRITE, &connection, &fixture->error));
  ASSERT_OK(fixture, store_schema_apply(&connection, &schema, &fixture->error));
  connection_close(&connection);
  change_database(
      fixture,
      "INSERT INTO contract VALUES (1, 'order=any');"
      "INSERT INTO run VALUES (1, 'assay run', '1', 1, '0.1.0', '2026-01-01T00:00:00Z', NULL, "
      "NULL);"
      "INSERT INTO executor VALUES (1, 'onednn', '1', 'avx');"
      "INSERT INTO program VALUES (1, '00000000000000000000000000000000', 'line');"
      "INSERT INTO counter VALUES (1, 1, 'stablehlo.reduce', 'add', 'f32', 'diverges', 'value', '',"
      " 5, 1, 2, 3);"
      "INSERT INTO divergence VALUES (1, 1, 's', 'stablehlo.reduce', 'add', 'f32', 'diverges',"
      " 'value', '', 5, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 1, 1);");
  for (int i = 0; i < 2; i++) {
    g_autofree char *reproducer = g_strdup_printf(
        "INSERT INTO reproducer VALUES (1, '%s', 1, 1, 'line : 0', '0', '', '', 0, 0, 1, 1, '0',"
        " '0', '1', '', '', 1, 2, 3)",
        i == 0 ? "worst" : "shortest");
    change_database(fixture, reproducer);
  }
}

/* It must be brought forward to be asked, and then every query answers. */
static void test_version_4(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  make_version_4(fixture);
  ASSERT_FAILS(fixture,
               report_query(&(report_source_t){.path = fixture->path}, "SELECT 1", REPORT_TABLE,
                            NULL, stdout, &fixture->error),
               STATUS_INVALID, "of an older Assay (schema 4");
  close_store(fixture, open_store(fixture));
  for (const named_query_t *query = query_table(); query->name != NULL; query++) {
    free(run_report(fixture, query->sql, REPORT_JSON));
  }
  char *text = run_report(fixture, report_find_query("causes"), REPORT_CSV);
  g_assert_nonnull(
      strstr(text, "wrong-value,onednn,(unknown),value,stablehlo.reduce,1,1,5,1,1,1,2,1,2026"));
  free(text);
}

/* Views that a file has from elsewhere are not those that queries see. */
static void test_stale_views(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill_sample(fixture);
  change_database(fixture, "DROP VIEW finding; CREATE VIEW finding AS SELECT 7 AS id");
  char *text = run_report(fixture, "SELECT count(*), max(id) FROM finding", REPORT_CSV);
  g_assert_cmpstr(text, ==, "count(*),max(id)\r\n4,4\r\n");
  free(text);
}

/* The gravest finding comes first: a wrong value, a crash, other bits in another batch. */
static void test_order_of_worst(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill_sample(fixture);
  g_autofree char *sql =
      g_strdup_printf("SELECT group_concat(id) FROM (%.*s)",
                      (int)strcspn(strstr(report_find_query("worst"), "SELECT"), ";"),
                      strstr(report_find_query("worst"), "SELECT"));
  assert_query(fixture, sql, "1,4,2,3");
}

/* Since when, until when: the starts of the runs that saw it. */
static void test_since_when(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill_sample(fixture);
  change_database(fixture, "UPDATE run SET started = '2026-0' || run_id || '-01T00:00:00Z'");
  static const struct {
    const char *query;
    const char *expected;
  } rows[] = {
      {"observed",
       ",60,60,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,BF16_BF16_F32|F32_F32_F32\r\n"},
      {"fallbacks", ",30,30,2026-02-01T00:00:00Z,2026-02-01T00:00:00Z,F32_F32_F32|F64_F64_F64\r\n"},
      {"candidates", ",F32_F32_F32,90,100,90,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\r\n"},
      {"candidates", ",F64_F64_F64,30,100,30,2026-02-01T00:00:00Z,2026-02-01T00:00:00Z\r\n"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    char *text = run_report(fixture, report_find_query(rows[i].query), REPORT_CSV);
    g_test_message("%s", text);
    g_assert_nonnull(strstr(text, rows[i].expected));
    free(text);
  }
}

/* The file of a query is what the shell runs, too. */
static void test_sqlite_shell(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  g_autofree char *shell = g_find_program_in_path("sqlite3");
  if (shell == NULL) {
    g_test_skip("sqlite3 is not installed");
    return;
  }
  fill_sample(fixture);
  for (const named_query_t *query = query_table(); query->name != NULL; query++) {
    g_autofree char *command =
        g_strdup_printf("/bin/sh -c 'cat %s/reports/queries/*/%s.sql | %s -bail -json %s'",
                        ASSAY_SOURCE_DIR, query->name, shell, fixture->path);
    g_autofree char *output = NULL;
    g_autofree char *complaint = NULL;
    int status = -1;
    g_assert_true(g_spawn_command_line_sync(command, &output, &complaint, &status, NULL));
    g_assert_cmpstr(complaint, ==, "");
    g_assert_cmpint(status, ==, 0);
    if (strcmp(query->name, "known") == 0) continue; /* Nothing is known there: no rows, no text. */
    g_assert_cmpint(output[0], ==, '[');
  }
}

static void test_list(void) {
  GString *list = g_string_new(NULL);
  report_list_queries(list);
  g_assert_true(g_str_has_prefix(list->str, "bits             The ledger of bits: cases by"));
  size_t lines = 0;
  for (const char *line = list->str; *line != '\0'; line = strchr(line, '\n') + 1) {
    lines++;
    g_assert_cmpuint(strcspn(line, "\n"), <=, 100);
    g_assert_cmpuint(strcspn(line, "\n"), >, 30); /* There is a description. */
    g_assert_cmpint(line[strcspn(line, "\n") - 1], ==, '.');
  }
  g_assert_cmpuint(lines, ==, G_N_ELEMENTS(EXPECTATIONS));
  g_string_free(list, TRUE);
  g_assert_null(report_find_query("by-moon"));
  g_assert_null(report_find_query(""));
}

static void test_format_names(void) {
  for (int format = 0; format < REPORT_FORMAT_COUNT; format++) {
    report_format_t parsed = REPORT_FORMAT_COUNT;
    const char *spelling = report_format_spelling((report_format_t)format);
    g_assert_cmpint(report_format_parse(spelling, &parsed, NULL), ==, STATUS_OK);
    g_assert_cmpint(parsed, ==, format);
  }
  failure_t error;
  report_format_t untouched = REPORT_CSV;
  g_assert_cmpint(report_format_parse("xml", &untouched, &error), ==, STATUS_INVALID);
  g_assert_nonnull(strstr(error.text, "table, json, csv or markdown"));
  g_assert_cmpint(untouched, ==, REPORT_CSV);
}

static void test_failures(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  ASSERT_FAILS(fixture,
               report_query(&(report_source_t){.path = fixture->path}, "SELECT x", REPORT_TABLE,
                            NULL, stdout, &fixture->error),
               STATUS_INVALID, "no such column: x");
  FILE *full = fopen("/dev/full", "w");
  g_assert_nonnull(full);
  ASSERT_FAILS(fixture,
               report_query(&(report_source_t){.path = fixture->path}, "SELECT 1", REPORT_TABLE,
                            NULL, full, &fixture->error),
               STATUS_IO, "No space left on device");
  fclose(full);
}

/* Counts for ever, and gives nothing meanwhile. */
#define ENDLESS \
  "WITH RECURSIVE n (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"

static void test_limits(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  const store_limit_t short_time = {.seconds = 0.05};
  ASSERT_FAILS(fixture,
               report_query(&(report_source_t){.path = fixture->path}, ENDLESS, REPORT_TABLE,
                            &short_time, stdout, &fixture->error),
               STATUS_INVALID, "no answer after 0.05 s");
  const volatile sig_atomic_t stop = 1;
  const store_limit_t stopped = {.stop = &stop};
  ASSERT_FAILS(fixture,
               report_query(&(report_source_t){.path = fixture->path}, ENDLESS, REPORT_TABLE,
                            &stopped, stdout, &fixture->error),
               STATUS_INVALID, "interrupted");
  const volatile sig_atomic_t goes_on = 0;
  const store_limit_t no_time = {.seconds = 0, .stop = &goes_on};
  FILE *nowhere = fopen("/dev/null", "w");
  ASSERT_OK(fixture, report_query(&(report_source_t){.path = fixture->path}, "SELECT 1",
                                  REPORT_TABLE, &no_time, nowhere, &fixture->error));
  fclose(nowhere);
}

/* Rows that are larger than a table may be. */
static void test_large_answers(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  report_grid_t grid;
  report_grid_init(&grid);
  g_assert_cmpuint(grid.bytes_max, >=, (size_t)100 << 20);
  grid.bytes_max = (size_t)3 << 20;
  ASSERT_FAILS(fixture,
               store_query(fixture->path,
                           "WITH RECURSIVE n (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n) "
                           "SELECT printf('%.1000c', 'x') FROM n",
                           report_grid_add, &grid, &fixture->error),
               STATUS_INVALID, "larger than 3 MiB; return less, with LIMIT");
  g_assert_cmpuint(report_grid_row_count(&grid), >, 2800);
  g_assert_cmpuint(report_grid_row_count(&grid), <, 3200);
  report_grid_deinit(&grid);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/queries/filled-database", test_filled_database);
  STORE_TEST("/queries/empty-database", test_empty_database);
  STORE_TEST("/queries/version-4", test_version_4);
  STORE_TEST("/queries/stale-views", test_stale_views);
  STORE_TEST("/queries/order-of-worst", test_order_of_worst);
  STORE_TEST("/queries/since-when", test_since_when);
  STORE_TEST("/queries/sqlite-shell", test_sqlite_shell);
  STORE_TEST("/queries/failures", test_failures);
  STORE_TEST("/queries/limits", test_limits);
  STORE_TEST("/queries/large-answers", test_large_answers);
  g_test_add_func("/queries/every-query-is-tested", test_every_query_is_tested);
  g_test_add_func("/queries/list", test_list);
  g_test_add_func("/queries/format-names", test_format_names);
  return g_test_run();
}
