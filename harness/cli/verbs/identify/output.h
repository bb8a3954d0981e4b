/* SPDX-License-Identifier: Apache-2.0 */
/* Where `assay identify` puts what it has found: a picture, and a database. */
#ifndef ASSAY_CLI_VERBS_IDENTIFY_OUTPUT_H
#define ASSAY_CLI_VERBS_IDENTIFY_OUTPUT_H

#include "harness/cli/options/arguments.h"
#include "harness/exec/executor.h"
#include "harness/identify/profile/profile.h"
#include "harness/store/store.h"

typedef struct identify_output_flags {
  char *svg;
  char *database;
} identify_output_flags_t;

/* --svg and --db. */
void identify_output_flags_add(identify_output_flags_t *flags, arguments_t *arguments);
void identify_output_flags_free(identify_output_flags_t *flags);

/* Draws the profile into the file of --svg, if there is one. */
status_t identify_output_draw(const identify_output_flags_t *flags, const executor_t *executor,
                              const profile_t *profile, failure_t *error);

/* A profile that predicts all that was tried, and for which lengths it holds. */
typedef struct identify_stored {
  const profile_t *profile;
  const char *rule; /* "" for a profile of one length. */
  const char *words;
  uint64_t terms_low;
  uint64_t terms_high;
} identify_stored_t;

status_t identify_output_store(store_t *store, const executor_t *executor,
                               const identify_stored_t *stored, failure_t *error);

#endif
