/* SPDX-License-Identifier: Apache-2.0 */
/* Retests: the cases that are kept of findings run again, on the version of the executor that is
 * here now, each under the contract of the run that kept it.  What comes of them is stored as it
 * comes, with the bits; the view finding_state tells what follows. */
#ifndef ASSAY_RETEST_RETEST_H
#define ASSAY_RETEST_RETEST_H

#include <glib.h>

#include "harness/session/session.h"

typedef enum retest_result {
  RETEST_STILL,   /* A case diverges as before. */
  RETEST_CHANGED, /* None does, but one diverges or fails in another way. */
  RETEST_GONE,    /* All were judged, and none diverges. */
  RETEST_NOT_RUN, /* Nobody can tell. */
} retest_result_t;
const char *retest_result_spelling(retest_result_t result);

/* A finding, and what came of it.  Texts are owned. */
typedef struct retest_row {
  int64_t id;      /* Of its newest row in `divergence`. */
  size_t executor; /* Index among those that are open. */
  char *signature;
  char *op;
  char *algorithm;
  char *types;
  char *outcome; /* As it was found; likewise. */
  char *class_;
  char *cause; /* "" if none was found; likewise. */
  char *state; /* finding_state.state before ... */
  char *state_after;
  char *case_line; /* The first of those that decided, "" if nothing ran. */
  char *contract;  /* That it was judged under, as contract_print() gives it; likewise. */
  bool is_done;    /* The rest is known, and stored. */
  int64_t run_id;
  int64_t executor_id; /* In the store. */
  retest_result_t result;
  uint64_t cases;
  uint64_t executions;
  outcome_t seen_outcome; /* Of the case that decided, if it ran. */
  divergence_class_t seen_class;
  char seen_signature[HASH_TEXT_BYTES]; /* "" if that is no finding. */
  char *seen_state; /* finding_state.state of that one afterwards; owned, "" if it is none. */
  char reason[VERDICT_TEXT_BYTES];
} retest_row_t;

typedef enum retest_states {
  RETEST_OPEN,   /* All that is not closed, waived or not. */
  RETEST_WAIVED, /* Those with a waiver, expired or not. */
  RETEST_FIXED,  /* What is closed: fixed or changed. */
  RETEST_ALL,
} retest_states_t;

typedef struct retest_options {
  const char *database;         /* The file behind `store`. */
  store_t *store;               /* Borrowed. */
  executor_t *const *executors; /* Borrowed, open. */
  size_t executor_count;
  retest_states_t states;
  const contract_t *contract;        /* NULL: that of the run which kept the case. */
  unsigned repeats;                  /* Walks of a case that was nondeterministic; at least 1. */
  bool resumes;                      /* Skips what an unfinished retest of this version has done. */
  const char *command;               /* For the store; borrowed. */
  const char *assay_version;         /* Likewise. */
  const volatile sig_atomic_t *stop; /* As in session_options_t. */
  /* Called, if not NULL, for each finding once it is done. */
  void (*on_row)(void *context, const retest_row_t *row);
  void *context;
} retest_options_t;

typedef struct retest retest_t;

/* Reads the findings; nothing runs yet.  Copies the options. */
status_t retest_open(const retest_options_t *options, retest_t **out_retest, failure_t *error);

/* Runs them.  STATUS_INVALID as for session_run().  Afterwards the states of each row are known.
 */
status_t retest_run(retest_t *retest, failure_t *error);

/* The case line on which Assay found itself wrong, or "". */
const char *retest_bug_case(const retest_t *retest);

size_t retest_count(const retest_t *retest);
const retest_row_t *retest_row(const retest_t *retest, size_t index);

/* Findings that retest_run() came to: the rest was interrupted. */
size_t retest_done(const retest_t *retest);

/* Findings that an unfinished retest had done: they are no rows. */
size_t retest_skipped(const retest_t *retest);

/* Ends its runs in the store and frees it; NULL is ignored. */
status_t retest_close(retest_t *retest, int exit_code, failure_t *error);

#endif
