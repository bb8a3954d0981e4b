/* SPDX-License-Identifier: Apache-2.0 */
/* Did the kernel do something else right?  An op's readings (op_t.readings) are what kernels are
 * known to take otherwise than its definition: epsilon outside the root, the variance of a sample.
 * One is named only where it explains all elements that were judged (oracles/theory.md, T216). */
#ifndef ASSAY_DIAGNOSE_READING_H
#define ASSAY_DIAGNOSE_READING_H

#include "harness/run/case_runner.h"

/* A program and a contract under which the same operands and results are looked at again. */
typedef struct reading {
  program_t program;
  contract_t contract;
} reading_t;

/* Whether an answer under a reading tells for it: the element conforms, and not because numbers of
 * any magnitude would. */
bool reading_tells(const answer_t *answer, const element_t *element);

/* Who judged the results: asked whether the worst element tells for a reading, and then whether all
 * conform under it.  What cannot be judged does not. */
typedef struct reading_judge {
  status_t (*explains_worst)(void *context, const reading_t *reading, bool *out_explains);
  status_t (*explains_all)(void *context, const reading_t *reading, bool *out_explains);
  void *context;
} reading_judge_t;

/* Writes those that explain all into the verdict, "eps_outside_sqrt=true, or epsilon=1e-5": of
 * several values of a key the first, of several settings at once only where none by itself does.
 * Then elementary functions, whose errors explain much, are not to blame any more.
 * `present` is what was asked for; the arena is left as it was.  Nothing is asked but of
 * divergences with wrong elements. */
status_t reading_find(const reading_judge_t *judge, const reading_t *present, arena_t *arena,
                      verdict_t *inout_verdict);

/* Withdraws the verdict's blame where that does not explain all; asks nothing where there is none,
 * or where that was asked already. */
status_t reading_hold_blame(const reading_judge_t *judge, const reading_t *present,
                            verdict_t *inout_verdict);

/* Of the case that `walk` judged last, the readings alone: class, blame and observation stay, so
 * that it goes on being one of its kind. */
status_t reading_seek(const case_runner_t *walk, const expectation_t *expectation, arena_t *arena,
                      verdict_t *inout_verdict, failure_t *error);

/* Both, of the case that `walk` judged last. */
status_t reading_explain(case_runner_t *walk, const expectation_t *expectation, arena_t *arena,
                         verdict_t *inout_verdict, failure_t *error);

#endif
