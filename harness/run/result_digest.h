/* SPDX-License-Identifier: Apache-2.0 */
/* What an executor returned for one case, in short: enough to tell whether two executors returned
 * the same bits, and whether the oracle blames them. */
#ifndef ASSAY_RUN_RESULT_DIGEST_H
#define ASSAY_RUN_RESULT_DIGEST_H

#include "harness/judge/verdict.h"
#include "harness/model/case.h"

typedef struct result_digest {
  bool has_results;  /* Else it refused or failed, or wrote elsewhere or not at all. */
  outcome_t outcome; /* Of the results alone, whatever else the executor did wrong. */
  digest_t digest;   /* Of the patterns of all results, all NaN patterns made one. */
} result_digest_t;

/* Makes the response out of results and the verdict on them; `arena` is left as it was. */
result_digest_t result_digest_make(const program_t *program, const tensor_t *results,
                                   outcome_t outcome, arena_t *arena);

#endif
