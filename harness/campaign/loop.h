/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a campaign: keeps a number of worker processes busy, each testing one executor for a slice
 * of time, adds their databases to the campaign's as they go, and can be killed at any moment and
 * begun again.  Prints nothing. */
#ifndef ASSAY_CAMPAIGN_LOOP_H
#define ASSAY_CAMPAIGN_LOOP_H

#include "harness/campaign/state.h"
#include "harness/campaign/status.h"

typedef struct campaign_loop_options {
  const char *program; /* The path of `assay`. */
  const char *folder;
  const char *command;  /* The command line; this and the next two go into the database. */
  const char *contract; /* contract_print(). */
  const char *assay_version;
  const char *const *executors;  /* Names; borrowed. */
  const bool *compiling_is_dear; /* By executor: its slices are longer. */
  bool has_twins;                /* Of each executor. */
  const bool *probes; /* By executor: what it takes is known, and drawn; NULL: of none. */
  size_t executor_count;
  size_t jobs;
  const char *strata;         /* Of slices that draw. */
  const char *programs;       /* A file of those that they draw data for, and then all slices draw;
                               * NULL: they draw programs. */
  const char *data_sets;      /* Likewise; NULL: by default. */
  const char *thresholds;     /* A file as --thresholds takes it, NULL: none, ... */
  const bool *has_thresholds; /* ... and by executor, whether it has sizes of it. */
  const char *const *arguments; /* For every worker, see time_slice_options_t. */
  /* Called, if not NULL, about once a second; when something is wrong with a worker, an executor or
   * a file; and for each finding that is new to the database: its line, and what replays it
   * (campaign_news_tell_t). */
  void (*on_progress)(void *context, const campaign_status_t *status);
  void (*on_message)(void *context, const char *message);
  void (*on_finding)(void *context, const char *description, const char *case_line,
                     const char *executor, const char *twin);
  void *hook_context;
} campaign_loop_options_t;

typedef struct campaign_outcome {
  int64_t run_id; /* In the database of the folder. */
  campaign_totals_t totals;
  bool interrupted;
  bool all_set_aside; /* No executor could be run any more. */
} campaign_outcome_t;

/* Goes on where `state` stands, until its time is spent or a signal comes: the first SIGINT or
 * SIGTERM lets workers finish, the second stops them now.  Databases that workers left behind are
 * added first.  Keeps the state in the folder. */
status_t campaign_loop_run(const campaign_loop_options_t *options, campaign_state_t *state,
                           campaign_outcome_t *out_outcome, failure_t *error);

/* Notes in the database how the program ended that ran the campaign. */
status_t campaign_loop_end_run(const char *folder, int64_t run_id, int exit_code, failure_t *error);

#endif
