/* SPDX-License-Identifier: Apache-2.0 */
/* Forks a watched child and waits for it with signals blocked: passes on a request to stop once,
 * ends it on a second one or if it hangs, and reports how it ended. */
#include "harness/exec/child/watch.h"

#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/exec/child/end.h"
#include "harness/exec/child/guard.h"

/* Who kills a program and its process group, as timeout(1) does, has asked once. */
enum { ONE_REQUEST_US = 250000 };

static sigset_t awaited_signals(void) {
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGINT);
  sigaddset(&awaited, SIGTERM);
  sigaddset(&awaited, SIGCHLD);
  return awaited;
}

pid_t process_watch_fork(void) {
  sigset_t awaited = awaited_signals();
  prctl(PR_SET_CHILD_SUBREAPER, 1); /* Should somebody kill the guard. */
  sigprocmask(SIG_BLOCK, &awaited, NULL);
  pid_t guard = process_guard_fork();
  if (guard <= 0) sigprocmask(SIG_UNBLOCK, &awaited, NULL);
  return guard;
}

_Noreturn static void end_by(int number) {
  sigset_t set;
  signal(number, SIG_DFL);
  kill(getpid(), number);
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  _exit(EXIT_FAILURE);
}

static bool reap(pid_t guard, int *out_status) {
  int status;
  for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (ended != guard) continue;
    *out_status = status;
    return true;
  }
  return false;
}

process_watch_end_t process_watch_wait(pid_t guard, const process_watch_t *watch) {
  static const struct timespec second = {.tv_sec = 1};
  const sigset_t awaited = awaited_signals();
  process_watch_end_t end = {.memory_kills = process_end_memory_kills()};
  int64_t asked_us = 0;
  while (!reap(guard, &end.status)) {
    int number = sigtimedwait(&awaited, NULL, &second);
    int64_t now = g_get_monotonic_time();
    if (number == SIGINT || number == SIGTERM) {
      if (end.stop_signal == 0) {
        end.stop_signal = number;
        asked_us = now;
        watch->on_stop(watch->context);
      } else if (now - asked_us > ONE_REQUEST_US) {
        process_guard_stop(guard);
        while (!reap(guard, &end.status)) sigtimedwait(&awaited, NULL, &second);
        process_guard_kill_children();
        end_by(number);
      }
    } else if (number < 0 && errno == EAGAIN && watch->is_hanging(watch->context, guard)) {
      end.was_hanging = true;
      process_guard_stop(guard);
    }
  }
  process_guard_kill_children();
  return end;
}
