/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C once: finish and summarise; twice: stop now. */
#ifndef ASSAY_CLI_TASK_INTERRUPT_H
#define ASSAY_CLI_TASK_INTERRUPT_H

#include <signal.h>

/* Catches SIGINT and SIGTERM.  The flag becomes nonzero at the first one; the second one ends the
 * process. */
const volatile sig_atomic_t *interrupt_catch(void);

/* For a process whose parent counts the signals (supervisor.h): they set `flag` and do no more. But
 * one that the process sends to itself ends it: that is code of others. */
void interrupt_pass_on(volatile sig_atomic_t *flag);

/* Ends this process as its child ended, `status`, if that was by `signal_number`, which this
 * process was sent too. */
void interrupt_end_like(int signal_number, int status);

#endif
