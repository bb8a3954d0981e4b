/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the summary that says by which formulas composite ops were computed. */
#ifndef ASSAY_REPORTS_RUN_SUMMARY_FORMULAS_H
#define ASSAY_REPORTS_RUN_SUMMARY_FORMULAS_H

#include <jansson.h>

#include "reports/run/run_report.h"

/* A table for each executor and op that has several formulas: cases by the tightest formula that
 * explains them.  Nothing if there is none. */
void summary_print_formulas(const run_report_t *report);

json_t *summary_json_formulas(const run_report_t *report);

#endif
