/* SPDX-License-Identifier: Apache-2.0 */
/* The report for the terminal and the mail: vacuous results come first. */
#include <math.h>
#include <string.h>

#include "reports/overview/report_overview.h"
#include "reports/power/power_stored.h"
#include "reports/report.h"

enum { ROWS_MAX = 20 };

static double share(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

/* Copies some columns of the first rows; `columns` ends with NULL. */
static void print_rows(const report_grid_t *grid, const char *const *columns, size_t rows_max,
                       FILE *out) {
  report_grid_t part;
  report_grid_init(&part);
  int count = 0;
  while (columns[count] != NULL) count++;
  report_grid_add(&part, count, columns, NULL, NULL);
  size_t row_count = report_grid_row_count(grid);
  g_autofree store_value_t *values = g_new0(store_value_t, count);
  for (size_t row = 0; row < MIN(row_count, rows_max); row++) {
    for (int i = 0; i < count; i++) values[i] = *overview_cell(grid, row, columns[i]);
    report_grid_add(&part, count, columns, values, NULL);
  }
  report_print_table(&part, out);
  report_grid_deinit(&part);
  if (row_count > rows_max) {
    fprintf(out, "... and %zu more rows: assay report --html, or assay query\n",
            row_count - rows_max);
  }
}

static void print_table(const report_grid_t *grid, const char *const *columns, FILE *out) {
  print_rows(grid, columns, ROWS_MAX, out);
}

static void print_head(const overview_t *overview, FILE *out) {
  const report_grid_t *totals = &overview->sections[OVERVIEW_TOTALS];
  fprintf(out, "Assay report of %s%s%s: %s to %s\n", overview->database,
          overview->campaign == NULL ? "" : ", campaign ",
          overview->campaign == NULL ? "" : overview->campaign, overview_text(totals, 0, "started"),
          overview_text(totals, 0, "ended"));
  fprintf(out, "%s campaigns, %s runs, %s executors, %s ops, %s cases\n",
          overview_text(totals, 0, "campaigns"), overview_text(totals, 0, "runs"),
          overview_text(totals, 0, "executors"), overview_text(totals, 0, "ops"),
          overview_text(totals, 0, "cases"));
}

static void print_unjudged(const overview_t *overview, FILE *out) {
  double cases = overview_total(overview, "cases");
  fputs("\nVACUOUS: NOTHING COULD HAVE FAILED HERE\n", out);
  static const char *const kinds[][2] = {{"refused", "refused by the executor"},
                                         {"no-oracle", "undecided: no oracle"},
                                         {"weak", "weak: nothing could have failed"}};
  for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
    double count = overview_total(overview, kinds[i][0]);
    fprintf(out, "  %10.0f  %5.1f %%  %s\n", count, share(count, cases), kinds[i][1]);
  }
  static const char *const columns[] = {"executor",    "op",     "cases",      "refused %",
                                        "no-oracle %", "weak %", "untested %", NULL};
  if (report_grid_row_count(&overview->sections[OVERVIEW_UNJUDGED]) > 0) {
    print_table(&overview->sections[OVERVIEW_UNJUDGED], columns, out);
  }
}

static void print_verdicts(const overview_t *overview, FILE *out) {
  double cases = overview_total(overview, "cases");
  double conforms = overview_total(overview, "conforms");
  double wrong = overview_total(overview, "wrong");
  fputs("\nVERDICTS\n", out);
  fprintf(out, "  %10.0f  %5.1f %%  conform\n", conforms, share(conforms, cases));
  fprintf(out, "  %10.0f  %5.1f %%  wrong: %.0f findings, %.0f of them new, %.0f root causes\n",
          wrong, share(wrong, cases), overview_total(overview, "findings"),
          overview_total(overview, "new findings"), overview_total(overview, "causes"));
  double held = overview_total(overview, "held to wide");
  double not_wide = overview_total(overview, "not wide");
  if (not_wide > 0) {
    fprintf(out,
            "  %10.0f  %5.1f %%  need more than contract wide, of %.0f conforming cases held "
            "against it: assay query wide\n",
            not_wide, share(not_wide, held), held);
  }
}

