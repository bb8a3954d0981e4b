/* SPDX-License-Identifier: Apache-2.0 */
/* The script that runs a case on a backend without Assay, for `assay issue` and `assay show
 * --python`: written by the backend's worker, and run here. */
#ifndef ASSAY_CLI_VERBS_EVIDENCE_STANDALONE_H
#define ASSAY_CLI_VERBS_EVIDENCE_STANDALONE_H

#include "harness/model/case.h"

/* All owned; standalone_free(). */
typedef struct standalone {
  char *script; /* NULL: there is none, and `refusal` says why. */
  char *refusal;
  char
      *results; /* What it printed, as in a result field; NULL: nothing, and `words` may say why. */
  char *words;
} standalone_t;

/* `executor` is a name as --executor takes it.  STATUS_INVALID for one that cannot be right,
 * STATUS_IO where something does not start. */
status_t standalone_make(const char *executor, const case_t *instance, standalone_t *out_standalone,
                         failure_t *error);
void standalone_free(standalone_t *standalone);

#endif
