/* SPDX-License-Identifier: Apache-2.0 */
/* Judges a case whose two executions differ: the second run is judged too, and the difference
 * itself diverges unless the contract permits it. */
#include "harness/run/judge_unlike_runs.h"

static void set_reason(verdict_t *verdict, const char *reason) {
  g_strlcpy(verdict->reason, reason, sizeof verdict->reason);
}

/* Judges the second run too, where the first one does not diverge. */
static status_t judge_second(case_runner_t *walk, const expectation_t *expectation,
                             const executions_t *executions, verdict_t *inout_verdict,
                             failure_t *error) {
  if (inout_verdict->outcome == OUTCOME_diverges) return STATUS_OK;
  const evidence_t evidence = walk->evidence;
  verdict_t second;
  STATUS_TRY(case_runner_judge(walk, expectation, executions->results_again, &second, error));
  if (second.outcome == OUTCOME_diverges) {
    *inout_verdict = second;
    set_reason(inout_verdict, "in the second of two runs");
  } else {
    walk->evidence = evidence;
  }
  return STATUS_OK;
}

status_t judge_unlike_runs(case_runner_t *walk, const expectation_t *expectation,
                           const executions_t *executions, verdict_t *inout_verdict,
                           result_digest_t *out_digest, failure_t *error) {
  verdict_t *verdict = inout_verdict;
  STATUS_TRY(judge_second(walk, expectation, executions, verdict, error));
  bool conform = verdict->outcome == OUTCOME_conforms || verdict->outcome == OUTCOME_weak;
  if (PERMITTED(&walk->contract, repeat) == RUNS_MAY_DIFFER) {
    if (out_digest != NULL) out_digest->has_results = false;
    if (conform) g_strlcpy(verdict->observed, "two runs differ", sizeof verdict->observed);
    return STATUS_OK;
  }
  verdict->outcome = OUTCOME_diverges;
  verdict->class_ = CLASS_nondeterministic;
  set_reason(verdict, "two runs of the case differ");
  if (conform) g_strlcpy(verdict->observed, "repeat=any", sizeof verdict->observed);
  repeat_describe(&expectation->instance->program, &executions->repeat, verdict);
  return STATUS_OK;
}
