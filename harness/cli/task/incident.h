/* SPDX-License-Identifier: Apache-2.0 */
/* An incident: the process in which executors ran has ended before its work was done.  What is left
 * of it is how it ended and the note of its last call. */
#ifndef ASSAY_CLI_TASK_INCIDENT_H
#define ASSAY_CLI_TASK_INCIDENT_H

#include "harness/exec/child/watch.h"
#include "harness/exec/transport/call_memory.h"
#include "harness/judge/verdict.h"

typedef struct incident {
  executor_outcome_t outcome;      /* EXECUTOR_CRASHED, _ENDED or _TIMED_OUT. */
  call_kind_t kind;                /* What was called. */
  bool is_blamed;                  /* On ... */
  size_t executor;                 /* ... this one, by its place on the command line. */
  char reason[VERDICT_TEXT_BYTES]; /* "exit status 0 in execute()" */
  char *case_line;                 /* Owned; the case in hand, or the last one; NULL if unknown. */
} incident_t;

/* The executors that ran code of others in the process. */
typedef struct foreign {
  size_t *places; /* Owned; on the command line. */
  size_t count;
  uint32_t call_seconds; /* How long a call may take that was given a limit; 0: it was not. */
} foreign_t;

/* After how many seconds without a step what is being done counts as hanging: the limit of a call,
 * where one was given.  Opening a library has a minute at least, and so has what is no call: that
 * is our own work. */
uint32_t foreign_patience(const foreign_t *foreign, call_kind_t kind);

/* Looks at what is left.  Who is in a call is blamed; who was in none is, where the process left of
 * its own will and no other was there, since Assay never does.  A fault outside of calls may be
 * ours. */
incident_t incident_read(const process_watch_end_t *end, const call_memory_t *memory,
                         const foreign_t *foreign);
void incident_deinit(incident_t *incident);

/* The class that its finding has, and session_failure_t.when. */
divergence_class_t incident_class(const incident_t *incident);
const char *incident_when(const incident_t *incident);

#endif
