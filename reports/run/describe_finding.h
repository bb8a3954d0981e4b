/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of a run in words, as lines to paste, and as JSON. */
#ifndef ASSAY_REPORTS_RUN_DESCRIBE_FINDING_H
#define ASSAY_REPORTS_RUN_DESCRIBE_FINDING_H

#include <jansson.h>

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

#endif
