/* SPDX-License-Identifier: Apache-2.0 */
/* What a backend did with a call, and what it promises beforehand. */
#ifndef ASSAY_EXEC_TRANSPORT_OUTCOME_H
#define ASSAY_EXEC_TRANSPORT_OUTCOME_H

/* What an executor did with a call. */
typedef enum executor_outcome {
  EXECUTOR_OK,
  EXECUTOR_REFUSED,  /* Said that it does not support the program. */
  EXECUTOR_REJECTED, /* Said that the program is invalid. */
  EXECUTOR_FAILED,   /* Said that it tried and could not. */
  EXECUTOR_CRASHED,  /* A fault ended its process: SIGSEGV, SIGABRT, ... */
  EXECUTOR_ENDED,    /* Its process ended otherwise: it left, or was killed. */
  EXECUTOR_TIMED_OUT,
  EXECUTOR_GARBAGE, /* Broke the protocol; the reason says how. */
} executor_outcome_t;

/* Whether the backend's declared target holds the program: yes, no, or it has declared none. */
typedef enum executor_promise {
  EXECUTOR_PROMISE_NONE,
  EXECUTOR_PROMISE_YES,
  EXECUTOR_PROMISE_NO
} executor_promise_t;

#endif
