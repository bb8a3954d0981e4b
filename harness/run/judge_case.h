/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the case runner share.  Private to harness/run. */
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
                         .sample = &expectation->sample,
                         .arena = expectation->arena,
                         .error = error};
}

#endif
