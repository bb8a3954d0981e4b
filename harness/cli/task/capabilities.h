/* SPDX-License-Identifier: Apache-2.0 */
/* Options --probe and --profile: what is asked of executors before anything is drawn, and what then
 * is drawn. */
#ifndef ASSAY_CLI_TASK_CAPABILITIES_H
#define ASSAY_CLI_TASK_CAPABILITIES_H

#include "harness/cli/options/flags.h"
#include "harness/run/capability/capability.h"
#include "harness/session/session.h"

/* Filled with 0 at first; the profile is freed with g_free(). */
typedef struct capability_flags {
  gboolean probe;          /* What executors take is found out first. */
  gboolean counts_refused; /* Of a part of a run: what is refused is counted here. */
  char *profile;           /* Implies that; see capabilities_request_t. */
} capability_flags_t;

/* --probe and --count-refused. */
void capability_flags_add(capability_flags_t *flags, arguments_t *arguments);

/* The pairs of ops and types, and what each executor says to them. */
typedef struct capabilities {
  profile_t *profile; /* NULL: everything. */
  pairs_t pairs;
  capability_t **tables; /* By executor. */
  size_t executor_count;
  capability_filter_t filter;
  const op_t **ops; /* Those that are left to be drawn. */
} capabilities_t;

/* What an executor is asked with. */
typedef struct capabilities_request {
  const char *profile; /* NULL: everything.  A path, or the name of one that comes with Assay. */
  const executor_flags_t *flags;
  bool only_known; /* Nothing is asked: somebody else did. */
} capabilities_request_t;

/* Reads the profile, and asks the executors.  Then the ops of the
 * options are those that the profile has and somebody takes, and the stream draws what is admitted.
 * Tells on standard error what it does if that takes a while. */
status_t capabilities_open(const capabilities_request_t *request, session_options_t *inout_options,
                           capabilities_t **out_capabilities, failure_t *error);
void capabilities_close(capabilities_t *capabilities); /* NULL is ignored. */

/* Counts what is refused. */
void capabilities_count_refused(const capabilities_t *capabilities, session_t *session);

/* Walks cases of each pair that somebody takes, so that none is left to chance. */
status_t capabilities_walk_pairs(const capabilities_t *capabilities, session_t *session,
                                 failure_t *error);

/* Walks programs that break each constraint of the ops, if somebody is asked about such. */
status_t capabilities_walk_constraints(capabilities_t *capabilities, session_t *session,
                                       failure_t *error);

#endif
