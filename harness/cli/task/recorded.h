/* SPDX-License-Identifier: Apache-2.0 */
/* Cases that were recorded in files of the corpus, run again ahead of what is drawn, or in its
 * place. */
#ifndef ASSAY_CLI_TASK_RECORDED_H
#define ASSAY_CLI_TASK_RECORDED_H

#include "harness/cli/task/task.h"

/* --recorded. */
void task_flags_add_recorded(task_flags_t *flags, arguments_t *arguments);

/* Whether nothing is to be drawn: recorded cases are given, and neither a number of cases nor a
 * time, nor programs. */
bool task_recorded_are_all(const task_flags_t *flags);

/* Reads the files into task->recorded.  STATUS_INVALID, with file, line and column, for what is no
 * file of cases, or has none. */
status_t task_recorded_open(task_t *task, failure_t *error);
void task_recorded_close(task_t *task);

/* Walks each case over all executors, in the order of the files, until it is done or somebody wants
 * the session to stop; what the files say of results is not looked at. */
status_t task_recorded_walk(task_t *task, failure_t *error);

#endif
