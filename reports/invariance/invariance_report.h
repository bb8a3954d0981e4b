/* SPDX-License-Identifier: Apache-2.0 */
/* What `assay invariance` tells: a table and the smallest instances, JSON, or TAP 13. */
#ifndef ASSAY_REPORTS_INVARIANCE_INVARIANCE_REPORT_H
#define ASSAY_REPORTS_INVARIANCE_INVARIANCE_REPORT_H

#include "harness/invariance/invariance.h"

typedef struct invariance_report {
  const invariance_t *invariance;
  const invariance_options_t *options;
  const char *replay_options; /* " --isolate": what `assay replay` needs besides; borrowed. */
} invariance_report_t;

/* A line of the table: the counts of one property on one executor and op, over all types. */
typedef struct invariance_line {
  size_t executor;
  const op_t *op;
  invariance_property_t property;
  uint64_t cases[INVARIANCE_OUTCOME_COUNT];
  const char *reason;                  /* Of a refusal or failure, or "". */
  const invariance_finding_t *finding; /* The smallest over all types, or NULL. */
} invariance_line_t;

/* A line for every executor, op and property that was asked for: also those that no case was drawn
 * for.  Freed with g_array_unref(). */
GArray *invariance_report_lines(const invariance_report_t *report);

/* "holds", "BROKEN", "failed" or "unchecked": nothing but checked cases makes a property hold. */
const char *invariance_report_verdict(const invariance_line_t *line);

/* Why a property is unchecked. */
const char *invariance_report_why_unchecked(const invariance_line_t *line);

/* "assay replay LINE --executor NAME": of the base case, or of the other one. */
void invariance_report_replay(const invariance_report_t *report, const invariance_line_t *line,
                              bool is_other, GString *out_text);

void invariance_report_print(const invariance_report_t *report);
void invariance_report_print_json(const invariance_report_t *report);
void invariance_report_print_tap(const invariance_report_t *report);

#endif
