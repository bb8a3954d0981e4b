/* SPDX-License-Identifier: Apache-2.0 */
/* Causes already diagnosed per executor, and when to diagnose again: what a session keeps between
 * diverging cases.  All of it depends on counts alone, so that equal cases give equal findings. */
#ifndef ASSAY_DIAGNOSE_DIAGNOSIS_BUDGET_H
#define ASSAY_DIAGNOSE_DIAGNOSIS_BUDGET_H

#include "harness/diagnose/cause.h"
#include "harness/record/finding.h"
#include "harness/record/tally.h"

/* Of each kind of divergence (executor, op, algorithm, types and class) the first so many cases are
 * looked into, then one in so many, and one when a cause was newly established: a backend that is
 * wrong in every third case must not spend its time on being explained. */
enum { DIAGNOSIS_BUDGET_FIRST = 12, DIAGNOSIS_BUDGET_ONE_IN = 32 };

typedef struct diagnosis_budget diagnosis_budget_t;

/* `is_thorough`: looks into every case, for those few whose signature must be their own. */
diagnosis_budget_t *diagnosis_budget_new(bool is_thorough);
void diagnosis_budget_free(diagnosis_budget_t *book);

/* What is to be explained. */
typedef struct diagnosis_question {
  size_t executor; /* Number of the executor. */
  const tally_label_t *label;
  const cause_question_t *cause;
  const case_runner_t *walk;        /* Judged the case last, ... */
  const expectation_t *expectation; /* ... against this. */
} diagnosis_question_t;

/* Looks for the cause of a verdict and for readings (reading.h), if that is due, and gives the
 * signature.  Where it is not due, the case is taken for another of the last finding of its kind.
 * `arena` is left as it was. */
status_t diagnosis_budget_explain(diagnosis_budget_t *book, const diagnosis_question_t *question,
                                  arena_t *arena, verdict_t *inout_verdict,
                                  hash_text_t *out_signature, failure_t *error);

/* Whether a finding without a cause may get one of the changes of cases (change/change.h) that are
 * established for its executor and op, and its case is small enough for that. */
bool diagnosis_budget_may_explain(const diagnosis_budget_t *book, const finding_t *finding);

/* Looks for such a change alone; nothing is counted.  The verdict is left as it was if there is
 * none. */
status_t diagnosis_budget_explain_again(const diagnosis_budget_t *book,
                                        const diagnosis_question_t *question, arena_t *arena,
                                        verdict_t *inout_verdict, failure_t *error);

#endif
