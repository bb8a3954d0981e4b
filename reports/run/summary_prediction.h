/* SPDX-License-Identifier: Apache-2.0 */
/* What contract `identified` predicted: part of the summary. */
#ifndef ASSAY_REPORTS_RUN_SUMMARY_PREDICTION_H
#define ASSAY_REPORTS_RUN_SUMMARY_PREDICTION_H

#include "reports/run/run_report.h"
#include "reports/verdict/describe.h"

/* Appends lines, each with its newline: for each executor and profile the cases, how many of them
 * were predicted to the bit, and for which lengths they were not.  Nothing under other contracts.
 */
void describe_predictions(const run_report_t *report, GString *out_text);

/* The same as an object; null under other contracts. */
json_t *json_predictions(const run_report_t *report);

#endif
