/* SPDX-License-Identifier: Apache-2.0 */
/* Conversation with a worker process: launches it without an intermediate shell where possible,
 * with limited memory, buffers its answers and turns timeouts and garbage into outcomes. */
#include "harness/exec/process/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/base/plain_text.h"
#include "harness/exec/registry/environment.h"

enum {
  NOT_EXECUTABLE = 126, /* Exit statuses by which `sh` says so. */
  NOT_FOUND = 127,
  TIMEOUT_DEFAULT_MS = 10000,
  COMPILE_TIMEOUT_MS = 60000,   /* Where compiling is dear: a C++ compiler on a busy machine. */
  START_TIMEOUT_MIN_MS = 60000, /* A compiler in Python is slow to import on a cold disk. */
  STARTS_MAX = 5,
  BACK_OFF_FIRST_US = 10000, /* Wait after the first failed start; then four times that ... */
  CHUNK_BYTES = 4096,        /* Received at once while a line is not complete. */
};

/* ---- In the child. */

typedef struct launch {
  const char *command;
  char *const *environment;
  uint64_t memory_bytes_max;
} launch_t;

/* Becomes the worker.  RLIMIT_DATA rather than RLIMIT_AS: runtimes reserve far more address space
 * than they use.  Should memory run out all the same, the kernel ends the worker before Assay. */
static void launch_worker(int channel, const void *context) {
  static const char most_expendable[] = "1000";
  const launch_t *launch = context;
  setpgid(0, 0);
  struct rlimit memory = {launch->memory_bytes_max, launch->memory_bytes_max};
  setrlimit(RLIMIT_DATA, &memory);
  int score = open("/proc/self/oom_score_adj", O_WRONLY);
  if (score >= 0) {
    if (write(score, most_expendable, sizeof most_expendable - 1) < 0) errno = 0;
    close(score);
  }
  dup2(channel, STDIN_FILENO);
  dup2(channel, STDOUT_FILENO);
  close(channel);
  execle("/bin/sh", "sh", "-c", launch->command, (char *)NULL, launch->environment);
}

/* ---- In the parent. */

static int64_t deadline_after(uint32_t milliseconds) {
  return g_get_monotonic_time() + (int64_t)milliseconds * 1000;
}

static uint64_t half_of_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES);
  long page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes / 2 : RLIM_INFINITY;
}

/* `exec COMMAND` if that means the same: then no shell stands between us and the worker, and we see
 * which signal ended it.  The caller frees it. */
static char *without_shell(const char *command) {
  static const char *const builtins[] = {"exec", "eval", ".", "cd", "command"};
  size_t word = strcspn(command, " ");
  bool is_simple = strpbrk(command, ";&|<>()`!\n") == NULL && memchr(command, '=', word) == NULL;
  for (size_t i = 0; i < G_N_ELEMENTS(builtins); i++) {
    bool is_builtin = strlen(builtins[i]) == word && strncmp(command, builtins[i], word) == 0;
    if (is_builtin) is_simple = false;
  }
  return g_strconcat(is_simple ? "exec " : "", command, NULL);
}

void process_session_init(process_session_t *session, const char *command, uint32_t timeout_ms,
                          uint64_t memory_bytes_max) {
  *session = (process_session_t){
      .command = without_shell(command),
      .environment = worker_environment(),
      .timeout_ms = timeout_ms == 0 ? TIMEOUT_DEFAULT_MS : timeout_ms,
      .has_default_timeout = timeout_ms == 0,
      .memory_bytes_max = memory_bytes_max == 0 ? half_of_memory() : memory_bytes_max,
      .heard = g_string_new(NULL),
  };
}

process_end_t process_session_deinit(process_session_t *session) {
  process_end_t end = isolate_process_end(&session->process, false);
  g_string_free(session->heard, TRUE);
  g_strfreev(session->environment);
  g_free(session->command);
  return end;
}

executor_outcome_t process_session_garbage(process_session_t *session, const char *what,
                                           call_kind_t call, assay_reason_t *reason) {
  isolate_process_end(&session->process, true);
  isolate_process_describe(&session->process, what, call_words(call), reason);
  return EXECUTOR_GARBAGE;
}

