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

#endif
