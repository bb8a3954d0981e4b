/* SPDX-License-Identifier: Apache-2.0 */
/* Option --thresholds: the sizes that programs are drawn around. */
#ifndef ASSAY_CLI_TASK_THRESHOLDS_H
#define ASSAY_CLI_TASK_THRESHOLDS_H

#include "harness/cli/task/task.h"

/* Reads a file of `assay thresholds` and keeps what it has of these executors, in the versions that
 * they have; `out_has`, if not NULL, says of each whether that is anything.  STATUS_INVALID, with
 * what to do, if it is nothing at all, or if the file has sizes of one of them in other versions
 * alone: another version may switch elsewhere.  Freed with found_thresholds_free(). */
status_t thresholds_select(const char *path, executor_t *const *executors, size_t executor_count,
                           found_thresholds_t **out_found, bool *out_has, failure_t *error);

/* STATUS_INVALID if no program would be drawn around the sizes: by these shares of strata none is
 * of stratum thresholds, or programs are given.  `path` is the option's value; NULL: all is well.
 */
status_t thresholds_check(const char *path, const strata_t *strata, bool has_programs,
                          failure_t *error);

/* Opens those of a task whose executors are open. */
status_t task_open_thresholds(task_t *task, failure_t *error);

#endif
