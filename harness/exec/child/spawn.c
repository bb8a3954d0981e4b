/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a guarded child with a socket and a pipe for its output, sends and receives with
 * deadlines, and ends it, keeping its last words for the report. */
#include "harness/exec/child/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/exec/child/guard.h"
#include "harness/exec/transport/reason.h"

enum {
  CHILD_CHANNEL = 3,          /* Its number in the child. */
  FIRST_FREE_DESCRIPTOR = 10, /* Beyond those that are given a fixed meaning in the child. */
  GRACE_US = 200000,          /* For a child that closed its channel to die by itself. */
  GRACE_STEP_US = 500,
};

/* ---- In the child, before the backend is there. */

static void limit_resources(uint64_t memory_bytes_max) {
  struct rlimit none = {0};
  setrlimit(RLIMIT_CORE, &none);
  if (memory_bytes_max == 0) return;
  char *statm = NULL;
  if (!g_file_get_contents("/proc/self/statm", &statm, NULL, NULL)) return;
  uint64_t mapped = g_ascii_strtoull(statm, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
  g_free(statm);
  struct rlimit memory = {mapped + memory_bytes_max, mapped + memory_bytes_max};
  setrlimit(RLIMIT_AS, &memory);
}

static void reset_signals(void) {
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  signal(SIGINT, SIG_IGN); /* Ctrl-C is for the parent, which then ends us. */
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static void arrange_descriptors(int channel, int words) {
  int safe_channel = fcntl(channel, F_DUPFD, FIRST_FREE_DESCRIPTOR);
  int safe_words = fcntl(words, F_DUPFD, FIRST_FREE_DESCRIPTOR);
  int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(safe_words, STDOUT_FILENO);
  dup2(safe_words, STDERR_FILENO);
  dup2(safe_channel, CHILD_CHANNEL);
  close_range(CHILD_CHANNEL + 1, ~0u, 0);
}

static _Noreturn void run_child(int channel, int words, uint64_t memory_bytes_max,
                                void (*serve)(int channel, const void *context),
                                const void *context) {
  reset_signals();
  arrange_descriptors(channel, words);
  limit_resources(memory_bytes_max);
  serve(CHILD_CHANNEL, context);
  _exit(EXIT_SUCCESS);
}

/* ---- In the parent. */

static void close_both(const int descriptors[2]) {
  close(descriptors[0]);
  close(descriptors[1]);
}

status_t isolate_process_start(isolate_process_t *process, uint64_t memory_bytes_max,
                               void (*serve)(int channel, const void *context), const void *context,
                               failure_t *error) {
  int channel[2];
  int words[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0) {
    return status_fail(error, STATUS_IO, "cannot make a socket pair: %s", strerror(errno));
  }
  if (pipe2(words, O_CLOEXEC) != 0) {
    close_both(channel);
    return status_fail(error, STATUS_IO, "cannot make a pipe: %s", strerror(errno));
  }
  process->memory_kills = process_end_memory_kills();
  pid_t pid = process_guard_fork();
  if (pid == 0) run_child(channel[1], words[1], memory_bytes_max, serve, context);
  if (pid < 0) {
    close_both(channel);
    close_both(words);
    return status_fail(error, STATUS_IO, "cannot fork: %s", strerror(errno));
  }
  close(channel[1]);
  close(words[1]);
  fcntl(words[0], F_SETFL, O_NONBLOCK);
  process->pid = pid;
  process->channel = channel[0];
  process->words = words[0];
  process->last_words_size = 0;
  return STATUS_OK;
}

/* Takes what the child has said; false when it can say no more. */
static bool keep_words(isolate_process_t *process) {
  char said[LAST_WORDS_BYTES];
  ssize_t count;
  while ((count = read(process->words, said, sizeof said)) > 0) {
    size_t size = (size_t)count;
    size_t kept = MIN(process->last_words_size, LAST_WORDS_BYTES - size);
    memmove(process->last_words, process->last_words + process->last_words_size - kept, kept);
    memcpy(process->last_words + kept, said, size);
    process->last_words_size = kept + size;
  }
  return count < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Waits until the channel is ready for `events`. */
static isolate_talk_t wait_ready(isolate_process_t *process, short events, int64_t deadline) {
  struct pollfd watched[2] = {{.fd = process->channel, .events = events},
                              {.fd = process->words, .events = POLLIN}};
  for (;;) {
    int64_t left = deadline - g_get_monotonic_time();
    if (left <= 0) return ISOLATE_TALK_LATE;
    int count = poll(watched, 2, (int)MIN(left / 1000 + 1, G_MAXINT));
    if (count < 0 && errno != EINTR) return ISOLATE_TALK_ENDED;
    if (count <= 0) continue;
    /* A backend may close its stdout and stderr: poll() ignores a negative descriptor. */
    if (watched[1].revents != 0 && !keep_words(process)) watched[1].fd = -1;
    if (watched[0].revents != 0) return ISOLATE_TALK_OK;
  }
}

isolate_talk_t isolate_process_send(isolate_process_t *process, const void *data, size_t size,
                                    int64_t deadline) {
  const char *next = data;
  while (size != 0) {
    ssize_t count = send(process->channel, next, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      next += count;
      size -= (size_t)count;
    } else if (errno == EAGAIN) {
      isolate_talk_t talk = wait_ready(process, POLLOUT, deadline);
      if (talk != ISOLATE_TALK_OK) return talk;
    } else if (errno != EINTR) {
      return ISOLATE_TALK_ENDED;
    }
  }
  return ISOLATE_TALK_OK;
}

isolate_talk_t isolate_process_receive_some(isolate_process_t *process, void *data, size_t capacity,
                                            size_t *out_size, int64_t deadline) {
  for (;;) {
    isolate_talk_t talk = wait_ready(process, POLLIN, deadline);
    if (talk != ISOLATE_TALK_OK) return talk;
    ssize_t count = recv(process->channel, data, capacity, MSG_DONTWAIT);
    if (count > 0) {
      *out_size = (size_t)count;
      return ISOLATE_TALK_OK;
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) return ISOLATE_TALK_ENDED;
  }
}

isolate_talk_t isolate_process_receive(isolate_process_t *process, void *data, size_t size,
                                       int64_t deadline) {
  char *next = data;
  while (size != 0) {
    size_t count;
    isolate_talk_t talk = isolate_process_receive_some(process, next, size, &count, deadline);
    if (talk != ISOLATE_TALK_OK) return talk;
    next += count;
    size -= count;
  }
  return ISOLATE_TALK_OK;
}

/* Waits for the child to be gone for GRACE_US at most; true with its status if it went. */
static bool reap_within_grace(pid_t pid, int *out_status) {
  for (int64_t waited = 0; waited <= GRACE_US; waited += GRACE_STEP_US) {
    if (waitpid(pid, out_status, WNOHANG) == pid) return true;
    g_usleep(GRACE_STEP_US);
  }
  return false;
}

process_end_t isolate_process_end(isolate_process_t *process, bool kill_at_once) {
  if (process->pid == 0)
    return (process_end_t){.outcome = EXECUTOR_ENDED, .words = "not running", .was_stopped = true};
  close(process->channel); /* Which asks a living child to go. */
  int status = 0;
  bool went = !kill_at_once && reap_within_grace(process->pid, &status);
  if (!went) {
    process_guard_stop(process->pid);
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  keep_words(process);
  close(process->words);
  process->pid = 0;
  if (!went)
    return (process_end_t){
        .outcome = EXECUTOR_CRASHED, .words = "closed its connection", .was_stopped = true};
  return process_end_read(status, process->memory_kills);
}

void isolate_process_describe(const isolate_process_t *process, const char *how, const char *where,
                              assay_reason_t *reason) {
  static const char introduction[] = ", after it wrote: ";
  snprintf(reason->text, reason->text_bytes, "%s %s", how, where);
  size_t used = strlen(reason->text) + strlen(introduction);
  if (process->last_words_size == 0 || used + 1 >= reason->text_bytes) return;
  size_t shown = MIN(process->last_words_size, reason->text_bytes - used - 1);
  g_strlcat(reason->text, introduction, reason->text_bytes);
  memcpy(reason->text + used, process->last_words + process->last_words_size - shown, shown);
  reason->text[used + shown] = '\0';
  reason_clean(reason);
}
