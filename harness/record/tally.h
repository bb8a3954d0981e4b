/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of cases by executor, op, algorithm, types and verdict, kept in memory: the store gets
 * sums now and then, so that counting costs nothing in the hot path. */
#ifndef ASSAY_RECORD_TALLY_H
#define ASSAY_RECORD_TALLY_H

#include <glib.h>

#include "harness/judge/verdict.h"
#include "harness/model/op.h"
#include "harness/record/measure_histogram.h"
#include "harness/run/case_runner.h"

/* The label of a program: what counters and reports group by. */
typedef struct tally_label {
  const char *op; /* All three live as long as the tally, and equal texts are one pointer. */
  const char *algorithm;
  const char *types;
} tally_label_t;

/* Cases whose program breaks one constraint. */
typedef struct tally_constraint {
  const char *id; /* "C7" */
  uint64_t cases;
  uint64_t stored; /* Of these, how many the store knows of. */
} tally_constraint_t;

typedef struct tally_row {
  size_t executor; /* Index among the session's executors. */
  tally_label_t label;
  bool is_invalid; /* The program breaks a constraint on purpose. */
  outcome_t outcome;
  divergence_class_t class_;
  const char *implementation;
  uint64_t cases;
  uint64_t asked;        /* Of these, refusals that were known before anything was drawn. */
  uint64_t cases_stored; /* Of these, how many the store knows of. */
  uint64_t elements;     /* Of results that were judged, ... */
  uint64_t untested;     /* ... those that nothing could have failed or that were left out, ... */
  uint64_t left_out;     /* ... those that were left out of samples (verdict.h), ... */
  uint64_t sampled;      /* ... the cases of which there were such, ... */
  uint64_t sample_draws; /* ... and the fewest draws of a sample; 0: there was none. */
  uint64_t elements_stored;
  uint64_t untested_stored;
  case_runner_times_t times;        /* That these cases took, ... */
  case_runner_times_t times_stored; /* ... and of it what the store knows of. */
  double ulp_error_max;             /* Extremes are NaN-free and 0 where nothing was measured. */
  double slack_max;
  double backward_error_max;
  measure_histogram_t ulp; /* Of results that were judged. */
  measure_histogram_t slack;
  GArray *constraints; /* tally_constraint_t, if the program breaks one; else NULL. */
  const char *reason;  /* What the executor said first, of refused and failed; why there was no
                        * oracle; else "". */
} tally_row_t;

typedef struct tally tally_t;

tally_t *tally_new(void);
void tally_free(tally_t *tally);

tally_label_t tally_label(tally_t *tally, const program_t *program);

/* The same under other names than the program's. */
tally_label_t tally_label_named(tally_t *tally, const program_t *program, const char *op,
                                const char *algorithm);

/* Counts one case.  `implementation` is copied if new. */
void tally_add(tally_t *tally, size_t executor, const tally_label_t *label,
               const verdict_t *verdict, const char *implementation);

/* Adds time to the row in which the last case was counted. */
void tally_add_times(tally_t *tally, const case_runner_times_t *times);

/* Counts a pair of an op and types that an executor refuses, as one refused case of no algorithm
 * that nobody drew. */
void tally_add_refused(tally_t *tally, size_t executor, const char *op, const char *types,
                       const char *reason);

/* All rows, in order of first appearance. */
size_t tally_count(const tally_t *tally);
tally_row_t *tally_at(tally_t *tally, size_t index);

/* Elements of judged results, over all labels, executors and outcomes. */
typedef struct tally_elements {
  uint64_t judged;
  uint64_t untested;
  uint64_t left_out; /* Of the untested ones: as in tally_row_t, as are: */
  uint64_t sampled;
  uint64_t sample_draws;
} tally_elements_t;

tally_elements_t tally_elements(const tally_t *tally);

/* Cases with this outcome, over all labels and executors. */
uint64_t tally_cases(const tally_t *tally, outcome_t outcome);

#endif
