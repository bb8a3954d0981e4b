/* SPDX-License-Identifier: Apache-2.0 */
/* How a process ended that ran code of others, and what that says of it. */
#ifndef ASSAY_EXEC_CHILD_END_H
#define ASSAY_EXEC_CHILD_END_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/exec/transport/outcome.h"

enum { PROCESS_END_BYTES = 64 };

typedef struct process_end {
  /* EXECUTOR_CRASHED for signals by which faults end a process (SIGSEGV, SIGABRT, ...), else
   * EXECUTOR_ENDED: it left, or somebody killed it. */
  executor_outcome_t outcome;
  char words[PROCESS_END_BYTES]; /* "SIGSEGV", "exit status 3", "SIGKILL (out of memory)". */
  bool has_left;                 /* By exit() or the like, ... */
  int exit_status;               /* ... with this. */
  bool was_stopped;              /* By us: it did not end by itself. */
} process_end_t;

/* How many processes the kernel has killed for want of memory since it started; 0 if it does not
 * tell. */
uint64_t process_end_memory_kills(void);

/* `status` as waitpid() gives it.  A SIGKILL is put down to memory if the kernel has killed for it
 * since it had killed `memory_kills_before` times. */
process_end_t process_end_read(int status, uint64_t memory_kills_before);

#endif
