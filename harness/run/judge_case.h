/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the case runner share.  Private to harness/run and the folders below it. */
#ifndef ASSAY_RUN_JUDGE_CASE_H
#define ASSAY_RUN_JUDGE_CASE_H

#include "harness/run/case_runner.h"

/* The oracle's call about results of a case, under the runner's contract. */
static inline oracle_call_t case_runner_call(const case_runner_t *walk,
                                             const expectation_t *expectation,
                                             const tensor_t *results, failure_t *error) {
  return (oracle_call_t){.instance = expectation->instance,
                         .contract = &walk->contract,
                         .results = results,
                         .whole_count = expectation->whole_count,
                         .sample = &expectation->sample,
                         .kept = expectation->kept,
                         .may_be_rough = walk->takes_rough,
                         .arena = expectation->arena,
                         .error = error};
}

/* What the judge needs to ask the oracle; its time is the oracle's, not the judge's. */
typedef struct decide_context {
  const expectation_t *expectation;
  const oracle_t *oracle;
  size_t whole_count;
  decision_memo_t memo;
  decision_memo_t memo_of_others; /* Of results that the judge makes up, where an oracle remembers
                                   * results. */
  void **kept;                    /* The expectation's. */
  arena_t *arena;
  case_runner_times_t *times;
  const case_runner_interrupt_t *interrupt;
  const uint8_t *margins[CASE_RESULTS_MAX];
  evidence_t evidence; /* Filled in. */
} decide_context_t;

/* For results of the expectation's case; to be freed by decide_context_deinit(). */
decide_context_t decide_context_make(case_runner_t *walk, const expectation_t *expectation,
                                     const tensor_t *results);

void decide_context_deinit(decide_context_t *context);

/* A judge that asks with the context, under a contract. */
judge_t decide_context_judge(decide_context_t *context, const contract_t *contract);

#endif
