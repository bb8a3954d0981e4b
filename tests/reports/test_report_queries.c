/* Every embedded query, on an empty database and on a filled one, and in the sqlite3 shell. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/store/store_connection.h"
#include "reports/query_table.h"
#include "reports/report.h"
#include "tests/store/store_observation_sample.h"
#include "tests/store/store_profile_sample.h"

static char *run_report(store_fixture_t *fixture, const char *sql, report_format_t format) {
  char *written = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&written, &size);
  ASSERT_OK(fixture, report_query(fixture->path, sql, format, out, &fixture->error));
  g_assert_cmpint(fclose(out), ==, 0);
  return written;
}

static void count(store_fixture_t *fixture, store_t *store, store_counter_t counter,
                  const char *outcome, const char *class_, uint64_t cases) {
  counter.outcome = outcome;
  counter.class_ = class_;
  counter.cases = cases;
  ASSERT_OK(fixture, store_count(store, &counter, &fixture->error));
}

/* A broken property of invariance: its shortest case is what it is shown with. */
static void add_broken_property(store_fixture_t *fixture, store_t *store, int64_t run_id,
                                int64_t executor_id) {
  store_divergence_t broken = sample_divergence(run_id, executor_id, "s4");
  broken.class_ = "invariance";
  broken.slack = 0;
  broken.ulp_error = 0;
  broken.observed = "row-count: of the first case";
  add_divergence(fixture, store, &broken, true);
  broken.case_line = "shorter";
  broken.observed = "row-count: number of rows 1 to 3: 0x00; 4: 0x01";
  add_divergence(fixture, store, &broken, false);
}

static int64_t add_version(store_fixture_t *fixture, store_t *store, const char *version) {
  const store_executor_t executor = {.name = "adder", .version = version, .hardware = "avx512"};
  int64_t executor_id = -1;
  ASSERT_OK(fixture, store_add_executor(store, &executor, &executor_id, &fixture->error));
  return executor_id;
}

/* Version 2 adds with 16 lanes from 9 terms on, but for 60 terms as before; that it had 32 lanes
 * was replaced when it was identified again. */
static void fill_profiles(store_fixture_t *fixture, store_t *store) {
  store_profile_t profile = sample_profile(add_version(fixture, store, "1"));
  store_profile_t sixty = profile;
  sixty.terms_low = sixty.terms_high = 60;
  sixty.rule = "";
  sixty.words = "irregular";
  add_profile(fixture, store, &profile, true);
  add_profile(fixture, store, &sixty, true);
  profile.executor_id = sixty.executor_id = add_version(fixture, store, "2");
  profile.terms_low = 1;
  profile.terms_high = 8;
  add_profile(fixture, store, &profile, true);
  profile.terms_low = 9;
  profile.terms_high = 700;
  profile.rule = "lanes 32";
  profile.words = "32 lanes, pairwise at the end";
  add_profile(fixture, store, &profile, true);
  profile.rule = "lanes 16";
  profile.words = "16 lanes, pairwise at the end";
  add_profile(fixture, store, &profile, true);
  add_profile(fixture, store, &sixty, true);
}

/* Two ops, two executors, two runs, every outcome and four findings. */
static void fill(store_fixture_t *fixture) {
  store_t *store = open_store(fixture);
  int64_t first_run = begin_run(fixture, store);
  int64_t openblas = add_executor(fixture, store, "openblas");
  int64_t onednn = add_executor(fixture, store, "onednn");
  fill_profiles(fixture, store);
  store_counter_t reduce = sample_counter(first_run, onednn);
  count(fixture, store, reduce, "conforms", "", 90);
  count(fixture, store, reduce, "diverges", "value", 6);
  count(fixture, store, reduce, "failed", "crash", 4);
  store_counter_t dot = sample_counter(first_run, openblas);
  store_pair_t pair = sample_pair(first_run, openblas, onednn);
  ASSERT_OK(fixture, store_add_pair(store, &pair, &fixture->error));
  dot.op = "stablehlo.dot_general";
  dot.algorithm = "default";
  dot.ulp_error_max = INFINITY;
  dot.slack_max = NAN;
  count(fixture, store, dot, "conforms", "", 10);
  count(fixture, store, dot, "weak", "", 3);
  count(fixture, store, dot, "no-oracle", "", 2);
  count(fixture, store, dot, "refused", "", 5);

  store_divergence_t value = sample_divergence(first_run, onednn, "s1");
  for (int i = 0; i < 6; i++) add_divergence(fixture, store, &value, i == 0);
  store_divergence_t crash = sample_divergence(first_run, onednn, "s2");
  crash.outcome = "failed";
  crash.class_ = "crash";
  crash.slack = NAN;
  crash.ulp_error = NAN;
  crash.reason = "signal 11 | \"SEGV\"\n";
  for (int i = 0; i < 4; i++) add_divergence(fixture, store, &crash, i == 0);
  add_broken_property(fixture, store, first_run, openblas);
  ASSERT_OK(fixture, store_end_run(store, first_run, 1, &fixture->error));

  int64_t second_run = begin_run(fixture, store);
  fill_observations(fixture, store, openblas, first_run, second_run);
  store_divergence_t late = sample_divergence(second_run, openblas, "s3");
  late.case_line = "short";
  late.slack = INFINITY;
  late.ulp_error = INFINITY;
  add_divergence(fixture, store, &late, true);
  close_store(fixture, store);
}

