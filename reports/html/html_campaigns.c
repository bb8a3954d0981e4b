/* SPDX-License-Identifier: Apache-2.0 */
/* Campaign by campaign: the trend, and where the time went; and what constraints were tried. */
#include <math.h>
#include <string.h>

#include "reports/html/html.h"

enum { CAMPAIGNS_MAX = 60, TREND_WIDTH = 300, TREND_HEIGHT = 80, TIME_ROWS_MAX = 20 };

static const html_column_t TREND_COLUMNS[] = {{"campaign", "Campaign", HTML_TEXT},
                                              {"started", "Started", HTML_TIME},
                                              {"cases", "Cases", HTML_NUMBER},
                                              {"wrong", "Wrong", HTML_NUMBER},
                                              {"wrong %", "Share wrong", HTML_PERCENT},
                                              {"unjudged %", "Share unjudged", HTML_PERCENT},
                                              {"findings", "Findings", HTML_NUMBER},
                                              {"new findings", "New", HTML_NUMBER},
                                              {"max ulp", "Largest ulp error", HTML_NUMBER},
                                              {"slack used", "Slack used", HTML_NUMBER},
                                              {NULL, NULL, HTML_TEXT}};

typedef struct trend {
  const char *title;
  const char *column;
  const char *part; /* Drawn in front, or NULL. */
  const char *part_title;
} trend_t;

static double largest(const report_grid_t *grid, size_t from, const char *column) {
  double most = 0;
  for (size_t row = from; row < report_grid_row_count(grid); row++) {
    most = fmax(most, overview_number(grid, row, column));
  }
  return most;
}

static void append_bars(const report_grid_t *grid, size_t from, const char *column, double most,
                        const char *style, GString *out) {
  size_t count = report_grid_row_count(grid) - from;
  double step = fmin(60, (double)TREND_WIDTH / (double)count);
  for (size_t i = 0; i < count; i++) {
    double value = overview_number(grid, from + i, column);
    double height = most > 0 ? (double)TREND_HEIGHT * value / most : 0;
    if (value > 0) height = fmax(height, 1);
    g_string_append_printf(
        out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">", style,
        (double)i * step, (double)TREND_HEIGHT - height, step * 0.8, height);
    markup_printf(out, "<title>%s: %.3g %s</title></rect>",
                  overview_text(grid, from + i, "campaign"), value, column);
  }
}

static void append_trend(const report_grid_t *grid, size_t from, const trend_t *trend,
                         GString *out) {
  size_t count = report_grid_row_count(grid);
  double most = largest(grid, from, trend->column);
  markup_printf(out, "<figure><figcaption>%s", trend->title);
  if (trend->part != NULL) markup_printf(out, " <small>orange: %s</small>", trend->part_title);
  g_string_append_printf(out, "</figcaption><svg viewBox=\"0 -14 %d %d\" role=\"img\">",
                         TREND_WIDTH, TREND_HEIGHT + 30);
  append_bars(grid, from, trend->column, most, "f-band", out);
  if (trend->part != NULL) append_bars(grid, from, trend->part, most, "f-wrong", out);
  g_string_append_printf(out, "<path class=\"f-line\" d=\"M0 %d.5h%d\"/>", TREND_HEIGHT,
                         TREND_WIDTH);
  g_string_append(out, "<text x=\"0\" y=\"-4\">largest: ");
  html_number(out, most);
  g_string_append_printf(out, "</text><text x=\"0\" y=\"%d\">", TREND_HEIGHT + 13);
  markup_printf(out, "%s</text>", overview_text(grid, from, "campaign"));
  if (count - from > 1) {
    g_string_append_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", TREND_WIDTH,
                           TREND_HEIGHT + 13);
    markup_printf(out, "%s</text>", overview_text(grid, count - 1, "campaign"));
  }
  g_string_append(out, "</svg></figure>\n");
}

void html_trend(const overview_t *overview, GString *out) {
  static const trend_t trends[] = {
      {"Findings", "findings", "new findings", "first seen then"},
      {"Wrong cases, percent of all", "wrong %", NULL, NULL},
      {"Unjudged cases, percent of all", "unjudged %", NULL, NULL},
      {"Cases", "cases", NULL, NULL},
  };
  const report_grid_t *grid = &overview->sections[OVERVIEW_TREND];
  size_t count = report_grid_row_count(grid);
  if (count == 0) {
    g_string_append(out, "<p>Nothing has run.</p>\n");
    return;
  }
  size_t from = count > CAMPAIGNS_MAX ? count - CAMPAIGNS_MAX : 0;
  g_string_append(out, "<div class=\"grid\">\n");
  for (size_t i = 0; i < G_N_ELEMENTS(trends); i++) append_trend(grid, from, &trends[i], out);
  g_string_append(out, "</div>\n<details><summary>In numbers</summary>\n");
  html_table(out, grid, TREND_COLUMNS, CAMPAIGNS_MAX);
  html_left_out(out, CAMPAIGNS_MAX, count, "trend");
  g_string_append(out, "</details>\n");
}

