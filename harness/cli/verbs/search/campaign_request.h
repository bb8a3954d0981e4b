/* SPDX-License-Identifier: Apache-2.0 */
/* What `assay campaign` is asked for: its options, checked, and how they meet what is in the folder
 * already. */
#ifndef ASSAY_CLI_VERBS_SEARCH_CAMPAIGN_REQUEST_H
#define ASSAY_CLI_VERBS_SEARCH_CAMPAIGN_REQUEST_H

#include "harness/campaign/state.h"
#include "harness/cli/options/flags.h"

typedef struct campaign_request {
  executor_flags_t executor;
  char **ops;
  char *programs; /* A file of program lines; NULL: they are drawn. */
  char *time;
  char *seed;
  char *contract;
  char *folder;
  char *name;
  char *shard;
  char *strata;     /* NULL: not given. */
  char *data_sets;  /* Likewise. */
  char *thresholds; /* A file of found_thresholds.h; NULL: none. */
  gint jobs;
  char *fail_on;
  gboolean fresh;
  gboolean invalid;
  gboolean probe;

  /* Filled in by campaign_request_check(). */
  double seconds;
  uint64_t seed_number;
  uint64_t shard_index; /* From 0. */
  uint64_t shard_count;
  bool *compiling_is_dear; /* By executor. */
  bool *probes;            /* Likewise: what it takes has been asked. */
  bool *has_thresholds;    /* Likewise: the file has sizes of it; NULL: there is no file. */
  GPtrArray *arguments;    /* For workers; ended by NULL. */
  char *contract_text;     /* As contract_print() gives it. */
  fail_on_t fails_on;
} campaign_request_t;

void campaign_request_add(campaign_request_t *request, arguments_t *arguments);
void campaign_request_free(campaign_request_t *request);

/* Checks all values, and that every executor starts.  Returns an exit code, after a complaint
 * unless it is EXIT_CODE_CLEAN. */
int campaign_request_check(campaign_request_t *request);

/* The strata of slices that draw at random: as given, or those that a search does not reach. */
const char *campaign_request_strata(const campaign_request_t *request);

/* Takes the folder, and the state from which to go on: of a campaign that did not finish, if it was
 * asked for the same, else a new one.  STATUS_INVALID if it was asked for something else. */
status_t campaign_request_open(const campaign_request_t *request, campaign_state_t *out_state,
                               bool *out_is_resumed, failure_t *error);

#endif