/* One example of each root cause: however many findings it has, it is one thing to look at. */
static void print_new(const overview_t *overview, FILE *out) {
  fprintf(out, "\nNEW in campaign %s: %.0f findings, the gravest first\n",
          overview_text(&overview->sections[OVERVIEW_TOTALS], 0, "last campaign"),
          overview_total(overview, "new findings"));
  GArray *groups = overview_groups(overview);
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < groups->len; i++) {
    const overview_group_t *group = &g_array_index(groups, overview_group_t, i);
    if (group->new_count == 0) continue;
    overview_finding_t finding = overview_finding(overview, group->example_new);
    g_string_printf(text, "%s: %s %s %s %s ", finding.severity, finding.executor, finding.op,
                    finding.algorithm, finding.types);
    overview_print_finding(overview, group->example_new, text);
    g_string_append_printf(text, "\n    %zu new of %zu findings, %.0f cases\n    ",
                           group->new_count, group->count, group->sightings);
    overview_print_replay(overview, group->example_new, text);
    report_print_line(text->str, out);
  }
  g_string_free(text, TRUE);
  g_array_unref(groups);
}

/* What is known of root causes, each once, in as many lines as it takes. */
static void print_known(const overview_t *overview, FILE *out) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_KNOWN];
  if (report_grid_row_count(grid) == 0) return;
  fputs("\nKNOWN CAUSES\n", out);
  static const char *const columns[] = {"why",    "clause",    "links", "affected",
                                        "mended", "regressed", "found"};
  for (size_t row = 0; row < report_grid_row_count(grid); row++) {
    g_autofree char *head =
        g_strdup_printf("%s, %s: %s (%s findings)", overview_text(grid, row, "executor"),
                        overview_text(grid, row, "id"), overview_text(grid, row, "title"),
                        overview_text(grid, row, "findings"));
    report_print_line(head, out);
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) {
      const char *text = overview_text(grid, row, columns[i]);
      if (text[0] == '\0') continue;
      g_autofree char *line = g_strdup_printf("    %s: %s", columns[i], text);
      report_print_line(line, out);
    }
  }
}

/* The last line. */
static void print_power(const overview_t *overview, FILE *out) {
  g_autoptr(GString) text = g_string_new(NULL);
  power_summary_t power = power_stored_summary(&overview->sections[OVERVIEW_POWER]);
  power_line_print(&power, text);
  if (text->len == 0) return;
  fputc('\n', out);
  report_print_line(text->str, out);
}

void report_print_text(const overview_t *overview, FILE *out) {
  static const char *const causes[] = {"severity", "executor", "op",      "class",
                                       "cause",    "findings", "new",     "sightings",
                                       "ops",      "types",    "max ulp", NULL};
  static const char *const algorithms[] = {"op",       "algorithm", "executor", "cases",
                                           "conforms", "diverges",  "failed",   "refused",
                                           "weak",     "no-oracle", "max ulp",  NULL};
  static const char *const slack[] = {"executor", "op", "cases", "p50", "p90", "p99", "max", NULL};
  static const char *const trend[] = {"number",  "campaign",   "cases",
                                      "wrong %", "findings",   "new findings",
                                      "max ulp", "slack used", NULL};
  static const char *const times[] = {"campaign", "seconds", "oracle %", "executor %", "compile %",
                                      "judge %",  "rest %",  "cases/s",  NULL};
  print_head(overview, out);
  print_unjudged(overview, out);
  print_verdicts(overview, out);
  print_new(overview, out);
  fputs("\nROOT CAUSES, the gravest first\n", out);
  print_rows(&overview->sections[OVERVIEW_CAUSES], causes, SIZE_MAX, out);
  print_known(overview, out);
  fputs("\nOP AND ALGORITHM\n", out);
  print_table(&overview->sections[OVERVIEW_ALGORITHMS], algorithms, out);
  fputs("\nSLACK USED by what conforms: error / permitted error\n", out);
  print_table(&overview->sections[OVERVIEW_SLACK_USED], slack, out);
  fputs("\nTREND\n", out);
  print_table(&overview->sections[OVERVIEW_TREND], trend, out);
  fprintf(out, "\nCONSTRAINTS of the specifications: %.0f of %.0f put to the test\n",
          overview_total(overview, "constraints drawn"), overview_total(overview, "constraints"));
  fputs("\nTIME\n", out);
  print_table(&overview->sections[OVERVIEW_TIME], times, out);
  print_power(overview, out);
}
