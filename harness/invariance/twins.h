/* SPDX-License-Identifier: Apache-2.0 */
/* Twins: two executors that are one backend, asked to run the same module in two ways, such as
 * fused and op by op.  Where the oracle of the module tells which of two unlike results is wrong,
 * that is an ordinary divergence, and where both conform it is a change of bits and nothing more.
 * Where it cannot tell (outcomes `weak` and `no-oracle`), a difference that no permission explains
 * is of class `twins`, which is weaker than a proof (step_values.h). */
#ifndef ASSAY_INVARIANCE_TWINS_H
#define ASSAY_INVARIANCE_TWINS_H

#include "harness/invariance/check.h"
#include "harness/judge/verdict.h"

/* The name of the executor that runs modules op by op where that of `name` runs them whole, and the
 * other way round: "steps:xla" of "xla".  The caller frees it. */
char *twins_name(const char *name);

typedef struct twins_question {
  const case_t *instance;
  const contract_t *contract;
  executor_t *executor; /* Whose verdict it is. */
  executor_t *twin;
  arena_t *arena; /* Scratch; as it was afterwards. */
} twins_question_t;

typedef enum twins_relation {
  TWINS_SAME,
  TWINS_DIFFER,
  TWINS_UNKNOWN, /* One of the two gave no results, or not the same ones again. */
} twins_relation_t;

/* Runs the case on both, twice. */
twins_relation_t twins_compare(const twins_question_t *question,
                               invariance_difference_t *out_difference);

/* Makes a verdict that is `weak` or `no-oracle` a divergence of class `twins` if the twin's bits
 * differ, no permission explains it, and it is this executor whose results are not those of the
 * steps.  Leaves all other verdicts, and programs that are no modules, as they are. */
void twins_judge(const twins_question_t *question, verdict_t *inout_verdict);

#endif
