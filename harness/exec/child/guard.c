/* SPDX-License-Identifier: Apache-2.0 */
/* Forks twice: the intermediate process adopts and kills whatever the child leaves behind, by
 * walking /proc, and then ends with the child's own status. */
#include "harness/exec/child/guard.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  STOP_SIGNAL = SIGTERM, /* To the guard: from its parent, or from the kernel when that is gone. */
  PATIENCE_SECONDS = 5,  /* For processes that were killed and do not go. */
  STEP_NANOSECONDS = 500000,
};

/* The process number of the parent of a process, as /proc tells, or -1. */
static pid_t parent_of(const char *process) {
  char path[64];
  char text[512];
  snprintf(path, sizeof path, "/proc/%.20s/stat", process);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return -1;
  text[size] = '\0';
  const char *state = strrchr(text, ')'); /* "PID (NAME) STATE PARENT": a name holds anything. */
  if (state == NULL || strlen(state) < 4) return -1;
  return (pid_t)strtol(state + 4, NULL, 10);
}

static void signal_children(int number) {
  DIR *processes = opendir("/proc");
  if (processes == NULL) return;
  pid_t self = getpid();
  for (const struct dirent *entry; (entry = readdir(processes)) != NULL;) {
    if (!isdigit((unsigned char)entry->d_name[0]) || parent_of(entry->d_name) != self) continue;
    kill((pid_t)strtol(entry->d_name, NULL, 10), number);
  }
  closedir(processes);
}

void process_guard_kill_children(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const time_t end = now.tv_sec + PATIENCE_SECONDS;
  const struct timespec step = {.tv_nsec = STEP_NANOSECONDS};
  for (; now.tv_sec <= end; clock_gettime(CLOCK_MONOTONIC, &now)) {
    pid_t reaped;
    while ((reaped = waitpid(-1, NULL, WNOHANG)) > 0) {
    }
    if (reaped < 0 && errno != EINTR) return; /* There are none. */
    signal_children(SIGKILL);
    nanosleep(&step, NULL);
  }
}

/* Ends this process as another one ended. */
_Noreturn static void end_like(int status) {
  if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
  const struct rlimit no_core = {0};
  sigset_t all;
  setrlimit(RLIMIT_CORE, &no_core);
  signal(WTERMSIG(status), SIG_DFL);
  kill(getpid(), WTERMSIG(status));
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, NULL);
  _exit(EXIT_FAILURE); /* Of a signal that ends nobody, which has ended nobody. */
}

/* True once the child has ended; what it left and we adopted may end before it. */
static bool reap(pid_t child, int *out_status) {
  int status;
  for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (ended != child) continue;
    *out_status = status;
    return true;
  }
  return false;
}

_Noreturn static void watch(pid_t parent, pid_t child) {
  int status = 0;
  bool is_stopped = false;
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, STOP_SIGNAL);
  while (!reap(child, &status)) {
    if (!is_stopped && getppid() != parent) is_stopped = true;
    if (is_stopped) kill(child, SIGKILL);
    int number;
    if (sigwait(&awaited, &number) == 0 && number == STOP_SIGNAL) is_stopped = true;
  }
  process_guard_kill_children();
  end_like(status);
}

/* In the guard: returns in the child only. */
static void guard(pid_t parent, pid_t group, const sigset_t *mask) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, STOP_SIGNAL);
  signal(SIGCHLD, SIG_DFL);
  signal(STOP_SIGNAL, SIG_DFL);
  pid_t self = getpid();
  pid_t child = fork();
  if (child < 0) _exit(EXIT_FAILURE);
  if (child > 0) {
    setpgid(0, 0); /* Who kills our group by SIGKILL leaves us to clean up after it. */
    close_range(0, ~0u, 0);
    watch(parent, child);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != self) _exit(EXIT_FAILURE); /* It died before the line above. */
  setpgid(0, group);
  sigprocmask(SIG_SETMASK, mask, NULL);
}

pid_t process_guard_fork(void) {
  pid_t parent = getpid();
  pid_t group = getpgrp();
  sigset_t all;
  sigset_t mask;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &mask);
  pid_t child = fork();
  if (child == 0) {
    guard(parent, group, &mask);
    return 0;
  }
  int reason = errno;
  sigprocmask(SIG_SETMASK, &mask, NULL);
  errno = reason;
  return child;
}

void process_guard_stop(pid_t guard) { kill(guard, STOP_SIGNAL); }
