/* SPDX-License-Identifier: Apache-2.0 */
/* assay vet --constraints: a test point for each constraint of each op and executor. */
#ifndef ASSAY_CLI_VERBS_RUNS_VET_CONSTRAINTS_H
#define ASSAY_CLI_VERBS_RUNS_VET_CONSTRAINTS_H

#include "harness/cli/task/task.h"

/* Draws every constraint 20 times, asks the executors of the flags, and prints TAP 13.  Returns an
 * exit code: 1 if an executor accepted an invalid program, else 3 if one failed on one. */
int vet_constraints(const task_flags_t *flags);

#endif
