/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of rows (rows/columns.def) are those of the tables: none is forgotten, and what
 * makes two counts equal is what makes them equal in the database. */
#include "harness/store/rows/row.h"
#include "tests/store/store_fixture.h"

static void append_name(GString *text, const char *name) {
  if (text->len > 0) g_string_append_c(text, ' ');
  g_string_append(text, name);
}

static gint compare_names(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The columns with that role, sorted; all of them for ROLE_GIVEN. */
static char *columns_of(row_kind_t kind, column_role_t role) {
  const row_type_t *type = row_type(kind);
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (size_t i = 0; i < type->column_count; i++) {
    bool is_wanted = role == ROLE_GIVEN || type->columns[i].role == role;
    if (is_wanted) g_ptr_array_add(names, (gpointer)(uintptr_t)type->columns[i].name);
  }
  g_ptr_array_sort(names, compare_names);
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < names->len; i++) append_name(text, g_ptr_array_index(names, i));
  return g_string_free(text, FALSE);
}

static void assert_columns(store_fixture_t *fixture, const char *table, const char *condition,
                           const char *expected) {
  g_autofree char *sql = g_strdup_printf(
      "SELECT group_concat(name, ' ') FROM (SELECT name FROM "
      "pragma_table_info('%s') WHERE %s ORDER BY name)",
      table, condition);
  assert_query(fixture, sql, expected);
}

static void test_counts(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  int tables = 0;
  for (row_kind_t kind = 0; kind < ROW_COUNT; kind++) {
    if (!row_is_count(kind)) continue;
    g_autofree char *all = columns_of(kind, ROLE_GIVEN);
    g_autofree char *keys = columns_of(kind, ROLE_KEY);
    assert_columns(fixture, row_type(kind)->table, "true", all);
    assert_columns(fixture, row_type(kind)->table, "pk > 0", keys);
    tables++;
  }
  g_assert_cmpint(tables, ==, 7);
}

static void test_findings(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  g_autofree char *features = columns_of(ROW_divergence, ROLE_FINDING);
  g_autofree char *kept = columns_of(ROW_divergence, ROLE_CASE);
  assert_columns(fixture, "divergence",
                 "name NOT IN ('divergence_id', 'executor_id', 'sightings', 'first_seen', "
                 "'last_seen', 'first_run_id', 'last_run_id', 'severity', 'severity_weight')",
                 features); /* The last two are its gravest case's, by triggers. */
  assert_columns(fixture, "reproducer",
                 "name NOT IN ('divergence_id', 'role', 'program_id', 'run_id')", kept);
}

/* The grade of a finding is that of its gravest case, whichever came first, and whoever changes it.
 */
static void test_grades(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  static const char unlike[] =
      "SELECT count(*), sum((divergence.severity, divergence.severity_weight) <> "
      "(reproducer.severity, reproducer.severity_weight)), divergence.severity "
      "FROM divergence JOIN reproducer USING (divergence_id) WHERE role = 'gravest'";
  store_t *store = open_store(fixture);
  store_divergence_t finding =
      sample_divergence(begin_run(fixture, store), add_executor(fixture, store, "x"), "s");
  finding.class = "zero-sign";
  finding.got = "-0x0p+0";
  finding.expected = "0x0p+0";
  store_add_divergence(store, &finding);
  ASSERT_OK(fixture, store_flush(store, &fixture->error));
  assert_query(fixture, unlike, "1|0|zero-sign");
  finding.class = "value";
  finding.got = "0x1p+0";
  finding.expected = "0x1p+1";
  store_add_divergence(store, &finding);
  close_store(fixture, store);
  assert_query(fixture, unlike, "1|0|wrong-value");
}

/* A text that nobody gave is empty, not NULL. */
static void test_texts(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  const store_counter_t counter = {.run_id = begin_run(fixture, store),
                                   .executor_id = add_executor(fixture, store, "x"),
                                   .op = "op",
                                   .outcome = "conforms",
                                   .cases = 1};
  store_count(store, &counter);
  close_store(fixture, store);
  assert_query(fixture, "SELECT algorithm, types, class, implementation, cases FROM counter",
               "||||1");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/store/columns/counts", test_counts);
  STORE_TEST("/store/columns/findings", test_findings);
  STORE_TEST("/store/columns/grades", test_grades);
  STORE_TEST("/store/columns/texts", test_texts);
  return g_test_run();
}
