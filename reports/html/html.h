/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the HTML report.  Each appends one section; nothing that comes from a database gets
 * in but through markup_printf(). */
#ifndef ASSAY_REPORTS_HTML_HTML_H
#define ASSAY_REPORTS_HTML_HTML_H

#include "reports/html/markup.h"
#include "reports/overview/overview.h"

/* reports/html/page/page.css and page.js. */
const char *html_style(void);
const char *html_script(void);

/* Writes a whole page, which loads nothing; the title is text, the body markup. */
void html_write_page(const char *title, const GString *body, FILE *out);

/* "12 345", "3.14", "2.1e+30", an infinity sign. */
void html_number(GString *out, double value);
/* "37 %", "0.4 %", "< 0.1 %". */
void html_share(GString *out, double part, double whole);

/* "2026-11-21 03:20" for 2026-11-21T03:20:07Z. */
void html_time_of_day(GString *out, const char *time);

typedef enum html_kind {
  HTML_TEXT,
  HTML_CODE,
  HTML_WIDE, /* Text that may be broken into lines. */
  HTML_TIME,
  HTML_NUMBER,
  HTML_PERCENT,
} html_kind_t;
typedef struct html_column {
  const char *name; /* Of the column in the grid. */
  const char *heading;
  html_kind_t kind;
} html_column_t;

/* The rows of a grid as a table that sorts, at most `rows_max`, and a line on what was left out;
 * `columns` ends with a row whose name is NULL. */
void html_table(GString *out, const report_grid_t *grid, const html_column_t *columns,
                size_t rows_max);

/* "... and 12 more: assay query NAME", if there are more than `shown`. */
void html_left_out(GString *out, size_t shown, size_t count, const char *query);

void html_unjudged(const overview_t *overview, GString *out);
void html_totals(const overview_t *overview, GString *out);
void html_causes(const overview_t *overview, GString *out);
void html_heat_map(const overview_t *overview, GString *out);
void html_histograms(const overview_t *overview, GString *out);
void html_slack_used(const overview_t *overview, GString *out);
void html_trend(const overview_t *overview, GString *out);
void html_constraints(const overview_t *overview, GString *out);
void html_time(const overview_t *overview, GString *out);
void html_versions(const overview_t *overview, GString *out);
void html_runs(const overview_t *overview, GString *out);

#endif
