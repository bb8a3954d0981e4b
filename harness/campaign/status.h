/* SPDX-License-Identifier: Apache-2.0 */
/* How a campaign goes: totals from the database, and status.json for other programs. */
#ifndef ASSAY_CAMPAIGN_STATUS_H
#define ASSAY_CAMPAIGN_STATUS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/status.h"
#include "harness/store/fail_on.h"

/* Of all runs of the campaign that have been merged. */
typedef struct campaign_totals {
  uint64_t cases; /* Counted once for each executor. */
  uint64_t diverging;
  uint64_t failed;
  uint64_t unjudged;     /* Refused, weak or without an oracle: not passes. */
  uint64_t findings;     /* Seen by this campaign ... */
  uint64_t findings_new; /* ... and by no run before it. */
  double seconds;        /* Of all workers together. */
  double oracle_seconds; /* Parts of `seconds`, like the next three. */
  double compile_seconds;
  double executor_seconds;
  double judge_seconds;
} campaign_totals_t;

/* Reads them from the database at `path`, where the runs are of campaign `name`. */
status_t campaign_totals_read(const char *path, const char *name, campaign_totals_t *out_totals,
                              failure_t *error);

/* Whether the campaign saw a finding that counts: one that diverged, one that failed. */
typedef struct campaign_failures {
  bool diverged;
  bool failed;
} campaign_failures_t;

status_t campaign_failures_read(const char *path, const char *name, fail_on_t fail_on,
                                campaign_failures_t *out_failures, failure_t *error);

/* Cases of an executor and op by what came of them. */
typedef struct campaign_share_judged {
  const char *executor; /* Borrowed for the call. */
  const char *op;
  uint64_t cases;
  uint64_t judged;
  uint64_t refused;
  uint64_t weak;
  uint64_t no_oracle;
} campaign_share_judged_t;

/* Calls `tell` for each op of which the campaign judged less than half, unless an executor refuses
 * it altogether, and for each executor of which it judged nothing (`op` is then NULL). */
status_t campaign_shortfalls_read(const char *path, const char *name,
                                  void (*tell)(void *context, const campaign_share_judged_t *share),
                                  void *context, failure_t *error);

typedef struct campaign_worker_status {
  const char *executor; /* NULL if it is idle. */
  const char *doing;    /* "searching", "minimising the corpus", "running crashes again" */
  double seconds;       /* Since the slice began. */
} campaign_worker_status_t;

typedef struct campaign_executor_status {
  const char *name;
  double seconds;
  bool isolated;  /* It took a worker along once. */
  bool set_aside; /* Nothing could be run on it. */
} campaign_executor_status_t;

typedef struct campaign_status {
  const char *name;
  const char *state; /* "running", "stopping", "finished", "interrupted" */
  const char *started;
  uint64_t seed;
  double seconds_spent;
  double seconds_total;
  double cases_per_second; /* Of late, all workers together. */
  campaign_totals_t totals;
  const campaign_worker_status_t *workers;
  size_t worker_count;
  const campaign_executor_status_t *executors;
  size_t executor_count;
  const char *const *messages; /* What went wrong, latest last; ended by NULL. */
} campaign_status_t;

/* Replaces the file as a whole: a reader never sees half of it. */
status_t campaign_status_write(const char *path, const campaign_status_t *status, failure_t *error);

/* One line for people: "[00:12:31 / 08:00:00] 1.20 M cases, 1640/s, ..."; no newline. */
void campaign_status_print(const campaign_status_t *status, GString *out_text);

#endif
