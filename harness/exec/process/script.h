/* SPDX-License-Identifier: Apache-2.0 */
/* A script that a worker writes, which runs one case on its backend and needs nothing of ours
 * (worker.md, "Scripts"). */
#ifndef ASSAY_EXEC_PROCESS_SCRIPT_H
#define ASSAY_EXEC_PROCESS_SCRIPT_H

#include "harness/model/case.h"

/* Starts the worker's command once, asks it for the script of the case and lets it end.  The script
 * is owned by the caller.  STATUS_UNSUPPORTED, with the reason, where the worker writes none, or
 * none of this case; STATUS_IO where it does not answer as worker.md has it. */
status_t process_script(const char *command, const case_t *instance, char **out_script,
                        failure_t *error);

/* Runs a script with the Python that starts the worker's command (or python3), and takes what
 * stands behind "results: " in its last line, owned by the caller; NULL if there is no such line:
 * then *out_words, owned too, is the end of what it said. */
status_t process_script_run(const char *command, const char *script, char **out_results,
                            char **out_words, failure_t *error);

#endif
