/* SPDX-License-Identifier: Apache-2.0 */
/* The script that runs a case on a backend without Assay, for `assay issue` and `assay show`: in
 * Python, written by the backend's worker, or in C, by its shared object, and run here. */
#ifndef ASSAY_CLI_VERBS_EVIDENCE_STANDALONE_H
#define ASSAY_CLI_VERBS_EVIDENCE_STANDALONE_H

#include "harness/model/case.h"

/* All owned; standalone_free(). */
typedef struct standalone {
  char *script; /* NULL: there is none, and `refusal` says why. */
  bool is_c;    /* It is a program in C, not a script in Python. */
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
