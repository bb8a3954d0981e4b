/* SPDX-License-Identifier: Apache-2.0 */
/* A slice: one worker process, `assay fuzz` or `assay run`, that tests one executor for a while,
 * into a database of its own.  It dies with the process that runs the campaign. */
#ifndef ASSAY_CAMPAIGN_TIME_SLICE_H
#define ASSAY_CAMPAIGN_TIME_SLICE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/status.h"

/* What all slices have in common.  Borrowed. */
typedef struct time_slice_options {
  const char *program;          /* The path of `assay`. */
  const char *folder;           /* Of the campaign. */
  const char *name;             /* Likewise. */
  const char *part_of;          /* The uuid of the campaign's run. */
  const char *strata;           /* Of slices that draw, as --strata takes them. */
  const char *programs;         /* Likewise, as --programs takes it; NULL: they draw programs. */
  const char *data_sets;        /* Likewise, as --data-sets takes it; NULL: by default. */
  const char *thresholds;       /* Likewise, as --thresholds takes it; NULL: of this one none. */
  const char *const *arguments; /* For every worker: --op, --contract, --timeout, ...; ended by
                                 * NULL. */
} time_slice_options_t;

typedef enum time_slice_kind {
  TIME_SLICE_SEARCH,
  TIME_SLICE_DRAW,     /* Draws cases at random, most of them larger than a search has them. */
  TIME_SLICE_MINIMISE, /* Drops from the corpus what adds nothing. */
  TIME_SLICE_CRASHES,  /* Runs the cases that took workers along, in processes of their own. */
} time_slice_kind_t;

typedef struct time_slice {
  time_slice_kind_t kind;
  size_t worker;   /* Which of the workers, from 0. */
  size_t executor; /* Index among the campaign's. */
  const char *executor_name;
  uint64_t number; /* Of the slice, from 0. */
  uint64_t seed;
  double seconds; /* Planned. */
  bool isolate;
  bool recalls;        /* Cases of the corpus that conformed in this campaign are not run again. */
  bool probes;         /* It draws what is known to be taken, ... */
  bool counts_refused; /* ... and counts what is not. */

  GPid process;     /* 0 if it does not run. */
  char *database;   /* Owned; what follows likewise. */
  char *log;        /* What it said. */
  int64_t begin_us; /* g_get_monotonic_time(). */
  unsigned crashes_before;
} time_slice_t;

/* What a slice of a round does, counted from 0, where no programs are given: one round in so many,
 * from the second on, draws at random, since searching has short case lines, into which the sizes
 * do not fit at which kernels change.  Where compiling is dear it is every other one: there a
 * search has few programs to climb on. */
time_slice_kind_t time_slice_kind_of_round(uint64_t round, bool compiling_is_dear);

/* Starts the process of a slice whose first part is filled in.  It does not get our Ctrl-C: who
 * runs the campaign decides what that means. */
status_t time_slice_start(time_slice_t *slice, const time_slice_options_t *options,
                          failure_t *error);

/* SIGINT to finish and summarise, SIGKILL to stop now. */
void time_slice_signal(const time_slice_t *slice, int signal_number);

/* The last line that a slice said before it ended, or ""; the caller frees it. */
char *time_slice_last_words(const time_slice_t *slice);

/* Cases in the folder of crashes of the slice's executor: those that killed or hung a worker. */
unsigned time_slice_count_crashes(const time_slice_t *slice, const char *folder);

void time_slice_deinit(time_slice_t *slice);

#endif
