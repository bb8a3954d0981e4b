/* SPDX-License-Identifier: Apache-2.0 */
/* Executes a case twice over different poison and tells what the two runs say together. */
#ifndef ASSAY_RUN_EXECUTE_TWICE_H
#define ASSAY_RUN_EXECUTE_TWICE_H

#include "harness/exec/executor.h"
#include "harness/judge/verdict.h"

typedef enum repeat_kind {
  REPEAT_SAME,
  REPEAT_UNWRITTEN, /* Where the runs differ, both show their poison. */
  REPEAT_DIFFERS,   /* Two values for one component. */
  REPEAT_PADDING,   /* The same, but the unused high bits of an element are not zero. */
} repeat_kind_t;

typedef struct repeat {
  repeat_kind_t kind;
  uint32_t result; /* The first component that shows it, unless REPEAT_SAME. */
  size_t component;
  size_t count;   /* How many components show it. */
  uint64_t first; /* Its pattern in both runs. */
  uint64_t second;
} repeat_t;

typedef struct executions {
  tensor_t results[CASE_RESULTS_MAX]; /* Of the first run, in the arena; of the second. */
  tensor_t results_again[CASE_RESULTS_MAX];
  bool wrote_out_of_bounds;
  bool changed_environment;
  uint32_t bad_result; /* Where wrote_out_of_bounds. */
  repeat_t repeat;
} executions_t;

/* Returns the execution that did not go through, or the second one; `out_executions` is complete
 * only if its outcome is EXECUTOR_OK. */
execution_t execute_twice(executor_t *executor, executor_program_t *program, const case_t *instance,
                          arena_t *arena, executions_t *out_executions);

/* Nonzero for each component of the result that the runs differ in, in the arena. */
uint8_t *repeat_mark(const executions_t *executions, uint32_t result, arena_t *arena);

/* Writes the component and its patterns into the verdict; `repeat` is not REPEAT_SAME. */
void repeat_describe(const program_t *program, const repeat_t *repeat, verdict_t *inout_verdict);

#endif
