/* SPDX-License-Identifier: Apache-2.0 */
/* The report for the terminal and the mail: vacuous results come first. */
#include <math.h>
#include <string.h>

#include "reports/overview/report_overview.h"
#include "reports/power/power_stored.h"
#include "reports/report.h"

enum { ROWS_MAX = 20 };

static double share(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

/* The two formats that people read say the same. */
typedef struct page {
  const overview_t *overview;
  FILE *out;
  bool is_markdown;
} page_t;

static void print_heading(const page_t *page, const char *words) {
  fprintf(page->out, "\n%s%s\n%s", page->is_markdown ? "## " : "", words,
          page->is_markdown ? "\n" : "");
}

static void print_grid(const page_t *page, const report_grid_t *grid) {
  if (page->is_markdown) {
    report_write_markdown(grid, page->out);
  } else {
    report_print_table(grid, page->out);
  }
}

/* Copies some columns of the first rows; `columns` ends with NULL. */
static void print_rows(const page_t *page, overview_section_t section, const char *const *columns,
                       size_t rows_max) {
  const report_grid_t *grid = &page->overview->sections[section];
  size_t row_count = report_grid_row_count(grid);
  if (row_count == 0) {
    fputs("(none)\n", page->out);
    return;
  }
  report_grid_t part;
  report_grid_init(&part);
  part.bytes_max = SIZE_MAX;
  int count = 0;
  while (columns[count] != NULL) count++;
  report_grid_add(&part, count, columns, NULL, NULL);
  g_autofree store_value_t *values = g_new0(store_value_t, count);
  for (size_t row = 0; row < MIN(row_count, rows_max); row++) {
    for (int i = 0; i < count; i++) values[i] = *overview_cell(grid, row, columns[i]);
    report_grid_add(&part, count, columns, values, NULL);
  }
  print_grid(page, &part);
  report_grid_deinit(&part);
  if (row_count > rows_max) {
    fprintf(page->out, "%s... and %zu more rows: assay report --html, or assay query\n",
            page->is_markdown ? "\n" : "", row_count - rows_max);
  }
}

/* What is new, and how bad it is. */
static void print_sentences(const page_t *page) {
  g_autoptr(GString) headline = g_string_new(NULL);
  overview_print_headline(page->overview, headline);
  g_string_append(headline, page->is_markdown ? "\n\n" : "\n");
  overview_print_summary(page->overview, headline);
  report_print_line(headline->str, page->out);
}

static void print_head(const page_t *page) {
  const overview_t *overview = page->overview;
  const report_grid_t *totals = &overview->sections[OVERVIEW_TOTALS];
  fprintf(page->out, "%sAssay report of %s%s%s: %s to %s\n%s", page->is_markdown ? "# " : "",
          overview->database, overview->campaign == NULL ? "" : ", campaign ",
          overview->campaign == NULL ? "" : overview->campaign, overview_text(totals, 0, "started"),
          overview_text(totals, 0, "ended"), page->is_markdown ? "\n" : "");
  print_sentences(page);
  fprintf(page->out, "%s%s campaigns, %s runs, %s executors, %s ops, %s cases\n",
          page->is_markdown ? "\n" : "", overview_text(totals, 0, "campaigns"),
          overview_text(totals, 0, "runs"), overview_text(totals, 0, "executors"),
          overview_text(totals, 0, "ops"), overview_text(totals, 0, "cases"));
}

static const char *plural(guint count) { return count == 1 ? "" : "s"; }

/* "12 in 2 ops, 1 algorithm, 5 types"; a list of types is one. */
static char *spread_words(const overview_group_t *group) {
  return g_strdup_printf("%zu in %u op%s, %u algorithm%s, %u type%s", group->count, group->ops->len,
                         plural(group->ops->len), group->algorithms->len,
                         plural(group->algorithms->len), group->types->len,
                         plural(group->types->len));
}

/* All root causes in one table. */
static void print_triage(const page_t *page) {
  static const char *const columns[] = {"severity", "executor", "what is wrong", "state",
                                        "findings", "op",       "got",           "permitted"};
  static const char *const cells[] = {"severity", "who", "diagnosis", "state",
                                      NULL,       "op",  "got",       "permitted"};
  const overview_t *overview = page->overview;
  const report_grid_t *grid = &overview->sections[OVERVIEW_CAUSES];
  print_heading(page, "WHAT IS WRONG, the gravest first");
  report_grid_t part;
  report_grid_init(&part);
  part.bytes_max = SIZE_MAX;
  report_grid_add(&part, G_N_ELEMENTS(columns), columns, NULL, NULL);
  for (guint i = 0; i < overview->groups->len; i++) {
    store_value_t values[G_N_ELEMENTS(columns)];
    for (size_t k = 0; k < G_N_ELEMENTS(columns); k++) {
      if (cells[k] != NULL) values[k] = *overview_cell(grid, i, cells[k]);
    }
    g_autofree char *spread = spread_words(&g_array_index(overview->groups, overview_group_t, i));
    values[4] = (store_value_t){.kind = STORE_TEXT, .text = spread};
    report_grid_add(&part, G_N_ELEMENTS(columns), columns, values, NULL);
  }
  if (overview->groups->len == 0) {
    fputs("Nothing was found to be wrong.\n", page->out);
  } else {
    print_grid(page, &part);
  }
  report_grid_deinit(&part);
}

static void print_unjudged(const page_t *page) {
  const overview_t *overview = page->overview;
  double cases = overview_total(overview, "cases");
  print_heading(page, "VACUOUS: NOTHING COULD HAVE FAILED HERE");
  static const char *const kinds[][2] = {{"refused", "refused by the executor"},
                                         {"no-oracle", "undecided: no oracle"},
                                         {"weak", "weak: nothing could have failed"}};
  const char *item = page->is_markdown ? "- " : "  ";
  for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
    double count = overview_total(overview, kinds[i][0]);
    fprintf(page->out, "%s%10.0f  %5.1f %%  %s\n", item, count, share(count, cases), kinds[i][1]);
  }
  static const char *const columns[] = {"executor",    "op",     "cases",      "refused %",
                                        "no-oracle %", "weak %", "untested %", NULL};
  if (page->is_markdown) fputc('\n', page->out);
  if (report_grid_row_count(&overview->sections[OVERVIEW_UNJUDGED]) > 0) {
    print_rows(page, OVERVIEW_UNJUDGED, columns, ROWS_MAX);
  }
}

