/* SPDX-License-Identifier: Apache-2.0 */
/* The programs that are given to a task, in place of drawn ones: lines, files of MLIR, and files
 * with a line each. */
#ifndef ASSAY_CLI_TASK_PROGRAMS_H
#define ASSAY_CLI_TASK_PROGRAMS_H

#include "harness/cli/task/task.h"

/* What task_flags_add_programs() brought. */
void task_programs_free(task_flags_t *flags);

/* Whether any are given. */
bool task_programs_are_given(const task_flags_t *flags);

/* All that are given, at least one; in the arena.  STATUS_INVALID, with file, line and column, for
 * what is none, and for a file that cannot be read; STATUS_IO if what reads modules is not there.
 */
status_t task_programs_read(const task_flags_t *flags, arena_t *arena,
                            const stream_program_t **out_programs, size_t *out_count,
                            failure_t *error);

#endif
