/* SPDX-License-Identifier: Apache-2.0 */
/* What the flags of a task say: limits, seed, contract and programs. */
#ifndef ASSAY_CLI_TASK_READ_H
#define ASSAY_CLI_TASK_READ_H

#include "harness/cli/task/task.h"

/* Fills in task->options, ops, fail_on and contract_text from task->flags; STATUS_INVALID for what
 * is no value of a flag, or does not go together. */
status_t task_read_flags(task_t *task, failure_t *error);

/* With executors open: a given program that none of them is going to be asked about is a mistake,
 * STATUS_INVALID. */
status_t task_check_programs(const task_t *task, failure_t *error);

/* With executors open: under contract `identified`, opens the profiles; programs are then drawn
 * that some profile covers, unless others are asked for. */
status_t task_open_prediction(task_t *task, failure_t *error);

/* With executors open: finds out what they take, if that is asked for and programs are drawn from
 * ops.  Returns an exit code, after a complaint unless it is EXIT_CODE_CLEAN. */
int task_open_capabilities(task_t *task);

/* Counts what is refused, unless another part of the run does. */
void task_count_refused(const task_t *task);

#endif
