/* SPDX-License-Identifier: Apache-2.0 */
/* JUnit XML as Jenkins, GitLab and GitHub's actions read it: a suite for each executor, a test case
 * for each op and algorithm. */
#include <string.h>

#include "reports/html/markup.h"
#include "reports/overview/report_overview.h"

static const char *executor_at(const overview_t *overview, size_t row) {
  return overview_text(&overview->sections[OVERVIEW_ALGORITHMS], row, "executor");
}

static void append_failure(const overview_t *overview, size_t row, GString *text) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_ALGORITHMS];
  size_t finding =
      overview_find(overview, executor_at(overview, row), overview_text(grid, row, "op"),
                    overview_text(grid, row, "algorithm"));
  if (finding == overview_finding_count(overview)) { /* Another run's: its cases are not kept. */
    g_string_append(text, "      <failure type=\"diverges\" message=\"no case is kept\"/>\n");
    return;
  }
  GString *found = g_string_new(NULL);
  GString *replay = g_string_new(NULL);
  overview_print_finding(overview, finding, found);
  overview_print_replay(overview, finding, replay);
  markup_printf(text, "      <failure type=\"%s\" message=\"%s\">%s</failure>\n",
                overview_finding(overview, finding).class_, found->str, replay->str);
  g_string_free(found, TRUE);
  g_string_free(replay, TRUE);
}

static void append_case(const overview_t *overview, size_t row, GString *text) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_ALGORITHMS];
  markup_printf(text, "    <testcase classname=\"%s\" name=\"%s\" assertions=\"%s\">\n",
                overview_text(grid, row, "op"), overview_text(grid, row, "algorithm"),
                overview_text(grid, row, "cases"));
  const char *reason;
  switch (overview_outcome(overview, row, &reason)) {
    case OVERVIEW_PASSED:
      break;
    case OVERVIEW_FAILED:
      append_failure(overview, row, text);
      break;
    case OVERVIEW_EXCUSED:
    case OVERVIEW_SKIPPED:
      markup_printf(text, "      <skipped message=\"%s\"/>\n", reason);
      break;
    case OVERVIEW_OUTCOME_COUNT:
    default:
      break;
  }
  g_string_append(text, "    </testcase>\n");
}

/* NULL `executor`: all. */
static void append_counts(const overview_t *overview, const char *executor, GString *text) {
  int counts[OVERVIEW_OUTCOME_COUNT] = {0};
  size_t row_count = report_grid_row_count(&overview->sections[OVERVIEW_ALGORITHMS]);
  for (size_t row = 0; row < row_count; row++) {
    const char *reason;
    if (executor != NULL && strcmp(executor, executor_at(overview, row)) != 0) continue;
    counts[overview_outcome(overview, row, &reason)]++;
  }
  int skipped =
      counts[OVERVIEW_SKIPPED] + counts[OVERVIEW_EXCUSED]; /* JUnit has no expected failures. */
  g_string_append_printf(text, " tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\"",
                         counts[OVERVIEW_PASSED] + counts[OVERVIEW_FAILED] + skipped,
                         counts[OVERVIEW_FAILED], skipped);
}

static void append_suite(const overview_t *overview, const char *executor, GString *text) {
  markup_printf(text, "  <testsuite name=\"%s\"", executor);
  append_counts(overview, executor, text);
  g_string_append(text, ">\n");
  size_t row_count = report_grid_row_count(&overview->sections[OVERVIEW_ALGORITHMS]);
  for (size_t row = 0; row < row_count; row++) {
    if (strcmp(executor, executor_at(overview, row)) == 0) append_case(overview, row, text);
  }
  g_string_append(text, "  </testsuite>\n");
}

static gint compare_names(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The executors that ran cases, by name: const char *, borrowed. */
static GPtrArray *find_executors(const overview_t *overview) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_ALGORITHMS];
  GPtrArray *executors = g_ptr_array_new();
  g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
  for (size_t row = 0; row < report_grid_row_count(grid); row++) {
    gpointer executor = (gpointer)(uintptr_t)overview_text(grid, row, "executor");
    if (g_hash_table_add(known, executor)) g_ptr_array_add(executors, executor);
  }
  g_ptr_array_sort(executors, compare_names);
  return executors;
}

void report_print_junit(const overview_t *overview, FILE *out) {
  GString *text = g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  markup_printf(text, "<testsuites name=\"assay %s\"", overview->database);
  append_counts(overview, NULL, text);
  g_string_append(text, ">\n");
  g_autoptr(GPtrArray) executors = find_executors(overview);
  for (guint i = 0; i < executors->len; i++) append_suite(overview, executors->pdata[i], text);
  g_string_append(text, "</testsuites>\n");
  fwrite(text->str, 1, text->len, out);
  g_string_free(text, TRUE);
}
