/* SPDX-License-Identifier: Apache-2.0 */
/* Option --thresholds: the sizes that a task's programs are drawn around.  Private to
 * harness/cli/task. */
#ifndef ASSAY_CLI_TASK_THRESHOLDS_H
#define ASSAY_CLI_TASK_THRESHOLDS_H

#include "harness/cli/task/task.h"

/* Reads the file; only sizes that were found of the versions that are run count.  Does nothing
 * without the option. */
status_t task_open_thresholds(task_t *task, failure_t *error);

#endif
