/* SPDX-License-Identifier: Apache-2.0 */
/* HTML tables of a grid by column kind (number, percent, time, text), with limits on rows. */
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

static void append_number(GString *out, double value) {
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

static void append_time(GString *out, const char *time) {
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
      append_time(out, text);
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
    append_number(out, value->real);
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
  append_number(out, (double)(count - shown));
  markup_printf(out, " more; <code>assay query %s</code> lists all.</p>\n", query);
}
