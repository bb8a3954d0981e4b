/* SPDX-License-Identifier: Apache-2.0 */
/* Table of report formats and their writers, and the outcome (passed, failed, excused, skipped) of
 * each executor, op and algorithm that test formats share. */
#include "reports/overview/report_overview.h"

#include <errno.h>
#include <string.h>

static const struct {
  const char *spelling;
  void (*print)(const overview_t *overview, FILE *out);
} FORMATS[OVERVIEW_FORMAT_COUNT] = {
    [OVERVIEW_TEXT] = {"text", report_print_text},
    [OVERVIEW_MARKDOWN] = {"markdown", report_print_markdown},
    [OVERVIEW_JSON] = {"json", report_print_json},
    [OVERVIEW_TAP] = {"tap", report_print_tap},
    [OVERVIEW_JUNIT] = {"junit", report_print_junit},
    [OVERVIEW_SARIF] = {"sarif", report_print_sarif},
    [OVERVIEW_HTML] = {"html", report_print_html},
};

status_t overview_format_parse(const char *spelling, overview_format_t *out_format,
                               failure_t *error) {
  for (int format = 0; format < OVERVIEW_FORMAT_COUNT; format++) {
    if (strcmp(spelling, FORMATS[format].spelling) != 0) continue;
    *out_format = (overview_format_t)format;
    return STATUS_OK;
  }
  return status_fail(error, STATUS_INVALID,
                     "no format \"%s\": write text, markdown, json, tap, junit, sarif or html",
                     spelling);
}

overview_detail_t overview_format_detail(overview_format_t format) {
  bool needs_all = format == OVERVIEW_JSON || format == OVERVIEW_TAP || format == OVERVIEW_JUNIT;
  return needs_all ? OVERVIEW_ALL : OVERVIEW_EXAMPLES;
}

status_t report_print_overview(const overview_t *overview, overview_format_t format, FILE *out,
                               failure_t *error) {
  FORMATS[format].print(overview, out);
  if (fflush(out) == 0 && !ferror(out)) return STATUS_OK;
  return status_fail(error, STATUS_IO, "cannot write the report: %s", strerror(errno));
}

status_t report_write_overview(const report_source_t *source, overview_format_t format, FILE *out,
                               failure_t *error) {
  overview_t overview;
  STATUS_TRY(overview_read(source, overview_format_detail(format), &overview, error));
  status_t status = report_print_overview(&overview, format, out, error);
  overview_free(&overview);
  return status;
}

/* Why no finding of an executor, op and algorithm counts; NULL if one does.  Divergences of which
 * nothing is kept count unless nothing does. */
static const char *find_excuse(const overview_t *overview, size_t row) {
  if (overview->fail_on == FAIL_ON_ANY) return NULL;
  if (overview->fail_on == FAIL_ON_NEVER) return "--fail-on never";
  const report_grid_t *grid = &overview->sections[OVERVIEW_ALGORITHMS];
  const char *excuse = NULL;
  for (size_t i = 0; i < overview_finding_count(overview); i++) {
    overview_finding_t finding = overview_finding(overview, i);
    if (strcmp(finding.executor, overview_text(grid, row, "executor")) != 0 ||
        strcmp(finding.op, overview_text(grid, row, "op")) != 0 ||
        strcmp(finding.algorithm, overview_text(grid, row, "algorithm")) != 0) {
      continue;
    }
    if (overview_finding_fails(overview, i)) return NULL;
    excuse = overview_finding_state(overview, i);
  }
  return excuse;
}

overview_outcome_t overview_outcome(const overview_t *overview, size_t row,
                                    const char **out_reason) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_ALGORITHMS];
  *out_reason = NULL;
  if (overview_number(grid, row, "diverges") + overview_number(grid, row, "failed") > 0) {
    *out_reason = find_excuse(overview, row);
    return *out_reason == NULL ? OVERVIEW_FAILED : OVERVIEW_EXCUSED;
  }
  if (overview_number(grid, row, "conforms") > 0) return OVERVIEW_PASSED;
  *out_reason = overview_number(grid, row, "refused") > 0     ? "refused"
                : overview_number(grid, row, "no-oracle") > 0 ? "no oracle"
                                                              : "weak: nothing could have failed";
  return OVERVIEW_SKIPPED;
}
