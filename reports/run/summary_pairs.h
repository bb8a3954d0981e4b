/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a summary on executors side by side: who returned other bits than whom, and whom the
 * oracle blames. */
#ifndef ASSAY_REPORTS_RUN_SUMMARY_PAIRS_H
#define ASSAY_REPORTS_RUN_SUMMARY_PAIRS_H

#include <jansson.h>

#include "reports/run/run_report.h"

/* A table by pair of executors and op; nothing if no two answered the same case. */
void summary_print_pairs(const run_report_t *report);

/* A sentence for each two that are twins: how often bits differ, and who was outside. */
void summary_describe_twins(const run_report_t *report, GString *out_text);

/* An array of all that was counted, by pair, op, algorithm and types. */
json_t *summary_json_pairs(const run_report_t *report);

#endif
