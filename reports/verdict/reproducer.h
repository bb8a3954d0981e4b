/* SPDX-License-Identifier: Apache-2.0 */
/* A case on which an executor diverges, as what a bug report needs: the line that replays it, a
 * module, and C arrays of what goes in, what came out and what is due. */
#ifndef ASSAY_REPORTS_VERDICT_REPRODUCER_H
#define ASSAY_REPORTS_VERDICT_REPRODUCER_H

#include <glib.h>

#include "harness/run/case_runner.h"

typedef struct reproducer {
  case_t instance; /* Borrowed; in the arena. */
  verdict_t verdict;
  bool has_results; /* Else the program was refused, not executed, or the executor failed. */
  tensor_t results[CASE_RESULTS_MAX];
  char **expected[CASE_RESULTS_MAX]; /* As in c_result_t. */
} reproducer_t;

/* Runs the case once more, judges every element, and keeps what came out.  Everything is in the
 * arena. */
status_t reproducer_make(case_runner_t *walk, executor_t *executor, const case_t *instance,
                         arena_t *arena, reproducer_t *out_reproducer, failure_t *error);

/* Elements of all operands. */
size_t reproducer_operand_elements(const case_t *instance);

/* The C arrays; `replay` is the command that shows it again. */
void reproducer_print_c(const reproducer_t *reproducer, const executor_t *executor,
                        const char *replay, GString *out_text);

#endif
