/* SPDX-License-Identifier: Apache-2.0 */
/* What `assay shrink --db FILE --finding ID` shrinks: the shortest case of a finding, and how it
 * was found. */
#ifndef ASSAY_CLI_VERBS_CASES_SHRINK_FINDING_H
#define ASSAY_CLI_VERBS_CASES_SHRINK_FINDING_H

#include <stdint.h>

#include "harness/base/status.h"

/* Texts are owned. */
typedef struct stored_finding {
  char *case_line;
  char *executor;
  char *contract;
} stored_finding_t;

/* The finding of that number (divergence.divergence_id, column `id` of the views).  STATUS_INVALID
 * if there is none. */
status_t stored_finding_read(const char *database, int64_t id, stored_finding_t *out_finding,
                             failure_t *error);
void stored_finding_free(stored_finding_t *finding);

#endif
