/* SPDX-License-Identifier: Apache-2.0 */
/* Answers from a database alone: named queries (reports/queries) or any SQL, in several formats. */
#ifndef ASSAY_REPORTS_REPORT_H
#define ASSAY_REPORTS_REPORT_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "harness/store/reader.h"

typedef enum report_format {
  REPORT_TABLE,    /* Aligned columns; cut to the width of the terminal if `out` is one. */
  REPORT_JSON,     /* An array with one object per row; exact numbers, infinity as "Infinity". */
  REPORT_CSV,      /* RFC 4180, with a header line; exact numbers, infinity as Infinity; an
                    * apostrophe before text that a spreadsheet would take for a formula. */
  REPORT_MARKDOWN, /* A table of GitHub's dialect. */
  REPORT_FORMAT_COUNT
} report_format_t;

/* "table", "json", "csv", "markdown". */
const char *report_format_spelling(report_format_t format);
status_t report_format_parse(const char *spelling, report_format_t *out_format, failure_t *error);

/* The SQL of the query called `name` ("by-op"), borrowed, or NULL. */
const char *report_find_query(const char *name);

/* One line per query: its name and what it tells. */
void report_list_queries(GString *out_text);

/* What a report is about. */
typedef struct report_source {
  const char *path;     /* Of the database. */
  const char *campaign; /* The only one in it to be read; NULL: all. */
  const char *const
      *known; /* Files of known causes beside those built in, ended by NULL; or NULL. */
  const char
      *severity; /* A file with another order of severities, severity_order_read(); or NULL. */
} report_source_t;

/* Opens it as it is to be read; store_reader_close() closes it. */
status_t report_open(const report_source_t *source, store_reader_t **out_reader, failure_t *error);

/* Runs one reading query and writes its rows to `out`.  STATUS_INVALID if it has no answer within
 * `limit` (NULL: none). */
status_t report_query(const report_source_t *source, const char *sql, report_format_t format,
                      const store_limit_t *limit, FILE *out, failure_t *error);

#endif
