/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a run was judged, and what was judged too little of. */
#ifndef ASSAY_REPORTS_RUN_SUMMARY_JUDGED_H
#define ASSAY_REPORTS_RUN_SUMMARY_JUDGED_H

#include <jansson.h>

#include "reports/run/run_report.h"

/* What the run judged too little of, see shortfall.h; freed with g_array_unref(). */
GArray *run_report_shortfalls(const run_report_t *report);

/* "judged: openblas 10000 of 10000, model:sequential 10000 of 10000". */
void summary_print_judged(const run_report_t *report);

/* "untested: 12 of 345 elements, which nothing could have failed"; nothing if there are none. */
void summary_describe_untested(const run_report_t *report, GString *out_text);

/* "sampled: 3 large cases, of which ...", as describe_sample() has it; nothing if there are none.
 */
void summary_describe_samples(const run_report_t *report, GString *out_text);

/* A line for each shortfall; nothing if there is none. */
void summary_print_shortfalls(const run_report_t *report);

/* [{"executor": ..., "op": ... or null, "judged": ..., "of": ..., "text": ...}, ...]. */
json_t *summary_json_shortfalls(const run_report_t *report);

/* Cases judged of an executor: of a run or of a search. */
uint64_t run_report_judged(const run_report_t *report, size_t executor);

#endif
