/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of a run in words, as lines to paste, and as JSON. */
#ifndef ASSAY_REPORTS_RUN_DESCRIBE_FINDING_H
#define ASSAY_REPORTS_RUN_DESCRIBE_FINDING_H

#include <jansson.h>

#include "harness/store/severity/severity.h"
#include "reports/run/run_report.h"

/* A command that shows the finding again: short even for large cases, since data are drawn anew
 * from their seed where the line would be long. */
void describe_replay(const finding_t *finding, const run_report_t *report, GString *out_text);

/* One line on a new finding: executor, op, types, verdict. */
void describe_finding(const finding_t *finding, const run_report_t *report, GString *out_text);

json_t *json_finding(const finding_t *finding, const run_report_t *report);

/* "37 findings: 2 new, 30 known, 5 waived"; nothing without a database or findings. */
void describe_lives(const run_report_t *report, GString *out_text);

/* Counts by life, or null without a database. */
json_t *json_lives(const run_report_t *report);

/* How much it matters, by its first case. */
severity_t finding_severity(const finding_t *finding);

/* Whether `a` is graver than `b`: by severity, then one whose cause is known, then by weight. */
bool finding_is_graver(const finding_t *a, const finding_t *b);

/* All of them, const finding_t *, borrowed; equals in the order in which they were found. */
GPtrArray *findings_by_severity(const session_t *session);

#endif
