/* SPDX-License-Identifier: Apache-2.0 */
/* A guard: a process between us and a child that runs code of others.
 *
 *   we -> guard -> child -> whatever it starts
 *
 * When the child ends, or we do, however that happens, the guard kills all that the child has left
 * behind and then ends as the child did: with its exit status, or of its signal.  The guard adopts
 * orphans (PR_SET_CHILD_SUBREAPER), so a session or a process group of its own hides nobody. */
#ifndef ASSAY_EXEC_CHILD_GUARD_H
#define ASSAY_EXEC_CHILD_GUARD_H

#include <sys/types.h>

/* As fork(): 0 in the child, in the parent the process number of the guard, which stands for the
 * child in waitpid(), or -1 with errno.  The child is in the process group of the parent and dies
 * with the guard; the guard ends when the thread that calls this does. */
pid_t process_guard_fork(void);

/* Asks the guard to kill the child and all that it left; the guard is to be waited for. */
void process_guard_stop(pid_t guard);

/* Kills and reaps the children of this process until there are none; gives up after some seconds on
 * those that cannot be killed. */
void process_guard_kill_children(void);

#endif
