/* SPDX-License-Identifier: Apache-2.0 */
/* A conversation with the child of an isolated backend, which survives the child: a dead one is
 * started anew when it is needed next. */
#ifndef ASSAY_EXEC_ISOLATE_SESSION_H
#define ASSAY_EXEC_ISOLATE_SESSION_H

#include "harness/exec/child/spawn.h"
#include "harness/exec/isolate/host.h"

typedef struct isolate_session {
  isolate_host_t host; /* What the child needs to know. */
  uint32_t timeout_ms; /* Of one call. */
  uint64_t memory_bytes_max;
  isolate_process_t process;
  uint64_t generation;              /* Counts children: what was made in an earlier one is gone. */
  uint32_t failed_starts;           /* In a row. */
  executor_outcome_t start_outcome; /* Of the last of them. */
  char start_failure[ERROR_TEXT_BYTES / 2];
} isolate_session_t;

typedef struct isolate_answer {
  isolate_reply_t reply;
  char text[ISOLATE_REPLY_TEXT_MAX + 1];
} isolate_answer_t;

/* Starts a child and waits until it has opened the backend; the answer tells about it. */
status_t isolate_session_start(isolate_session_t *session, isolate_answer_t *out_answer,
                               failure_t *error);

/* Makes sure that a child runs: EXECUTOR_OK or what kept it from starting.  Waits longer and longer
 * between failed starts in a row, and gives up after a few. */
executor_outcome_t isolate_session_ensure(isolate_session_t *session, assay_reason_t *reason);

/* Sends a request, followed by `line`, to the running child and receives its answer.  If that does
 * not come, or is nonsense, ends the child and returns what happened, in which call of the backend:
 * EXECUTOR_CRASHED, _ENDED, _TIMED_OUT or _GARBAGE. */
executor_outcome_t isolate_session_converse(isolate_session_t *session, isolate_request_t *request,
                                            const char *line, isolate_answer_t *out_answer,
                                            assay_reason_t *reason);

void isolate_session_end(isolate_session_t *session);

#endif
