/* SPDX-License-Identifier: Apache-2.0 */
/* A run told as test points: a test point per executor, op, algorithm and types that were judged,
 * and one per executor and op for the programs that were drawn invalid on purpose; one per op for
 * all that was not judged, which is skipped; and one per executor for how much was. */
#ifndef ASSAY_REPORTS_RUN_VET_REPORT_H
#define ASSAY_REPORTS_RUN_VET_REPORT_H

#include "reports/run/run_report.h"
#include "reports/run/vet_points.h"

/* Returns the exit code: that of the run, and 1 where too little was judged. */
int vet_report_print(const run_report_t *report, const vet_points_t *points);

#endif
