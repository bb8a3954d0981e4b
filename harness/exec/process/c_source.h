/* SPDX-License-Identifier: Apache-2.0 */
/* A program in C that a shared object writes, which runs one case on its library and needs nothing
 * of ours (assay_executor_t.write_c). */
#ifndef ASSAY_EXEC_PROCESS_C_SOURCE_H
#define ASSAY_EXEC_PROCESS_C_SOURCE_H

#include "harness/model/case.h"

/* Loads the shared object into this process, and has it write the program of the case, which the
 * caller owns.  STATUS_UNSUPPORTED, with the reason, where it writes none, or none of this case;
 * STATUS_IO where it cannot be loaded or fails. */
status_t c_source(const char *path, const char *options, const case_t *instance, char **out_text,
                  failure_t *error);

/* Builds and runs a program by the commands that its first comment has, in a folder that is removed
 * then.  As process_script_run(). */
status_t c_source_run(const char *text, char **out_results, char **out_words, failure_t *error);

#endif