static void print_verdicts(const page_t *page) {
  const overview_t *overview = page->overview;
  double cases = overview_total(overview, "cases");
  double conforms = overview_total(overview, "conforms");
  double wrong = overview_total(overview, "wrong");
  const char *item = page->is_markdown ? "- " : "  ";
  print_heading(page, "VERDICTS");
  fprintf(page->out, "%s%10.0f  %5.1f %%  conform\n", item, conforms, share(conforms, cases));
  double findings = overview_total(overview, "findings");
  fprintf(page->out, "%s%10.0f  %5.1f %%  wrong: %.0f finding%s, ", item, wrong,
          share(wrong, cases), findings, plural(findings == 1 ? 1 : 2));
  fprintf(page->out, "%.0f of them new, %u root cause%s\n",
          overview_total(overview, "new findings"), overview->groups->len,
          plural(overview->groups->len));
  double held = overview_total(overview, "held to wide");
  double not_wide = overview_total(overview, "not wide");
  if (not_wide > 0) {
    fprintf(page->out,
            "%s%10.0f  %5.1f %%  need more than contract wide, of %.0f conforming cases held "
            "against it: assay query wide\n",
            item, not_wide, share(not_wide, held), held);
  }
}

/* The gravest new finding of a root cause: however many findings it has, it is one thing to look
 * at. */
static void print_new_finding(const page_t *page, const overview_group_t *group, GString *text) {
  const overview_t *overview = page->overview;
  size_t index = overview_find_id(overview, group->newest);
  overview_finding_t finding = overview_finding(overview, index);
  g_string_printf(text, "%s: %s %s %s %s ", finding.severity, finding.executor, finding.op,
                  finding.algorithm, finding.types);
  overview_print_finding(overview, index, text);
  g_string_append_printf(text, "\n    %zu new of %zu finding%s, %.0f case%s\n    ",
                         group->new_count, group->count, plural((guint)group->count),
                         group->sightings, plural(group->sightings == 1 ? 1 : 2));
  overview_print_replay(overview, index, text);
  report_print_line(text->str, page->out);
}

static void print_new(const page_t *page) {
  const overview_t *overview = page->overview;
  g_autofree char *heading =
      g_strdup_printf("NEW in campaign %s: %.0f findings, the gravest first",
                      overview_text(&overview->sections[OVERVIEW_TOTALS], 0, "last campaign"),
                      overview_total(overview, "new findings"));
  print_heading(page, heading);
  if (page->is_markdown) fputs("```\n", page->out);
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < overview->groups->len; i++) {
    const overview_group_t *group = &g_array_index(overview->groups, overview_group_t, i);
    if (group->new_count > 0) print_new_finding(page, group, text);
  }
  g_string_free(text, TRUE);
  if (page->is_markdown) fputs("```\n", page->out);
}

