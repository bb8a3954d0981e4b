/* SPDX-License-Identifier: Apache-2.0 */
/* The vacuous results, and the numbers. */
#include <string.h>

#include "reports/html/html.h"

typedef struct part {
  const char *total; /* Column of OVERVIEW_TOTALS. */
  const char *style;
  const char *label;
} part_t;

static const part_t PARTS[] = {{"conforms", "s-good", "conform"},
                               {"wrong", "s-wrong", "wrong"},
                               {"weak", "s-weak", "weak"},
                               {"no-oracle", "s-open", "undecided: no oracle"},
                               {"refused", "s-refused", "refused"}};

static void append_bar(const overview_t *overview, GString *out) {
  double cases = overview_total(overview, "cases");
  g_string_append(out, "<div class=\"bar\" role=\"img\" aria-label=\"Shares of all cases\">");
  for (size_t i = 0; i < G_N_ELEMENTS(PARTS); i++) {
    double count = overview_total(overview, PARTS[i].total);
    if (count == 0 || cases == 0) continue;
    markup_printf(out, "<i class=\"%s\" style=\"width:%.3f%%\"></i>", PARTS[i].style,
                  100 * count / cases);
  }
  g_string_append(out, "</div>\n<ul class=\"key\">");
  for (size_t i = 0; i < G_N_ELEMENTS(PARTS); i++) {
    double count = overview_total(overview, PARTS[i].total);
    markup_printf(out, "<li><i class=\"%s\"></i>%s <b>", PARTS[i].style, PARTS[i].label);
    html_share(out, count, cases);
    g_string_append(out, "</b> (");
    html_number(out, count);
    g_string_append(out, ")</li>\n");
  }
  g_string_append(out, "</ul>\n");
}

static double sum_of(const report_grid_t *grid, const char *executor, const char *column) {
  double sum = 0;
  for (size_t row = 0; row < report_grid_row_count(grid); row++) {
    if (strcmp(overview_text(grid, row, "executor"), executor) == 0) {
      sum += overview_number(grid, row, column);
    }
  }
  return sum;
}

/* How the cases of one executor ended, and shares of those that prove nothing. */
static void append_executor(const report_grid_t *grid, const char *executor, GString *out) {
  double cases = sum_of(grid, executor, "cases");
  markup_printf(out, "<tr><td>%s</td><td><div class=\"bar thin\">", executor);
  static const char *const columns[] = {"conforms", "diverges",  "failed",
                                        "weak",     "no-oracle", "refused"};
  static const char *const styles[] = {"s-good", "s-wrong", "s-wrong",
                                       "s-weak", "s-open",  "s-refused"};
  double counts[G_N_ELEMENTS(columns)];
  for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) {
    counts[i] = sum_of(grid, executor, columns[i]);
    if (counts[i] == 0) continue;
    markup_printf(out, "<i class=\"%s\" style=\"width:%.3f%%\"></i>", styles[i],
                  100 * counts[i] / cases);
  }
  g_string_append(out, "</div></td>");
  for (size_t i = G_N_ELEMENTS(columns); i > G_N_ELEMENTS(columns) - 3; i--) {
    g_string_append(out, "<td class=\"n\">");
    html_share(out, counts[i - 1], cases);
    g_string_append(out, "</td>");
  }
  g_string_append(out, "<td class=\"n\">");
  html_number(out, cases);
  g_string_append(out, "</td></tr>\n");
}

static void append_executors(const overview_t *overview, GString *out) {
  enum { EXECUTORS_MAX = 30 };
  const report_grid_t *grid = &overview->sections[OVERVIEW_ALGORITHMS];
  g_autoptr(GPtrArray) executors = overview_executors(overview);
  g_string_append(out,
                  "<div class=\"scroll\"><table><thead><tr><th>Executor</th><th></th>"
                  "<th class=\"n\">Refused</th><th class=\"n\">Undecided</th>"
                  "<th class=\"n\">Weak</th><th class=\"n\">Cases</th></tr></thead><tbody>\n");
  for (guint i = 0; i < MIN(executors->len, (guint)EXECUTORS_MAX); i++) {
    append_executor(grid, executors->pdata[i], out);
  }
  g_string_append(out, "</tbody></table></div>\n");
  html_left_out(out, EXECUTORS_MAX, executors->len, "unjudged");
}

void html_unjudged(const overview_t *overview, GString *out) {
  static const html_column_t columns[] = {
      {"executor", "Executor", HTML_TEXT},    {"op", "Op", HTML_TEXT},
      {"cases", "Cases", HTML_NUMBER},        {"refused", "Refused", HTML_NUMBER},
      {"refused %", "Share", HTML_PERCENT},   {"no-oracle", "Undecided", HTML_NUMBER},
      {"no-oracle %", "Share", HTML_PERCENT}, {"weak", "Weak", HTML_NUMBER},
      {"weak %", "Share", HTML_PERCENT},      {"untested elements", "Untested", HTML_NUMBER},
      {"untested %", "Share", HTML_PERCENT},  {NULL, NULL, HTML_TEXT}};
  enum { ROWS_MAX = 200 };
  const report_grid_t *grid = &overview->sections[OVERVIEW_UNJUDGED];
  size_t count = report_grid_row_count(grid);
  append_bar(overview, out);
  append_executors(overview, out);
  if (count == 0) return;
  g_string_append_printf(out, "<details><summary>By executor and op: %zu rows</summary>\n", count);
  html_table(out, grid, columns, ROWS_MAX);
  html_left_out(out, ROWS_MAX, count, "unjudged");
  g_string_append(out, "</details>\n");
}

static void append_tile(GString *out, const char *style, double value, const char *label) {
  markup_printf(out, "<div class=\"tile%s\"><b>", style);
  html_number(out, value);
  markup_printf(out, "</b><span>%s</span></div>\n", label);
}

void html_totals(const overview_t *overview, GString *out) {
  double judged = overview_total(overview, "conforms") + overview_total(overview, "wrong");
  double wrong = overview_total(overview, "wrong");
  double fresh = overview_total(overview, "new findings");
  const char *last = overview_text(&overview->sections[OVERVIEW_TOTALS], 0, "last campaign");
  g_string_append(out, "<div class=\"tiles\">\n");
  append_tile(out, "", judged, "cases judged");
  append_tile(out, wrong > 0 ? " bad" : "", wrong, "of them wrong");
  append_tile(out, "", overview_total(overview, "causes"), "root causes");
  append_tile(out, "", overview_total(overview, "findings"), "findings");
  g_autofree char *words = g_strdup_printf("findings new in %s", last[0] == '\0' ? "it" : last);
  append_tile(out, fresh > 0 ? " bad" : "", fresh, words);
  g_autofree char *constraints = g_strdup_printf("of %.0f constraints put to the test",
                                                 overview_total(overview, "constraints"));
  append_tile(out, "", overview_total(overview, "constraints drawn"), constraints);
  append_tile(out, "", overview_total(overview, "campaigns"), "campaigns");
  append_tile(out, "", overview_total(overview, "runs"), "runs");
  g_string_append(out, "</div>\n");
}
