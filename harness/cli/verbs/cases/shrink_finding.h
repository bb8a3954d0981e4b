/* SPDX-License-Identifier: Apache-2.0 */
/* What a database has of a finding: its shortest case, how that was found and what came, for the
 * verbs that take a finding by its number. */
#ifndef ASSAY_CLI_VERBS_CASES_SHRINK_FINDING_H
#define ASSAY_CLI_VERBS_CASES_SHRINK_FINDING_H

#include <stdint.h>

#include "harness/base/status.h"

/* Texts are owned. */
typedef struct stored_finding {
  char *case_line;
  char *executor;
  char *contract;
  char *version;  /* Of the executor. */
  char *hardware; /* Likewise. */
  char *class_;
  int64_t result; /* The worst element: which result, ... */
  int64_t component;
  char *got_bits; /* ... its pattern in hex, "" if nothing came, ... */
  char *expected; /* ... and its accept set in words. */
  int64_t sightings;
} stored_finding_t;

/* The finding of that number (divergence.divergence_id, column `id` of the views).  STATUS_INVALID
 * if there is none. */
status_t stored_finding_read(const char *database, int64_t id, stored_finding_t *out_finding,
                             failure_t *error);
void stored_finding_free(stored_finding_t *finding);

#endif