/* What is known of root causes, each once, in as many lines as it takes. */
static void print_known(const page_t *page) {
  const report_grid_t *grid = &page->overview->sections[OVERVIEW_KNOWN];
  if (report_grid_row_count(grid) == 0) return;
  print_heading(page, "KNOWN CAUSES");
  static const char *const columns[] = {"why",    "clause",    "links", "affected",
                                        "mended", "regressed", "found"};
  for (size_t row = 0; row < report_grid_row_count(grid); row++) {
    g_autofree char *head =
        g_strdup_printf("%s%s, %s: %s (%s findings)", page->is_markdown ? "- " : "",
                        overview_text(grid, row, "executor"), overview_text(grid, row, "id"),
                        overview_text(grid, row, "title"), overview_text(grid, row, "findings"));
    report_print_line(head, page->out);
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) {
      const char *text = overview_text(grid, row, columns[i]);
      if (text[0] == '\0') continue;
      g_autofree char *line =
          g_strdup_printf("    %s%s: %s", page->is_markdown ? "- " : "", columns[i], text);
      report_print_line(line, page->out);
    }
  }
}

static void print_power(const page_t *page) {
  g_autoptr(GString) text = g_string_new(NULL);
  power_summary_t power = power_stored_summary(&page->overview->sections[OVERVIEW_POWER]);
  power_line_print(&power, text);
  print_heading(page, "HOW LARGE AN ERROR WOULD HAVE BEEN SEEN");
  report_print_line(text->len == 0 ? "Not measured." : text->str, page->out);
}

/* Where nothing was run with a twin there is nothing to say. */
static void print_twins(const page_t *page) {
  static const char *const columns[] = {
      "executor",     "twin",           "op",         "cases",      "different",
      "both conform", "executor wrong", "twin wrong", "both wrong", "undecided",
      "class twins",  "most in",        NULL};
  if (report_grid_row_count(&page->overview->sections[OVERVIEW_TWINS]) == 0) return;
  print_heading(page,
                "TWINS: one backend asked in two ways, how often bits differ, and who is wrong");
  print_rows(page, OVERVIEW_TWINS, columns, ROWS_MAX);
}

static void print_details(const page_t *page) {
  static const char *const algorithms[] = {
      "op",      "algorithm", "executor",  "cases",          "conforms", "diverges", "failed",
      "refused", "weak",      "no-oracle", "backward error", "max ulp",  NULL};
  static const char *const slack[] = {"executor", "op", "cases", "p50", "p90", "p99", "max", NULL};
  static const char *const trend[] = {"number",   "campaign",     "cases",      "wrong %",
                                      "findings", "new findings", "slack used", NULL};
  static const char *const times[] = {"campaign", "seconds", "oracle %", "executor %", "compile %",
                                      "judge %",  "rest %",  "cases/s",  NULL};
  print_heading(page, "OP AND ALGORITHM: backward errors of what conforms, ulps of what is wrong");
  print_rows(page, OVERVIEW_ALGORITHMS, algorithms, ROWS_MAX);
  print_heading(page, "SLACK USED by what conforms: error / permitted error");
  print_rows(page, OVERVIEW_SLACK_USED, slack, ROWS_MAX);
  print_heading(page, "TREND");
  print_rows(page, OVERVIEW_TREND, trend, ROWS_MAX);
  print_heading(page, "TIME");
  print_rows(page, OVERVIEW_TIME, times, ROWS_MAX);
}

static void print_report(const page_t *page) {
  const overview_t *overview = page->overview;
  print_head(page);
  print_triage(page);
  print_new(page);
  print_unjudged(page);
  print_power(page);
  print_heading(page, "CONSTRAINTS of the specifications");
  fprintf(page->out, "%.0f of %.0f put to the test\n",
          overview_total(overview, "constraints drawn"), overview_total(overview, "constraints"));
  print_verdicts(page);
  print_known(page);
  print_twins(page);
  print_details(page);
}

void report_print_text(const overview_t *overview, FILE *out) {
  const page_t page = {overview, out, false};
  print_report(&page);
}

void report_print_markdown(const overview_t *overview, FILE *out) {
  const page_t page = {overview, out, true};
  print_report(&page);
}

void report_print_causes(const overview_t *overview, FILE *out) {
  const page_t page = {overview, out, false};
  fputc('\n', out);
  print_sentences(&page);
  print_triage(&page);
}
