/* SPDX-License-Identifier: Apache-2.0 */
/* A run of `assay run`, `vet` or `fuzz`, as its reports see it. */
#ifndef ASSAY_REPORTS_RUN_RUN_REPORT_H
#define ASSAY_REPORTS_RUN_RUN_REPORT_H

#include "harness/predict/prediction.h"
#include "harness/session/session.h"
#include "harness/store/fail_on.h"
#include "reports/run/finding_lives.h"

/* Everything is borrowed. */
typedef struct run_report {
  const session_t *session;
  const prediction_t *prediction; /* NULL unless the contract is `identified`. */
  finding_lives_t *lives;         /* NULL without a database. */
  const char *replay_options;     /* " --contract spec --isolate": what `assay replay` needs besides
                                   * a case and its executor. */
  const char *drawing_options;    /* " --ops my.op": what `assay gen` needs to draw that case. */
  fail_on_t fail_on;              /* Which findings count. */
  bool names_ops;                 /* Ops were asked for by name. */
} run_report_t;

static inline size_t run_report_executor_count(const run_report_t *report) {
  return session_options(report->session)->executor_count;
}

static inline const char *run_report_executor(const run_report_t *report, size_t index) {
  return executor_name(session_options(report->session)->executors[index]);
}

/* What the database says of the finding; there must be one. */
life_t run_report_life(const run_report_t *report, const finding_t *finding);

/* Whether --fail-on makes the finding count. */
bool run_report_counts(const run_report_t *report, const finding_t *finding);

/* Of a session that ran to its end: EXIT_CODE_DIVERGES if a finding that counts diverged, else
 * EXIT_CODE_FAILED if one that counts failed, else EXIT_CODE_CLEAN. */
int run_report_exit_code(const run_report_t *report);

#endif
