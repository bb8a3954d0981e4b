/* SPDX-License-Identifier: Apache-2.0 */
/* Pages, and tables in them; nothing that comes from a database gets in but through markup_printf()
 * or as JSON. */
#ifndef ASSAY_REPORTS_HTML_HTML_H
#define ASSAY_REPORTS_HTML_HTML_H

#include <stdio.h>

#include "reports/html/markup.h"
#include "reports/overview/overview.h"

/* The files of reports/html/page. */
const char *html_style(void);         /* page.css */
const char *html_script(void);        /* page.js: what all pages do */
const char *html_report_script(void); /* report.js: renders the document of a report */
const char *html_report_body(void);   /* report.html: what it renders into, and templates */

/* Writes a whole page, which loads nothing; the title is text, the body markup. */
void html_write_page(const char *title, const GString *body, FILE *out);

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

/* The rows of a grid as a table that sorts, at most `rows_max`; `columns` ends with a row whose
 * name is NULL. */
void html_table(GString *out, const report_grid_t *grid, const html_column_t *columns,
                size_t rows_max);

/* "... and 12 more: assay query NAME", if there are more than `shown`. */
void html_left_out(GString *out, size_t shown, size_t count, const char *query);

#endif
