/* SPDX-License-Identifier: Apache-2.0 */
/* Where executors run code of others in the process that does the work, another process watches
 * over it: whatever ends the work, there is somebody left to tell of it, and which case it was.
 *
 *   what one sees in `ps` -> guard -> the process that works (child/guard.h)
 *
 * The work is then done again from its beginning with executors in processes of their own, where
 * the same costs one case.  So nothing that was judged is missing in the end. */
#ifndef ASSAY_CLI_TASK_SUPERVISOR_H
#define ASSAY_CLI_TASK_SUPERVISOR_H

#include "harness/base/hash.h"
#include "harness/cli/options/flags.h"
#include "harness/cli/task/incident.h"

enum { REPORTED_STATE_BYTES = 24 };

typedef struct supervisor supervisor_t;

typedef struct supervisor_options {
  const executor_flags_t *executor;
  const char *contract;  /* As on the command line; NULL: the default. */
  const char *artifacts; /* A folder for the case that ended the work; NULL: it is printed. */
} supervisor_options_t;

/* Whether one of the executors would run code of others in this process. */
bool supervisor_is_needed(const executor_flags_t *flags);

/* Begins the work: returns in the process that does it, any number of times in different ones.  The
 * process that called watches meanwhile, and exits with the exit code of the work. */
status_t supervisor_begin(const supervisor_options_t *options, supervisor_t **out_supervisor,
                          failure_t *error);

/* Ends the work: the exit code that supervisor_begin()'s caller is to end with. */
void supervisor_end(supervisor_t *supervisor, int exit_code); /* NULL is ignored. */

/* ---- For the work.  All take NULL, for work that nobody watches over. */

/* What ended it when it was begun last, or NULL: then executors must be isolated now. */
const incident_t *supervisor_incident(const supervisor_t *supervisor);

/* Seconds that went by before the work was begun for the last time, and cases that were walked. */
double supervisor_seconds_before(const supervisor_t *supervisor);
uint64_t supervisor_cases_before(const supervisor_t *supervisor);

/* Where calls are noted. */
call_memory_t *supervisor_memory(const supervisor_t *supervisor);

/* Becomes nonzero when the work is to end early; NULL without a supervisor.  Instead of
 * interrupt_catch(): signals go to the supervisor. */
const volatile sig_atomic_t *supervisor_stop(supervisor_t *supervisor);

/* Progress: so many cases are walked, and how the work would end if it did now. */
void supervisor_note(supervisor_t *supervisor, uint64_t cases, int exit_code);

/* Between these the case line `data` is looked at, borrowed: if the work ends outside of calls,
 * that is what it was about. */
void supervisor_enter_input(supervisor_t *supervisor, const uint8_t *data, size_t size);
void supervisor_leave_input(supervisor_t *supervisor);

/* A finding that has been told. */
typedef struct reported {
  size_t executor;
  hash_text_t signature;
  char state[REPORTED_STATE_BYTES]; /* In the database before all of the work, "" if it was new. */
} reported_t;

/* Whether this finding was told before the work was begun again; from now on it has been. */
bool supervisor_has_reported(supervisor_t *supervisor, const reported_t *reported);

/* What was told before that, in `out_count` places. */
const reported_t *supervisor_reported(const supervisor_t *supervisor, uint32_t *out_count);

#endif
