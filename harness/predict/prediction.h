/* SPDX-License-Identifier: Apache-2.0 */
/* Contract `identified`: holds what executors return against the profiles that `assay identify` has
 * stored of them.  A profile of an earlier version under the same name says whether this version
 * still adds as that one did, to the bit. */
#ifndef ASSAY_PREDICT_PREDICTION_H
#define ASSAY_PREDICT_PREDICTION_H

#include "harness/predict/sizes.h"
#include "harness/predict/stored_profile.h"
#include "harness/run/case_runner.h"

typedef struct prediction prediction_t;

typedef struct prediction_options {
  const char *database;         /* That has the profiles. */
  executor_t *const *executors; /* Borrowed, open. */
  size_t executor_count;
  const char *reference; /* The version to predict with, "own" for the version that runs, or NULL:
                          * the version seen last of those that do not run, if there is one. */
} prediction_options_t;

/* STATUS_INVALID if the database has no profile for any of the executors. */
status_t prediction_open(const prediction_options_t *options, prediction_t **out_prediction,
                         failure_t *error);
void prediction_close(prediction_t *prediction); /* NULL is ignored. */

/* For case_runner_t.predictor.  Where a profile covers a case, a verdict that would conform becomes
 * CLASS_order if the bits are not those predicted.  Other cases are counted as not covered. */
case_runner_predictor_t prediction_predictor(prediction_t *prediction);

/* Draws a program that some stored profile covers; for stream_options_t.draw_program. */
void prediction_draw_program(void *prediction, rng_t *rng, arena_t *arena, program_t *out_program);

/* What was seen of an executor under one profile. */
typedef struct prediction_row {
  size_t executor;
  const stored_profile_t *stored;
  bool is_own; /* The profile is of the version that runs. */
  prediction_sizes_t sizes;
} prediction_row_t;

/* In order of first appearance. */
size_t prediction_row_count(const prediction_t *prediction);
const prediction_row_t *prediction_row(const prediction_t *prediction, size_t index);

/* Cases of an executor that no profile covers: they were judged, and not predicted. */
uint64_t prediction_uncovered(const prediction_t *prediction, size_t executor);

#endif
