/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a run while it goes on and at its end. */
#ifndef ASSAY_REPORTS_RUN_SUMMARY_H
#define ASSAY_REPORTS_RUN_SUMMARY_H

#include "reports/run/run_report.h"

/* One finding as it is found, with its replay line, on standard output. */
void summary_print_finding(const run_report_t *report, const finding_t *finding);

/* Progress goes to standard error, if that is a terminal. */
void summary_show_progress(const session_t *session);

/* Ends the progress line. */
void summary_end_progress(void);

/* The table by executor, op and types, the findings and where time went; or all that as JSON. */
void summary_print(const run_report_t *report);
void summary_print_json(const run_report_t *report);

#endif
