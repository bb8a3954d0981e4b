/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a summary on algorithms: which were asked for, and which ones the results could have
 * come from. */
#ifndef ASSAY_REPORTS_RUN_SUMMARY_OBSERVATIONS_H
#define ASSAY_REPORTS_RUN_SUMMARY_OBSERVATIONS_H

#include <jansson.h>

#include "reports/run/run_report.h"

/* A table by executor, op, algorithm asked for and types: in how many cases the results could have
 * come from it, and where not always, which algorithms fit the most cases.  Nothing if no results
 * were held against algorithms. */
void summary_print_observations(const run_report_t *report);

/* An array of all that was counted, by observed set too. */
json_t *summary_json_observations(const run_report_t *report);

#endif
