/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a running campaign: campaign/run_loop.c (time, signals, status) and
 * campaign/dispatch.c (which worker does what). */
#ifndef ASSAY_CAMPAIGN_PARTS_H
#define ASSAY_CAMPAIGN_PARTS_H

#include "harness/campaign/loop.h"
#include "harness/campaign/news.h"
#include "harness/campaign/time_slice.h"
#include "harness/store/store.h"

typedef struct loop {
  const campaign_loop_options_t *options;
  campaign_state_t *state;
  store_t *store;
  int64_t run_id; /* Of this start of the campaign: slices are parts of it. */
  char *run_uuid; /* Owned. */
  campaign_news_t *news;
  GMainLoop *main;
  time_slice_t *slices; /* One per worker; owned. */
  bool *has_begun;      /* By executor: it had a slice since the start; owned. */
  bool *has_crashes;    /* By executor: cases are to be run again in processes; owned. */
  size_t *corpus_size;  /* By executor: files after it was minimised last; owned. */
  bool *is_oversized;   /* By executor: the corpus is to be minimised; owned. */
  GPtrArray *messages;  /* Owned texts. */
  char *database;       /* Paths; owned. */
  char *state_path;
  char *status_path;
  campaign_totals_t totals;
  double rate;         /* Cases a second, smoothed. */
  uint64_t rate_cases; /* As of the last tick. */
  int64_t last_us;     /* Of the last tick. */
  unsigned ticks;
  int stops; /* Signals so far. */
} loop_t;

/* Keeps the message, which it takes, and hands it on. */
void campaign_tell(loop_t *loop, char *message);

/* Reads the totals again, and tells what is new. */
void campaign_update_totals(loop_t *loop);
void campaign_write_state(loop_t *loop);

/* A number that no slice in this folder has had or will have; false after it has told why there is
 * none. */
bool campaign_take_slice_number(loop_t *loop, uint64_t *out_number);

/* Gives every idle worker something to do; ends the loop where nobody has anything any more. */
void campaign_keep_busy(loop_t *loop);
size_t campaign_running_slices(const loop_t *loop);

#endif
