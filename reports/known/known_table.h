/* SPDX-License-Identifier: Apache-2.0 */
/* The files of corpus/known, as embedded by the build. */
#ifndef ASSAY_REPORTS_KNOWN_KNOWN_TABLE_H
#define ASSAY_REPORTS_KNOWN_KNOWN_TABLE_H

typedef struct known_file {
  const char *path; /* "corpus/known/onednn.def" */
  const char *text;
} known_file_t;

/* Sorted by path, ended by a row whose path is NULL. */
const known_file_t *known_table(void);

#endif
