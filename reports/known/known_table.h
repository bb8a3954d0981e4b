/* SPDX-License-Identifier: Apache-2.0 */
/* The files of corpus/known and corpus/public, as embedded by the build. */
#ifndef ASSAY_REPORTS_KNOWN_KNOWN_TABLE_H
#define ASSAY_REPORTS_KNOWN_KNOWN_TABLE_H

typedef struct known_file {
  const char *path; /* "corpus/known/onednn.def" */
  const char *text;
} known_file_t;

/* Sorted by path, ended by a row whose path is NULL. */
const known_file_t *known_table(void);

/* Those of corpus/public, whose entries have further words: harness/cli/verbs/recall. */
const known_file_t *known_public_table(void);

#endif
