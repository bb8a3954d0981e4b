/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of errors, and how much of what is permitted is used. */
#include <math.h>
#include <string.h>

#include "reports/html/html.h"

/* A chart has a bar for no error, one for each power of 2, one for infinity. */
enum {
  POWER_LEAST = -24,
  POWER_MOST = 39,
  BARS = POWER_MOST - POWER_LEAST + 3,
  BAR_STEP = 4, /* In units of the drawing. */
  BAR_WIDTH = 3,
  CHART_HEIGHT = 60,
  OPS_MAX = 40,
  TYPES_MAX = 24,
  SLACK_ROWS_OPEN = 20,
  SLACK_ROWS_MAX = 120,
  SLACK_WIDTH = 220,
};

typedef struct chart {
  const char *op;
  const char *types; /* NULL: all. */
  double cases[BARS];
  double wrong[BARS];
  double total;
} chart_t;

static int bar_of(double low, double high) {
  if (high == 0) return 0;
  if (isinf(low)) return BARS - 1;
  /* The least bucket begins at 0, or holds what is smaller too. */
  int power = low > 0 ? (int)floor(log2(low) + 0.01) : POWER_LEAST;
  return 1 + CLAMP(power, POWER_LEAST, POWER_MOST) - POWER_LEAST;
}

static chart_t *find_chart(GArray *charts, const char *op, const char *types) {
  for (guint i = charts->len; i > 0; i--) { /* Rows come sorted: mostly the last one. */
    chart_t *chart = &g_array_index(charts, chart_t, i - 1);
    if (strcmp(chart->op, op) == 0 && g_strcmp0(chart->types, types) == 0) return chart;
  }
  const chart_t chart = {.op = op, .types = types};
  g_array_append_val(charts, chart);
  return &g_array_index(charts, chart_t, charts->len - 1);
}

static GArray *gather(const report_grid_t *grid, const char *measure, bool by_types) {
  GArray *charts = g_array_new(FALSE, TRUE, sizeof(chart_t));
  size_t count = report_grid_row_count(grid);
  for (size_t row = 0; row < count; row++) {
    if (strcmp(overview_text(grid, row, "measure"), measure) != 0) continue;
    chart_t *chart = find_chart(charts, overview_text(grid, row, "op"),
                                by_types ? overview_text(grid, row, "types") : NULL);
    int bar = bar_of(overview_number(grid, row, "from"), overview_number(grid, row, "to"));
    double wrong = overview_number(grid, row, "wrong");
    double cases = overview_number(grid, row, "not wrong") + wrong;
    chart->cases[bar] += cases;
    chart->wrong[bar] += wrong;
    chart->total += cases;
  }
  return charts;
}

static double bar_height(double cases, double most) {
  return cases <= 0 ? 0 : fmax(2, (double)CHART_HEIGHT * log1p(cases) / log1p(most));
}

static void append_bars(const double *cases, double most, const char *style, GString *out) {
  markup_printf(out, "<path class=\"%s\" d=\"", style);
  for (int i = 0; i < BARS; i++) {
    if (cases[i] <= 0) continue;
    double height = bar_height(cases[i], most);
    g_string_append_printf(out, "M%d %dv-%.1fh%dv%.1fz", i * BAR_STEP, CHART_HEIGHT, height,
                           BAR_WIDTH, height);
  }
  g_string_append(out, "\"/>");
}

static void append_chart(const chart_t *chart, const char *measure, GString *out) {
  static const struct {
    int bar;
    const char *label;
    const char *anchor;
  } ticks[] = {{0, "0", "start"},
               {1 - POWER_LEAST - 16, "2^-16", "middle"},
               {1 - POWER_LEAST, "1", "middle"},
               {1 - POWER_LEAST + 16, "2^16", "middle"},
               {BARS - 1, "inf", "end"}};
  double most = 0;
  for (int i = 0; i < BARS; i++) most = fmax(most, chart->cases[i]);
  g_string_append(out, "<figure><figcaption>");
  markup_printf(out, "%s <small>%s %s, ", chart->op, chart->types == NULL ? "" : chart->types,
                measure);
  html_number(out, chart->total);
  g_string_append(out, " cases</small></figcaption>");
  g_string_append_printf(out, "<svg viewBox=\"-4 -4 %d %d\" role=\"img\">", BARS * BAR_STEP + 8,
                         CHART_HEIGHT + 20);
  g_string_append_printf(out, "<path class=\"f-line\" d=\"M0 %d.5h%d\"/>", CHART_HEIGHT,
                         BARS * BAR_STEP);
  append_bars(chart->cases, most, "f-good", out);
  append_bars(chart->wrong, most, "f-wrong", out);
  if (strcmp(measure, "slack") == 0) {
    g_string_append_printf(out, "<path class=\"f-limit\" d=\"M%.1f 0v%d\"/>",
                           (1 - POWER_LEAST) * BAR_STEP - 0.5, CHART_HEIGHT);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(ticks); i++) {
    g_string_append_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>",
                           ticks[i].bar * BAR_STEP + 1, CHART_HEIGHT + 12, ticks[i].anchor,
                           ticks[i].label);
  }
  g_string_append(out, "</svg></figure>\n");
}

static gint compare_totals(gconstpointer a, gconstpointer b) {
  double left = ((const chart_t *)a)->total;
  double right = ((const chart_t *)b)->total;
  if (left != right) return left > right ? -1 : 1;
  int order = strcmp(((const chart_t *)a)->op, ((const chart_t *)b)->op);
  return order != 0 ? order : g_strcmp0(((const chart_t *)a)->types, ((const chart_t *)b)->types);
}

