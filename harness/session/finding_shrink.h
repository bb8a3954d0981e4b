/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the first case of a finding small, while a session goes on. */
#ifndef ASSAY_SESSION_FINDING_SHRINK_H
#define ASSAY_SESSION_FINDING_SHRINK_H

#include "harness/record/finding.h"
#include "harness/shrink/divergence.h"

typedef struct finding_shrinker {
  bool is_on;
  /* Whether somebody has a small case of a finding already, by the executor's name; or NULL. */
  bool (*is_known)(void *context, const char *executor, const hash_text_t *signature);
  void *context;
  uint64_t seed; /* Of data and programs drawn anew. */
  /* Nothing is begun while this has taken more of the session's time, in percent; 0: whatever it
   * takes. */
  uint32_t percent_max;
  const volatile sig_atomic_t *stop; /* If not NULL: ends the shrinking once nonzero. */
} finding_shrinker_t;

/* Whether a new finding is to be made small. */
bool finding_shrinker_wants(const finding_shrinker_t *shrinker, const finding_t *finding,
                            const executor_t *executor);

/* A finding and what shows it. */
typedef struct shown_finding {
  const finding_t *finding;
  const case_t *instance; /* The case that it was found on. */
  executor_t *executor;
  case_runner_t *walk; /* Runs cases as the one of the finding was run. */
} shown_finding_t;

/* Makes the case of a finding small.  *out_is_smaller is false if nothing
 * smaller shows the same cause; else *out is it, its verdict with cause, and all of it in the
 * arena. Programs of the executor must be prepared again afterwards.  STATUS_INVALID: Assay found
 * itself wrong on out->instance. */
status_t finding_shrinker_run(const finding_shrinker_t *shrinker, const shown_finding_t *shown,
                              arena_t *arena, shrink_divergence_t *out, bool *out_is_smaller,
                              failure_t *error);

#endif
