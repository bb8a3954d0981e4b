/* SPDX-License-Identifier: Apache-2.0 */
/* Holds one instance of a property against an executor, bit by bit; all NaNs count as the same.
 * What an element ought to be is nobody's question here: an implementation may conform and vary. */
#ifndef ASSAY_INVARIANCE_CHECK_H
#define ASSAY_INVARIANCE_CHECK_H

#include "harness/exec/executor.h"
#include "harness/invariance/instance.h"

/* INVARIANCE_OUTCOME(name, spelling): only `holds` and `broken` mean that it was checked. */
#define INVARIANCE_OUTCOMES(OUTCOME)                                                    \
  OUTCOME(holds, "holds")                                                               \
  OUTCOME(broken, "broken")                                                             \
  OUTCOME(refused, "refused")           /* One of the two programs, or their data. */   \
  OUTCOME(failed, "failed")             /* Likewise. */                                 \
  OUTCOME(unrepeatable, "unrepeatable") /* Either differs when it is only run again. */ \
  OUTCOME(void, "void")                 /* No element to compare, or nothing to change. */

typedef enum invariance_outcome {
#define OUTCOME(name, spelling) INVARIANCE_OUTCOME_##name,
  INVARIANCE_OUTCOMES(OUTCOME)
#undef OUTCOME
      INVARIANCE_OUTCOME_COUNT
} invariance_outcome_t;

const char *invariance_outcome_spelling(invariance_outcome_t outcome);

/* Two result components that stand for each other and differ. */
typedef struct invariance_difference {
  uint32_t result;
  size_t base_component;
  size_t other_component;
  uint64_t base_bits;
  uint64_t other_bits;
  size_t count;         /* Of all such components. */
  size_t compared;      /* Components that were compared. */
  bool is_sign_of_zero; /* Wherever they differ, both are zeros. */
  uint32_t execution;   /* Of RUNS: which execution differs from the first, from 2. */
} invariance_difference_t;

typedef struct invariance_check {
  invariance_outcome_t outcome;
  invariance_difference_t difference; /* Of a broken or unrepeatable one: the first. */
  char reason[192];                   /* Of a refused or failed one: what the executor said. */
} invariance_check_t;

/* What an executor made of a case. */
typedef struct invariance_run {
  executor_outcome_t outcome;
  tensor_t results[CASE_RESULTS_MAX]; /* In the arena, if EXECUTOR_OK. */
  char reason[192];
} invariance_run_t;

/* Compiles and executes.  A program outside the executor's declared target counts as refused. */
void invariance_run(executor_t *executor, const case_t *instance, arena_t *arena,
                    invariance_run_t *out_run);

/* `base` is what invariance_run() gave for instance->base.  RUNS executes `executions` times. */
void invariance_check(executor_t *executor, const invariance_instance_t *instance,
                      const invariance_run_t *base, uint32_t executions, arena_t *arena,
                      invariance_check_t *out_check);

/* Both at once. */
void invariance_check_afresh(executor_t *executor, const invariance_instance_t *instance,
                             uint32_t executions, arena_t *arena, invariance_check_t *out_check);

/* Holds the results of the other run against those of the base; `maps` of elements, or NULL where
 * every element stands for itself.  False, and the first difference, if they differ. */
bool invariance_compare(const program_t *program, const tensor_t *base, const tensor_t *other,
                        const size_t *const *maps, invariance_difference_t *out_difference);

/* Whether two patterns are the same but for which NaN they are. */
bool invariance_same_bits(const element_t *element, uint64_t a, uint64_t b);

#endif
