/* SPDX-License-Identifier: Apache-2.0 */
/* One case on one executor, as `assay replay` runs it, with what came kept as text. */
#ifndef ASSAY_CLI_VERBS_RECALL_TRIAL_H
#define ASSAY_CLI_VERBS_RECALL_TRIAL_H

#include "harness/exec/executor.h"
#include "harness/judge/verdict.h"

typedef struct case_trial {
  outcome_t outcome;
  divergence_class_t class_;
  char *result; /* The result field, as result_line.h prints it, without reasons; "" where there
                 * is none. */
  char *words;  /* "diverges, nan: 1 (3f800000)", "refused: no kernel". */
} case_trial_t;

void case_trial_clear(case_trial_t *trial);

/* Runs the case under contract `backend`.  STATUS_INVALID for a line that is no case. */
status_t case_trial_run(const char *line, executor_t *executor, case_trial_t *out_trial,
                        failure_t *error);

/* Judges a result field instead of running anything; out_trial->result stays "". */
status_t case_trial_judge(const char *line, const char *result, case_trial_t *out_trial,
                          failure_t *error);

/* Whether two result fields of that case say the same; NaNs are alike, whatever their bits. */
bool case_trial_same_result(const char *line, const char *a, const char *b);

#endif
