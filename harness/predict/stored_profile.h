/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles as a database has them. */
#ifndef ASSAY_PREDICT_STORED_PROFILE_H
#define ASSAY_PREDICT_STORED_PROFILE_H

#include "harness/exec/executor.h"
#include "harness/identify/profile/profile.h"

/* A row of the table `profile`; see harness/store/migrations/0002_profiles.sql. */
typedef struct stored_profile {
  char *name; /* Of the executor, with its version and hardware. */
  char *version;
  char *hardware;
  char *shape;
  uint64_t terms_low;
  uint64_t terms_high;
  char *program_line;
  char *text;
  char *rule;
  char *words;
} stored_profile_t;

/* Reads the profiles of the executors, of all versions, the one seen last first.  The array owns
 * what is in it. */
status_t stored_profiles_read(const char *database, executor_t *const *executors,
                              size_t executor_count, GPtrArray **out_profiles, failure_t *error);

/* Whether it is one of the very executor that is open: name, version and hardware. */
bool stored_profile_is_own(const stored_profile_t *stored, const executor_t *executor);

/* The profile for a program of its shape that sums `term_count` terms, which it covers; in the
 * arena. */
status_t stored_profile_make(const stored_profile_t *stored, const program_t *program,
                             size_t term_count, arena_t *arena, profile_t *out_profile,
                             failure_t *error);

#endif
