/* What a task says while it runs and at its end. */
#ifndef ASSAY_CLI_SUMMARY_H
#define ASSAY_CLI_SUMMARY_H

#include "harness/cli/task.h"

/* Hooks of a session; the context is the task.  Findings go to standard output as they are
 * found, each with its replay line; progress goes to standard error if that is a terminal. */
void summary_on_finding(void *context, const session_t *session, const finding_t *finding);
void summary_on_tick(void *context, const session_t *session);

/* Ends the progress line. */
void summary_end_progress(void);

/* The table by executor, op and types, the findings and where time went; or all that as JSON. */
void summary_print(const task_t *task);
void summary_print_json(const task_t *task);

#endif
