/* SPDX-License-Identifier: Apache-2.0 */
/* A conversation with a worker process (harness/exec/workers/worker.md), which survives the worker:
 * a dead one is started anew when it is needed next. */
#ifndef ASSAY_EXEC_PROCESS_SESSION_H
#define ASSAY_EXEC_PROCESS_SESSION_H

#include "harness/exec/child/spawn.h"
#include "harness/exec/process/answer.h"
#include "harness/exec/transport/transport.h"

typedef struct process_session {
  char *command;       /* Owned; for `sh -c`. */
  char **environment;  /* Owned; all that it gets of ours. */
  uint32_t timeout_ms; /* Of one call. */
  bool has_default_timeout;
  uint32_t call_timeout_ms; /* Of the present call. */
  uint64_t memory_bytes_max;
  isolate_process_t process;
  greeting_t greeting;
  uint64_t generation;    /* Counts workers: what was made in an earlier one is gone. */
  bool has_released;      /* Since it answered last: it may have ended of that. */
  process_end_t late_end; /* Of a worker that ended outside of any call; see the transport. */
  bool ended_late;
  uint32_t failed_starts;           /* In a row. */
  executor_outcome_t start_outcome; /* Of the last of them. */
  bool is_no_command;               /* The shell found none so called, or may not run it. */
  char start_failure[ERROR_TEXT_BYTES / 2];
  int64_t deadline;    /* Of the present call. */
  GString *heard;      /* Received, and not yet taken by process_session_receive(). */
  size_t answer_bytes; /* Of those, the line of the present answer. */
} process_session_t;

/* Zero limits mean: 10 s for each call, 60 s to compile where that is dear; half of the machine's
 * memory. */
void process_session_init(process_session_t *session, const char *command, uint32_t timeout_ms,
                          uint64_t memory_bytes_max);

/* Ends the worker and tells how it ended; frees what the session owns. */
process_end_t process_session_deinit(process_session_t *session);

/* Starts a worker and reads its greeting.  STATUS_INVALID if there is no such command. */
status_t process_session_start(process_session_t *session, failure_t *error);

/* Makes sure that a worker runs: EXECUTOR_OK or what kept it from starting.  Notes the end of one
 * that has gone since the last call.  Waits longer and longer between failed starts in a row, and
 * gives up after a few. */
executor_outcome_t process_session_ensure(process_session_t *session, assay_reason_t *reason);

/* The four below end the worker unless they return EXECUTOR_OK; else they return what happened:
 * EXECUTOR_CRASHED, _ENDED, _TIMED_OUT or _GARBAGE.  `call` names the request in the reason.  One
 * call is any number of sends, one answer, any number of receives, and one finish. */

/* Sends a part of a request; the first part starts the time limit. */
executor_outcome_t process_session_send(process_session_t *session, bool is_first, const void *data,
                                        size_t size, call_kind_t call, assay_reason_t *reason);

/* Receives the line of the answer, valid until the next call. */
executor_outcome_t process_session_answer(process_session_t *session, size_t line_bytes_max,
                                          call_kind_t call, answer_t *out_answer,
                                          assay_reason_t *reason);

/* Receives exactly `size` bytes after the line. */
executor_outcome_t process_session_receive(process_session_t *session, void *data, size_t size,
                                           call_kind_t call, assay_reason_t *reason);

/* Checks that the answer ends here. */
executor_outcome_t process_session_finish(process_session_t *session, call_kind_t call,
                                          assay_reason_t *reason);

/* Ends the worker for an answer that broke the protocol; returns EXECUTOR_GARBAGE. */
executor_outcome_t process_session_garbage(process_session_t *session, const char *what,
                                           call_kind_t call, assay_reason_t *reason);

#endif