/* Ends the worker that cannot be talked with, and says why. */
static executor_outcome_t end_worker(process_session_t *session, isolate_talk_t talk,
                                     uint32_t allowed_ms, call_kind_t call,
                                     assay_reason_t *reason) {
  process_end_t end = isolate_process_end(&session->process, talk == ISOLATE_TALK_LATE);
  if (talk == ISOLATE_TALK_LATE) {
    snprintf(end.words, sizeof end.words, "no answer within %u ms", allowed_ms);
    end.outcome = EXECUTOR_TIMED_OUT;
  }
  session->is_no_command =
      end.has_left && (end.exit_status == NOT_FOUND || end.exit_status == NOT_EXECUTABLE);
  isolate_process_describe(&session->process, end.words, call_words(call), reason);
  return end.outcome;
}

static isolate_talk_t hear_more(process_session_t *session, const char **out_news,
                                size_t *out_size) {
  char news[CHUNK_BYTES];
  size_t size;
  isolate_talk_t talk =
      isolate_process_receive_some(&session->process, news, sizeof news, &size, session->deadline);
  if (talk != ISOLATE_TALK_OK) return talk;
  g_string_append_len(session->heard, news, (gssize)size);
  *out_news = session->heard->str + session->heard->len - size;
  *out_size = size;
  return ISOLATE_TALK_OK;
}

static str_t heard_text(const process_session_t *session) {
  return (str_t){.data = session->heard->str, .size = session->heard->len};
}

/* Hears the greeting, which stays in session->heard. */
static executor_outcome_t hear_greeting(process_session_t *session, uint32_t allowed_ms,
                                        size_t *out_used, assay_reason_t *reason) {
  session->deadline = deadline_after(allowed_ms);
  g_string_truncate(session->heard, 0);
  failure_t error = {0};
  answer_state_t state;
  while ((state = greeting_read(heard_text(session), &session->greeting, out_used, &error)) ==
         ANSWER_INCOMPLETE) {
    const char *news;
    size_t size;
    isolate_talk_t talk = hear_more(session, &news, &size);
    if (talk != ISOLATE_TALK_OK) return end_worker(session, talk, allowed_ms, CALL_open, reason);
  }
  if (state == ANSWER_COMPLETE) return EXECUTOR_OK;
  return process_session_garbage(session, error.text, CALL_open, reason);
}

status_t process_session_start(process_session_t *session, failure_t *error) {
  const launch_t launch = {.command = session->command,
                           .environment = session->environment,
                           .memory_bytes_max = session->memory_bytes_max};
  STATUS_TRY(isolate_process_start(&session->process, 0, launch_worker, &launch, error));
  session->generation++;
  session->is_no_command = false;
  session->has_released = false;
  uint32_t allowed_ms = MAX(session->timeout_ms, START_TIMEOUT_MIN_MS);
  char text[ERROR_TEXT_BYTES / 2] = "";
  assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
  size_t used = 0;
  session->start_outcome = hear_greeting(session, allowed_ms, &used, &reason);
  if (session->start_outcome != EXECUTOR_OK) {
    bool is_no_command = session->is_no_command && session->heard->len == 0;
    return status_fail(error, is_no_command ? STATUS_INVALID : STATUS_IO, "%s", text);
  }
  str_t failure = session->greeting.failure;
  if (failure.size != 0) {
    plain_text_copy(text, sizeof text, failure.data, failure.size);
    isolate_process_end(&session->process, false);
    session->start_outcome = EXECUTOR_FAILED;
    return status_fail(error, STATUS_IO, "%s", text);
  }
  session->answer_bytes = used;
  session->start_outcome = process_session_finish(session, CALL_open, &reason);
  if (session->start_outcome == EXECUTOR_OK) return STATUS_OK;
  return status_fail(error, STATUS_IO, "%s", text);
}