static const struct {
  const char *column;
  const char *style;
  const char *label;
} TIME_PARTS[] = {{"oracle %", "s-good", "oracle"},
                  {"executor %", "s-wrong", "executor"},
                  {"compile %", "s-weak", "compiling"},
                  {"judge %", "s-open", "judging"},
                  {"rest %", "s-rest", "the rest"}};

static void append_time_row(const report_grid_t *grid, size_t row, GString *out) {
  markup_printf(out, "<tr><td>%s</td><td><div class=\"bar thin\">",
                overview_text(grid, row, "campaign"));
  for (size_t i = 0; i < G_N_ELEMENTS(TIME_PARTS); i++) {
    double share = overview_number(grid, row, TIME_PARTS[i].column);
    if (share <= 0) continue;
    markup_printf(out, "<i class=\"%s\" style=\"width:%.2f%%\" title=\"%s: %.1f %%\"></i>",
                  TIME_PARTS[i].style, share, TIME_PARTS[i].label, share);
  }
  g_string_append(out, "</div></td>");
  static const char *const numbers[] = {"seconds", "cases/s"};
  for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
    g_string_append(out, "<td class=\"n\">");
    html_number(out, round(overview_number(grid, row, numbers[i])));
    g_string_append(out, "</td>");
  }
  for (size_t i = 0; i < G_N_ELEMENTS(TIME_PARTS); i++) {
    g_string_append(out, "<td class=\"n\">");
    html_share(out, overview_number(grid, row, TIME_PARTS[i].column), 100);
    g_string_append(out, "</td>");
  }
  g_string_append(out, "</tr>\n");
}

void html_time(const overview_t *overview, GString *out) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_TIME];
  g_string_append(out, "<ul class=\"key\">");
  for (size_t i = 0; i < G_N_ELEMENTS(TIME_PARTS); i++) {
    markup_printf(out, "<li><i class=\"%s\"></i>%s</li>\n", TIME_PARTS[i].style,
                  TIME_PARTS[i].label);
  }
  g_string_append(out,
                  "</ul>\n<div class=\"scroll\"><table><thead><tr><th>Campaign</th><th></th>"
                  "<th class=\"n\">Seconds</th><th class=\"n\">Cases/s</th>");
  for (size_t i = 0; i < G_N_ELEMENTS(TIME_PARTS); i++) {
    markup_printf(out, "<th class=\"n\">%s</th>", TIME_PARTS[i].label);
  }
  g_string_append(out, "</tr></thead><tbody>\n");
  size_t count = report_grid_row_count(grid);
  for (size_t row = 0; row < MIN(count, (size_t)TIME_ROWS_MAX); row++) {
    append_time_row(grid, row, out);
  }
  g_string_append(out, "</tbody></table></div>\n");
  html_left_out(out, TIME_ROWS_MAX, count, "time");
}

static const struct {
  const char *state; /* As query `constraints` says. */
  const char *style;
  const char *mark;
  const char *label;
} STATES[] = {{"rejected", "ok", "", "rejected"},
              {"accepted", "bad", "!", "accepted by an executor"},
              {"undecided", "maybe", "?", "drawn, neither rejected nor accepted"},
              {"never drawn", "none", "", "never drawn"}};

static void append_chip(const report_grid_t *grid, size_t row, GString *out) {
  const char *state = overview_text(grid, row, "state");
  for (size_t i = 0; i < G_N_ELEMENTS(STATES); i++) {
    if (strcmp(STATES[i].state, state) != 0) continue;
    const char *by = overview_text(grid, row, "accepted by");
    markup_printf(out, "<span class=\"chip %s\" title=\"%s: %s; %s drawn, %s rejected, %s accepted",
                  STATES[i].style, overview_text(grid, row, "constraint"),
                  overview_text(grid, row, "text"), overview_text(grid, row, "drawn"),
                  overview_text(grid, row, "rejected"), overview_text(grid, row, "accepted"));
    if (by[0] != '\0') markup_printf(out, " by %s", by);
    markup_printf(out, "\">%s%s</span>", overview_text(grid, row, "constraint"), STATES[i].mark);
  }
}

void html_constraints(const overview_t *overview, GString *out) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_CONSTRAINTS];
  g_string_append(out, "<ul class=\"key\">");
  for (size_t i = 0; i < G_N_ELEMENTS(STATES); i++) {
    size_t count = 0;
    for (size_t row = 0; row < report_grid_row_count(grid); row++) {
      count += strcmp(overview_text(grid, row, "state"), STATES[i].state) == 0;
    }
    markup_printf(out, "<li><i class=\"chip %s\"></i>%s%s%s <b>%zu</b></li>\n", STATES[i].style,
                  STATES[i].mark, STATES[i].mark[0] == '\0' ? "" : " ", STATES[i].label, count);
  }
  g_string_append(out, "</ul>\n<div class=\"chips\">\n");
  const char *op = NULL;
  for (size_t row = 0; row < report_grid_row_count(grid); row++) {
    const char *this_op = overview_text(grid, row, "op");
    if (op == NULL || strcmp(op, this_op) != 0) {
      if (op != NULL) g_string_append(out, "</div>\n");
      markup_printf(out, "<div>%s</div><div>", this_op);
    }
    op = this_op;
    append_chip(grid, row, out);
  }
  g_string_append(out, op == NULL ? "</div>\n" : "</div></div>\n");
}