static void append_charts(const overview_t *overview, bool by_types, GString *out) {
  static const char *const measures[] = {"ulp", "slack"};
  g_string_append(out, "<div class=\"grid\">\n");
  for (size_t i = 0; i < G_N_ELEMENTS(measures); i++) {
    GArray *charts = gather(&overview->sections[OVERVIEW_HISTOGRAM], measures[i], by_types);
    if (by_types) g_array_sort(charts, compare_totals);
    guint count = MIN(charts->len, (guint)(by_types ? TYPES_MAX : OPS_MAX));
    for (guint k = 0; k < count; k++) {
      append_chart(&g_array_index(charts, chart_t, k), measures[i], out);
    }
    g_array_unref(charts);
  }
  g_string_append(out, "</div>\n");
}

void html_histograms(const overview_t *overview, GString *out) {
  if (report_grid_row_count(&overview->sections[OVERVIEW_HISTOGRAM]) == 0) {
    g_string_append(out, "<p>No error was measured.</p>\n");
    return;
  }
  g_string_append(out,
                  "<ul class=\"key\"><li><i class=\"s-good\"></i>all cases</li>"
                  "<li><i class=\"s-wrong\"></i>of them wrong</li></ul>\n");
  append_charts(overview, false, out);
  g_string_append_printf(
      out, "<details><summary>By types: those with most cases, up to %d</summary>\n", TYPES_MAX);
  append_charts(overview, true, out);
  g_string_append(out, "</details>\n");
  static const html_column_t columns[] = {
      {"op", "Op", HTML_TEXT},        {"algorithm", "Algorithm", HTML_TEXT},
      {"types", "Types", HTML_TEXT},  {"executor", "Executor", HTML_TEXT},
      {"measure", "Of", HTML_TEXT},   {"cases", "Cases", HTML_NUMBER},
      {"p50", "Median", HTML_NUMBER}, {"p90", "90 %", HTML_NUMBER},
      {"p99", "99 %", HTML_NUMBER},   {"max", "Largest", HTML_NUMBER},
      {NULL, NULL, HTML_TEXT}};
  const report_grid_t *percentiles = &overview->sections[OVERVIEW_PERCENTILES];
  enum { ROWS_MAX = 100 };
  g_string_append(out, "<details><summary>Percentiles</summary>\n");
  html_table(out, percentiles, columns, ROWS_MAX);
  html_left_out(out, ROWS_MAX, report_grid_row_count(percentiles), "percentiles");
  g_string_append(out, "</details>\n");
}

/* From 0 to 1; what is beyond stands at the end. */
static double slack_place(double slack) { return (double)SLACK_WIDTH * fmin(fmax(slack, 0), 1); }

static void append_slack_row(const report_grid_t *grid, size_t row, GString *out) {
  double p50 = slack_place(overview_number(grid, row, "p50"));
  double p99 = slack_place(overview_number(grid, row, "p99"));
  double most = slack_place(overview_number(grid, row, "max"));
  markup_printf(out, "<tr><td>%s</td><td>%s</td><td>", overview_text(grid, row, "executor"),
                overview_text(grid, row, "op"));
  g_string_append_printf(out,
                         "<svg viewBox=\"0 0 %d 14\" role=\"img\" preserveAspectRatio=\"none\">"
                         "<rect class=\"f-track\" y=\"4\" width=\"%d\" height=\"6\"/>"
                         "<rect class=\"f-good\" x=\"%.1f\" y=\"2\" width=\"%.1f\" height=\"10\"/>"
                         "<rect class=\"f-ink\" x=\"%.1f\" width=\"2\" height=\"14\"/></svg></td>",
                         SLACK_WIDTH, SLACK_WIDTH, p50, fmax(p99 - p50, 3),
                         fmin(most, SLACK_WIDTH - 2));
  static const char *const numbers[] = {"p50", "p90", "p99", "max", "cases"};
  for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
    g_string_append(out, "<td class=\"n\">");
    html_number(out, overview_number(grid, row, numbers[i]));
    g_string_append(out, "</td>");
  }
  g_string_append(out, "</tr>\n");
}

static void append_slack_rows(const report_grid_t *grid, size_t from, size_t to, GString *out) {
  g_string_append(out,
                  "<div class=\"scroll\"><table><thead><tr><th>Executor</th><th>Op</th>"
                  "<th>0 to 1</th><th class=\"n\">Median</th><th class=\"n\">90 %</th>"
                  "<th class=\"n\">99 %</th><th class=\"n\">Largest</th>"
                  "<th class=\"n\">Cases</th></tr></thead><tbody>\n");
  for (size_t row = from; row < to; row++) append_slack_row(grid, row, out);
  g_string_append(out, "</tbody></table></div>\n");
}

void html_slack_used(const overview_t *overview, GString *out) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_SLACK_USED];
  size_t count = report_grid_row_count(grid);
  size_t open = MIN(count, (size_t)SLACK_ROWS_OPEN);
  size_t shown = MIN(count, (size_t)SLACK_ROWS_MAX);
  if (count == 0) {
    g_string_append(out, "<p>No slack was measured.</p>\n");
    return;
  }
  append_slack_rows(grid, 0, open, out);
  if (shown > open) {
    g_string_append_printf(out, "<details><summary>%zu more rows</summary>\n", shown - open);
    append_slack_rows(grid, open, shown, out);
    html_left_out(out, shown, count, "percentiles");
    g_string_append(out, "</details>\n");
  }
}
