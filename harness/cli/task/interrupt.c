/* SPDX-License-Identifier: Apache-2.0 */
/* Signal handlers for a clean stop: the first interrupt sets a flag, the second has its default
 * effect; a child's handler passes the request on through shared memory. */
#include "harness/cli/task/interrupt.h"

#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t *passed_on; /* A signal handler has no context argument. */

static void note_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

const volatile sig_atomic_t *interrupt_catch(void) {
  /* SA_RESETHAND: the second signal meets the default action. */
  struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  return &interrupted;
}

static void pass_on(int signal_number, siginfo_t *info, void *context) {
  (void)context;
  if (info->si_pid == getpid()) {
    signal(signal_number, SIG_DFL);
    raise(signal_number); /* When this handler has returned. */
  } else {
    *passed_on = 1;
  }
}

void interrupt_pass_on(volatile sig_atomic_t *flag) {
  struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&action.sa_mask);
  passed_on = flag;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

void interrupt_end_like(int signal_number, int status) {
  if (signal_number == 0 || !WIFSIGNALED(status) || WTERMSIG(status) != signal_number) return;
  sigset_t set;
  signal(signal_number, SIG_DFL);
  raise(signal_number);
  sigemptyset(&set);
  sigaddset(&set, signal_number);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
}
