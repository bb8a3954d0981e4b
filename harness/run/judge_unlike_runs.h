/* SPDX-License-Identifier: Apache-2.0 */
/* Two executions of a case that returned other bits: a divergence, or what the contract permits. */
#ifndef ASSAY_RUN_JUDGE_UNLIKE_RUNS_H
#define ASSAY_RUN_JUDGE_UNLIKE_RUNS_H

#include "harness/run/case_runner.h"
#include "harness/run/execute_twice.h"

/* `inout_verdict` is that on the first run.  Under repeat=any the verdict is that on the run that
 * diverges, if one does, and there is no response: executors and versions are not held against bits
 * that do not come again.  Else it is class `nondeterministic`, explained by repeat=any where both
 * runs conform.  `out_digest` may be NULL. */
status_t judge_unlike_runs(case_runner_t *walk, const expectation_t *expectation,
                           const executions_t *executions, verdict_t *inout_verdict,
                           result_digest_t *out_digest, failure_t *error);

#endif
