/* A run of `assay run`, `vet` or `fuzz`, as its reports see it. */
#ifndef ASSAY_REPORTS_RUN_RUN_REPORT_H
#define ASSAY_REPORTS_RUN_RUN_REPORT_H

#include "harness/run/prediction.h"
#include "harness/run/session.h"
#include "reports/run/finding_lives.h"

/* Everything is borrowed. */
typedef struct run_report {
  const session_t *session;
  const prediction_t *prediction; /* NULL unless the contract is `identified`. */
  finding_lives_t *lives;         /* NULL without a database. */
  const char *replay_options;     /* " --contract spec --isolate": what `assay replay` needs besides
                                   * a case and its executor. */
  bool names_ops;                 /* Ops were asked for by name. */
} run_report_t;

static inline size_t run_report_executor_count(const run_report_t *report) {
  return session_options(report->session)->executor_count;
}

static inline const char *run_report_executor(const run_report_t *report, size_t index) {
  return executor_name(session_options(report->session)->executors[index]);
}

#endif