/* What each query says of the filled database: some text of its table, and its number of rows. */
static const struct {
  const char *query;
  const char *expected;
  size_t rows;
} EXPECTATIONS[] = {
    {"by-algorithm", "stablehlo.dot_general  default    openblas     20        10         0", 2},
    {"by-op", "stablehlo.reduce       onednn      100        90         6       4", 2},
    {"by-type", "stablehlo.reduce  f32,f32->f32  onednn      100     10       10         2", 1},
    {"candidates", "f32,f32->f32  F32_F32_F32          90       100          90", 4},
    {"classes", "value       onednn           1          6        1.5       12", 4},
    {"contracts", "       1     2         2  order=any", 1},
    {"coverage", "stablehlo.dot_general  default    f32,f32->f32     20        10      0", 2},
    {"executors", "onednn    1.2      avx512      100         2", 4},
    {"fallbacks", "BF16_BF16_F32  f32,f32->f32     30       30  20", 3},
    {"findings", "crash", 4},
    {"formulas", "byteir.softmax  softmax    f32->f32  online      10      100", 1},
    {"implementations", "jit:avx2", 2},
    {"invariance", "2  row-count: number of rows 1 to 3: 0x00; 4: 0x01", 1},
    {"new", " 4  stablehlo.reduce  add        f32,f32->f32  openblas  value", 1},
    {"observed", "BF16_BF16_F32  f32,f32->f32     60       60  20", 4},
    {"pairs", "  100         15             5            4             3           2          1",
     1},
    {"profile-changes", "f32[n] f32[] -> f32[]  9 .. 59    8 lanes, pairwise at the end", 2},
    {"profiles", "f32[]  60        irregular                              1  2", 6},
    {"runs", "18446744073709551615  0.1.0  assay run", 2},
    {"shortest", " 4  openblas  value               1  short", 4},
    {"told-apart", "F64_F64_F64      100          60          30     0       10            90", 3},
    {"worst", " 4  openblas  value         inf  inf  0x1p+0", 4},
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
  fill(fixture);
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
      if (format == REPORT_JSON) g_assert_cmpstr(text, ==, "[]\n");
      free(text);
    }
  }
}

/* The worst case comes first, what was not measured last. */
static void test_order_of_worst(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill(fixture);
  g_autofree char *sql =
      g_strdup_printf("SELECT group_concat(id) FROM (%.*s)",
                      (int)strcspn(strstr(report_find_query("worst"), "SELECT"), ";"),
                      strstr(report_find_query("worst"), "SELECT"));
  assert_query(fixture, sql, "4,1,3,2");
}

/* Since when, until when: the starts of the runs that saw it. */
static void test_since_when(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill(fixture);
  connection_t connection;
  ASSERT_OK(fixture,
            connection_open(fixture->path, CONNECTION_WRITE, &connection, &fixture->error));
  ASSERT_OK(fixture, connection_execute(&connection,
                                        "UPDATE run SET started = '2026-0' || run_id || "
                                        "'-01T00:00:00Z'",
                                        &fixture->error));
  connection_close(&connection);
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
  fill(fixture);
  for (const named_query_t *query = query_table(); query->name != NULL; query++) {
    g_autofree char *command =
        g_strdup_printf("/bin/sh -c '%s -bail -json %s < %s/reports/queries/%s.sql'", shell,
                        fixture->path, ASSAY_SOURCE_DIR, query->name);
    g_autofree char *output = NULL;
    g_autofree char *complaint = NULL;
    int status = -1;
    g_assert_true(g_spawn_command_line_sync(command, &output, &complaint, &status, NULL));
    g_assert_cmpstr(complaint, ==, "");
    g_assert_cmpint(status, ==, 0);
    g_assert_cmpint(output[0], ==, '[');
  }
}

static void test_list(void) {
  GString *list = g_string_new(NULL);
  report_list_queries(list);
  g_assert_true(g_str_has_prefix(list->str, "by-algorithm     Cases by op, algorithm and"));
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
               report_query(fixture->path, "SELECT x", REPORT_TABLE, stdout, &fixture->error),
               STATUS_INVALID, "no such column: x");
  FILE *full = fopen("/dev/full", "w");
  g_assert_nonnull(full);
  ASSERT_FAILS(fixture,
               report_query(fixture->path, "SELECT 1", REPORT_TABLE, full, &fixture->error),
               STATUS_IO, "No space left on device");
  fclose(full);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/queries/filled-database", test_filled_database);
  STORE_TEST("/queries/empty-database", test_empty_database);
  STORE_TEST("/queries/order-of-worst", test_order_of_worst);
  STORE_TEST("/queries/since-when", test_since_when);
  STORE_TEST("/queries/sqlite-shell", test_sqlite_shell);
  STORE_TEST("/queries/failures", test_failures);
  g_test_add_func("/queries/every-query-is-tested", test_every_query_is_tested);
  g_test_add_func("/queries/list", test_list);
  g_test_add_func("/queries/format-names", test_format_names);
  return g_test_run();
}
