/* SPDX-License-Identifier: Apache-2.0 */
/* Request and reply with a restartable child: waits longer after each failed start, and turns
 * silence, garbage or an ended child into the outcome of the call. */
#include "harness/exec/isolate/session.h"

#include <stdio.h>
#include <string.h>

enum {
  START_TIMEOUT_MIN_MS = 10000, /* Loading a large library may last where calls may not. */
  STARTS_MAX = 5,
  BACK_OFF_FIRST_US = 10000, /* Wait after the first failed start; then four times that ... */
};

static int64_t deadline_after(uint32_t milliseconds) {
  return g_get_monotonic_time() + (int64_t)milliseconds * 1000;
}

/* What came of waiting for an answer. */
typedef enum heard {
  HEARD_ANSWER,
  HEARD_GARBAGE,
  HEARD_END,
  HEARD_NOTHING, /* In time. */
} heard_t;

static heard_t heard_from_talk(isolate_talk_t talk) {
  switch (talk) {
    case ISOLATE_TALK_OK:
      return HEARD_ANSWER;
    case ISOLATE_TALK_LATE:
      return HEARD_NOTHING;
    case ISOLATE_TALK_ENDED:
    default:
      return HEARD_END;
  }
}

static heard_t receive_answer(isolate_session_t *session, int64_t deadline,
                              isolate_answer_t *out_answer) {
  isolate_process_t *process = &session->process;
  isolate_reply_t *reply = &out_answer->reply;
  isolate_talk_t talk = isolate_process_receive(process, reply, sizeof *reply, deadline);
  if (talk != ISOLATE_TALK_OK) return heard_from_talk(talk);
  bool is_answer = reply->magic == ISOLATE_MAGIC && reply->text_bytes <= ISOLATE_REPLY_TEXT_MAX &&
                   reply->answer <= EXECUTOR_GARBAGE;
  if (!is_answer) return HEARD_GARBAGE;
  out_answer->text[reply->text_bytes] = '\0';
  return heard_from_talk(
      isolate_process_receive(process, out_answer->text, reply->text_bytes, deadline));
}

/* Ends the child that gave no answer; says why and where, and what it means for the case. */
static executor_outcome_t end_child(isolate_session_t *session, heard_t heard, uint32_t allowed_ms,
                                    assay_reason_t *reason) {
  const char *where = call_words((call_kind_t)session->host.memory->note->kind);
  process_end_t end = isolate_process_end(&session->process, heard != HEARD_END);
  if (heard == HEARD_NOTHING) {
    snprintf(end.words, sizeof end.words, "no answer within %u ms", allowed_ms);
    end.outcome = EXECUTOR_TIMED_OUT;
  } else if (heard == HEARD_GARBAGE) {
    snprintf(end.words, sizeof end.words, "garbage on its connection to Assay");
    end.outcome = EXECUTOR_GARBAGE;
  }
  isolate_process_describe(&session->process, end.words, where, reason);
  return end.outcome;
}

status_t isolate_session_start(isolate_session_t *session, isolate_answer_t *out_answer,
                               failure_t *error) {
  call_memory_leave(session->host.memory); /* Where the last child died. */
  session->start_outcome = EXECUTOR_CRASHED;
  STATUS_TRY(isolate_process_start(&session->process, session->memory_bytes_max, isolate_serve,
                                   &session->host, error));
  session->generation++;
  uint32_t allowed_ms = MAX(session->timeout_ms, START_TIMEOUT_MIN_MS);
  heard_t heard = receive_answer(session, deadline_after(allowed_ms), out_answer);
  if (heard != HEARD_ANSWER) {
    char text[ERROR_TEXT_BYTES / 2] = "";
    assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
    session->start_outcome = end_child(session, heard, allowed_ms, &reason);
    return status_fail(error, STATUS_IO, "%s", text);
  }
  if (out_answer->reply.answer == STATUS_OK) return STATUS_OK;
  isolate_session_end(session);
  uint32_t answer = out_answer->reply.answer;
  return status_fail(error, answer <= STATUS_IO ? (status_t)answer : STATUS_IO, "%.400s",
                     out_answer->text);
}

executor_outcome_t isolate_session_ensure(isolate_session_t *session, assay_reason_t *reason) {
  if (session->process.pid != 0) return EXECUTOR_OK;
  if (session->failed_starts < STARTS_MAX) {
    uint32_t failed = session->failed_starts;
    if (failed != 0) g_usleep((gulong)BACK_OFF_FIRST_US << (2 * (failed - 1)));
    isolate_answer_t answer;
    failure_t error = {0};
    if (isolate_session_start(session, &answer, &error) == STATUS_OK) {
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

executor_outcome_t isolate_session_converse(isolate_session_t *session, isolate_request_t *request,
                                            const char *line, isolate_answer_t *out_answer,
                                            assay_reason_t *reason) {
  isolate_process_t *process = &session->process;
  isolate_process_forget_words(process);
  request->magic = ISOLATE_MAGIC;
  request->text_bytes = strlen(line);
  int64_t deadline = deadline_after(session->timeout_ms);
  isolate_talk_t talk = isolate_process_send(process, request, sizeof *request, deadline);
  if (talk == ISOLATE_TALK_OK) {
    talk = isolate_process_send(process, line, request->text_bytes, deadline);
  }
  heard_t heard = heard_from_talk(talk);
  if (heard == HEARD_ANSWER) heard = receive_answer(session, deadline, out_answer);
  if (heard == HEARD_ANSWER) return EXECUTOR_OK;
  return end_child(session, heard, session->timeout_ms, reason);
}

void isolate_session_end(isolate_session_t *session) {
  isolate_process_end(&session->process, false);
}
