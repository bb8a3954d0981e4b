/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the summary that says which conforming results kept contract `wide` too. */
#ifndef ASSAY_REPORTS_RUN_SUMMARY_CONTRACTS_H
#define ASSAY_REPORTS_RUN_SUMMARY_CONTRACTS_H

#include <jansson.h>

#include "reports/run/run_report.h"

/* Of each executor, how many cases did not keep it of those that were held against it; and a line
 * for each op, algorithm and types of these.  Nothing if all did. */
void describe_contracts(const run_report_t *report, GString *out_text);

json_t *summary_json_contracts(const run_report_t *report);

#endif
