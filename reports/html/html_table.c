/* SPDX-License-Identifier: Apache-2.0 */
/* HTML tables of a grid by column kind (number, percent, time, text), with limits on rows, and the
 * tables of versions and runs. */
#include <math.h>
#include <string.h>

#include "reports/html/html.h"

/* Thousands are set off by a narrow no-break space. */
static void append_grouped(GString *out, double value) {
  g_autofree char *digits = g_strdup_printf("%.0f", value);
  size_t size = strlen(digits);
  for (size_t i = 0; i < size; i++) {
    if (i > 0 && digits[i - 1] != '-' && (size - i) % 3 == 0) {
      g_string_append(out, "\xe2\x80\xaf");
    }
    g_string_append_c(out, digits[i]);
  }
}

void html_number(GString *out, double value) {
  if (isinf(value)) {
    g_string_append(out, value < 0 ? "-&infin;" : "&infin;");
  } else if (value == floor(value) && fabs(value) < 1e12) {
    append_grouped(out, value);
  } else {
    g_string_append_printf(out, "%.3g", value);
  }
}

static void append_percent(GString *out, double percent) {
  if (percent > 0 && percent < 0.1) {
    g_string_append(out, "&lt; 0.1 %");
  } else if (percent >= 10 || percent == floor(percent)) {
    /* What is not all is not rounded up to it. */
    g_string_append_printf(out, "%.0f %%", percent < 100 ? fmin(round(percent), 99) : 100);
  } else {
    g_string_append_printf(out, "%.1f %%", percent);
  }
}

void html_share(GString *out, double part, double whole) {
  append_percent(out, whole > 0 ? 100 * part / whole : 0);
}

void html_time_of_day(GString *out, const char *time) {
  g_autofree char *minute = g_strndup(time, strlen("2026-11-21T03:20"));
  char *t = strchr(minute, 'T');
  if (t != NULL) *t = ' ';
  markup_printf(out, "<time datetime=\"%s\">%s</time>", time, minute);
}

static void append_cell(GString *out, const store_value_t *value, html_kind_t kind) {
  const char *text = value->text == NULL ? "" : value->text;
  switch (kind) {
    case HTML_TEXT:
      markup_printf(out, "<td>%s</td>", text);
      return;
    case HTML_WIDE:
      markup_printf(out, "<td class=\"wide\">%s</td>", text);
      return;
    case HTML_CODE:
      markup_printf(out, "<td><code>%s</code></td>", text);
      return;
    case HTML_TIME:
      g_string_append(out, "<td>");
      html_time_of_day(out, text);
      g_string_append(out, "</td>");
      return;
    case HTML_NUMBER:
    case HTML_PERCENT:
      break;
  }
  if (value->kind != STORE_INTEGER && value->kind != STORE_REAL) {
    markup_printf(out, "<td class=\"n\">%s</td>", text);
    return;
  }
  GString *exact = g_string_new(NULL);
  report_print_exact(value, exact);
  markup_printf(out, "<td class=\"n\" data-v=\"%s\">", exact->str);
  g_string_free(exact, TRUE);
  if (kind == HTML_NUMBER) {
    html_number(out, value->real);
  } else {
    append_percent(out, value->real);
  }
  g_string_append(out, "</td>");
}

void html_table(GString *out, const report_grid_t *grid, const html_column_t *columns,
                size_t rows_max) {
  g_string_append(out, "<div class=\"scroll\"><table class=\"sortable\"><thead><tr>");
  for (const html_column_t *column = columns; column->name != NULL; column++) {
    markup_printf(out, "<th>%s</th>", column->heading);
  }
  g_string_append(out, "</tr></thead><tbody>\n");
  size_t count = report_grid_row_count(grid);
  for (size_t row = 0; row < MIN(count, rows_max); row++) {
    g_string_append(out, "<tr>");
    for (const html_column_t *column = columns; column->name != NULL; column++) {
      append_cell(out, overview_cell(grid, row, column->name), column->kind);
    }
    g_string_append(out, "</tr>\n");
  }
  g_string_append(out, "</tbody></table></div>\n");
}

void html_left_out(GString *out, size_t shown, size_t count, const char *query) {
  if (count <= shown) return;
  g_string_append(out, "<p class=\"note\">Left out: ");
  html_number(out, (double)(count - shown));
  markup_printf(out, " more; <code>assay query %s</code> lists all.</p>\n", query);
}

void html_versions(const overview_t *overview, GString *out) {
  static const html_column_t columns[] = {{"executor", "Executor", HTML_TEXT},
                                          {"version", "Version", HTML_WIDE},
                                          {"hardware", "Hardware", HTML_WIDE},
                                          {"first run", "First run", HTML_TIME},
                                          {"last run", "Last run", HTML_TIME},
                                          {"cases", "Cases", HTML_NUMBER},
                                          {"wrong", "Wrong", HTML_NUMBER},
                                          {"wrong %", "Share wrong", HTML_PERCENT},
                                          {"findings", "Findings", HTML_NUMBER},
                                          {"only here", "Only in this version", HTML_NUMBER},
                                          {NULL, NULL, HTML_TEXT}};
  enum { ROWS_MAX = 60 };
  const report_grid_t *grid = &overview->sections[OVERVIEW_VERSIONS];
  html_table(out, grid, columns, ROWS_MAX);
  html_left_out(out, ROWS_MAX, report_grid_row_count(grid), "versions");
}

/* The last ones: they are listed first here. */
void html_runs(const overview_t *overview, GString *out) {
  static const html_column_t columns[] = {{"run", "Run", HTML_NUMBER},
                                          {"campaign", "Campaign", HTML_TEXT},
                                          {"started", "Started", HTML_TIME},
                                          {"ended", "Ended", HTML_TIME},
                                          {"exit", "Exit", HTML_NUMBER},
                                          {"cases", "Cases", HTML_NUMBER},
                                          {"new findings", "New findings", HTML_NUMBER},
                                          {"seconds", "Seconds", HTML_NUMBER},
                                          {"host", "Host", HTML_TEXT},
                                          {"seed", "Seed", HTML_TEXT},
                                          {"assay", "Assay", HTML_TEXT},
                                          {"command", "Command", HTML_CODE},
                                          {NULL, NULL, HTML_TEXT}};
  enum { ROWS_MAX = 40 };
  const report_grid_t *all = &overview->sections[OVERVIEW_RUNS];
  size_t count = report_grid_row_count(all);
  report_grid_t last;
  report_grid_init(&last);
  const char *const *names = (const char *const *)all->names->pdata;
  report_grid_add(&last, all->column_count, names, NULL, NULL);
  for (size_t i = 0; i < MIN(count, (size_t)ROWS_MAX); i++) {
    report_grid_add(&last, all->column_count, names, report_grid_cell(all, count - 1 - i, 0), NULL);
  }
  html_table(out, &last, columns, ROWS_MAX);
  report_grid_deinit(&last);
  html_left_out(out, ROWS_MAX, count, "runs");
}