/* Whether the worker has closed its end: nobody waits for an answer of it now. */
static bool has_gone(const process_session_t *session) {
  char byte;
  return recv(session->process.channel, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

executor_outcome_t process_session_ensure(process_session_t *session, assay_reason_t *reason) {
  if (session->process.pid != 0 && has_gone(session)) {
    session->late_end = isolate_process_end(&session->process, false);
    session->ended_late = true;
  }
  if (session->process.pid != 0) return EXECUTOR_OK;
  if (session->failed_starts < STARTS_MAX) {
    uint32_t failed = session->failed_starts;
    if (failed != 0) g_usleep((gulong)BACK_OFF_FIRST_US << (2 * (failed - 1)));
    failure_t error = {0};
    if (process_session_start(session, &error) == STATUS_OK) {
      session->failed_starts = 0;
      return EXECUTOR_OK;
    }
    session->failed_starts++;
    snprintf(session->start_failure, sizeof session->start_failure, "%.255s", error.text);
  }
  snprintf(reason->text, reason->text_bytes, "does not start again%s: %s",
           session->failed_starts == STARTS_MAX ? ", given up" : "", session->start_failure);
  return session->start_outcome;
}

/* What waits to be received is no part of any answer. */
static bool has_more_to_say(const process_session_t *session) {
  char byte;
  return recv(session->process.channel, &byte, 1, MSG_DONTWAIT | MSG_PEEK) > 0;
}

/* Of a call, from its first part to its end. */
static uint32_t find_timeout(const process_session_t *session, call_kind_t call) {
  bool compiles = call == CALL_compile || call == CALL_promises;
  bool is_dear = compiles && session->has_default_timeout && session->greeting.compiling_is_dear;
  return is_dear ? COMPILE_TIMEOUT_MS : session->timeout_ms;
}

executor_outcome_t process_session_send(process_session_t *session, bool is_first, const void *data,
                                        size_t size, call_kind_t call, assay_reason_t *reason) {
  if (is_first) {
    if (has_more_to_say(session)) {
      return process_session_garbage(session, "wrote to its stdout unasked, seen", call, reason);
    }
    isolate_process_forget_words(&session->process);
    session->call_timeout_ms = find_timeout(session, call);
    session->deadline = deadline_after(session->call_timeout_ms);
  }
  isolate_talk_t talk = isolate_process_send(&session->process, data, size, session->deadline);
  if (talk == ISOLATE_TALK_OK) return EXECUTOR_OK;
  return end_worker(session, talk, session->call_timeout_ms, call, reason);
}

executor_outcome_t process_session_answer(process_session_t *session, size_t line_bytes_max,
                                          call_kind_t call, answer_t *out_answer,
                                          assay_reason_t *reason) {
  failure_t error = {0};
  g_string_truncate(session->heard, 0);
  for (;;) {
    const char *news;
    size_t size;
    isolate_talk_t talk = hear_more(session, &news, &size);
    if (talk != ISOLATE_TALK_OK)
      return end_worker(session, talk, session->call_timeout_ms, call, reason);
    /* A line may be long: it is read once, when its end is there. */
    bool is_complete = memchr(news, '\n', size) != NULL || session->heard->len >= line_bytes_max;
    if (!is_complete) continue;
    answer_state_t state = answer_read(heard_text(session), line_bytes_max, out_answer,
                                       &session->answer_bytes, &error);
    if (state == ANSWER_COMPLETE) {
      session->has_released = false;
      return EXECUTOR_OK;
    }
    if (state == ANSWER_MALFORMED) {
      return process_session_garbage(session, error.text, call, reason);
    }
  }
}

executor_outcome_t process_session_receive(process_session_t *session, void *data, size_t size,
                                           call_kind_t call, assay_reason_t *reason) {
  size_t heard = MIN(size, session->heard->len - session->answer_bytes);
  if (heard != 0) memcpy(data, session->heard->str + session->answer_bytes, heard);
  session->answer_bytes += heard;
  isolate_talk_t talk = isolate_process_receive(&session->process, (char *)data + heard,
                                                size - heard, session->deadline);
  if (talk == ISOLATE_TALK_OK) return EXECUTOR_OK;
  return end_worker(session, talk, session->call_timeout_ms, call, reason);
}

executor_outcome_t process_session_finish(process_session_t *session, call_kind_t call,
                                          assay_reason_t *reason) {
  if (session->heard->len == session->answer_bytes && !has_more_to_say(session)) return EXECUTOR_OK;
  return process_session_garbage(session, "wrote more than its answer", call, reason);
}
