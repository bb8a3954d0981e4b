/* SPDX-License-Identifier: Apache-2.0 */
/* Writers of an overview, one for each format of `assay report`. */
#ifndef ASSAY_REPORTS_OVERVIEW_REPORT_OVERVIEW_H
#define ASSAY_REPORTS_OVERVIEW_REPORT_OVERVIEW_H

#include <stdio.h>

#include "reports/overview/overview.h"

typedef enum overview_format {
  OVERVIEW_TEXT,     /* For reading in the morning. */
  OVERVIEW_MARKDOWN, /* The same. */
  OVERVIEW_JSON,     /* One document: an array of rows for each section, in full. */
  OVERVIEW_TAP,      /* One test point for each executor, op and algorithm. */
  OVERVIEW_JUNIT,    /* The same as JUnit XML: a suite for each executor. */
  OVERVIEW_SARIF,    /* SARIF 2.1.0: a result for each root cause. */
  OVERVIEW_HTML,     /* One page that needs nothing else. */
  OVERVIEW_FORMAT_COUNT
} overview_format_t;

status_t overview_format_parse(const char *spelling, overview_format_t *out_format,
                               failure_t *error);

/* What a format needs to be read. */
overview_detail_t overview_format_detail(overview_format_t format);

/* Reads a database, or one campaign in it, and writes the report. */
status_t report_write_overview(const report_source_t *source, overview_format_t format, FILE *out,
                               failure_t *error);

/* Writes one that was read. */
status_t report_print_overview(const overview_t *overview, overview_format_t format, FILE *out,
                               failure_t *error);

void report_print_text(const overview_t *overview, FILE *out);
/* Of that what a campaign ends with: the first sentences, and all root causes in one table. */
void report_print_causes(const overview_t *overview, FILE *out);
void report_print_markdown(const overview_t *overview, FILE *out);
void report_print_json(const overview_t *overview, FILE *out);
/* The same without what a page does not show: most columns of findings, and percentiles. */
void report_print_page_json(const overview_t *overview, FILE *out);
void report_print_tap(const overview_t *overview, FILE *out);
void report_print_junit(const overview_t *overview, FILE *out);
void report_print_sarif(const overview_t *overview, FILE *out);
void report_print_html(const overview_t *overview, FILE *out);

/* What TAP and JUnit make of a row of OVERVIEW_ALGORITHMS. */
typedef enum overview_outcome {
  OVERVIEW_PASSED,
  OVERVIEW_FAILED,
  OVERVIEW_EXCUSED, /* It failed, and none of its findings counts: overview_t.fail_on. */
  OVERVIEW_SKIPPED, /* Nothing in it could have failed: refused, undecided or weak. */
  OVERVIEW_OUTCOME_COUNT
} overview_outcome_t;
overview_outcome_t overview_outcome(const overview_t *overview, size_t row,
                                    const char **out_reason);

#endif
