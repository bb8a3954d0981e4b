/* SPDX-License-Identifier: Apache-2.0 */
/* Translates a wait status into an outcome and words. A kill for lack of memory is recognized by
 * the kernel's counter of such kills. */
#include "harness/exec/child/end.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <glib.h>
#include <sys/wait.h>

uint64_t process_end_memory_kills(void) {
  static const char name[] = "\noom_kill ";
  g_autofree char *text = NULL;
  if (!g_file_get_contents("/proc/vmstat", &text, NULL, NULL)) return 0;
  const char *line = strstr(text, name);
  return line == NULL ? 0 : g_ascii_strtoull(line + strlen(name), NULL, 10);
}

static bool is_fault(int number) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
  for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
    if (number == faults[i]) return true;
  }
  return false;
}

process_end_t process_end_read(int status, uint64_t memory_kills_before) {
  process_end_t end = {.outcome = EXECUTOR_ENDED};
  if (!WIFSIGNALED(status)) {
    end.has_left = true;
    end.exit_status = WEXITSTATUS(status);
    snprintf(end.words, sizeof end.words, "exit status %d", end.exit_status);
    return end;
  }
  int number = WTERMSIG(status);
  const char *name = sigabbrev_np(number);
  if (is_fault(number)) end.outcome = EXECUTOR_CRASHED;
  bool is_memory = number == SIGKILL && process_end_memory_kills() > memory_kills_before;
  if (name == NULL) {
    snprintf(end.words, sizeof end.words, "signal %d", number);
  } else {
    snprintf(end.words, sizeof end.words, "SIG%s%s", name, is_memory ? " (out of memory)" : "");
  }
  return end;
}
