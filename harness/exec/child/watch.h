/* SPDX-License-Identifier: Apache-2.0 */
/* Watching over a child that does the work of this program: whatever ends it, somebody is left to
 * tell.  The child is guarded (child/guard.h), so nothing that it started outlives it or us. */
#ifndef ASSAY_EXEC_CHILD_WATCH_H
#define ASSAY_EXEC_CHILD_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct process_watch {
  /* Called at the first SIGINT or SIGTERM that we get; the second ends the child and us. */
  void (*on_stop)(void *context);
  /* Asked once a second: true ends the child. */
  bool (*is_hanging)(void *context, pid_t guard);
  void *context;
} process_watch_t;

/* How the child ended. */
typedef struct process_watch_end {
  int status;            /* As of waitpid(). */
  uint64_t memory_kills; /* By the kernel, before the child was started. */
  bool was_hanging;      /* We ended it for that. */
  int stop_signal;       /* What asked us to stop meanwhile, or 0. */
} process_watch_end_t;

/* As fork(): 0 in the child; -1 with errno; in the parent the child's guard, for the function
 * below. From here on the parent takes SIGINT and SIGTERM in that function only. */
pid_t process_watch_fork(void);

/* Waits until the child has ended.  A second SIGINT or SIGTERM ends this process, by that signal.
 */
process_watch_end_t process_watch_wait(pid_t guard, const process_watch_t *watch);

#endif
