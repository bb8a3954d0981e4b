/* SPDX-License-Identifier: Apache-2.0 */
/* assay corpus import: tests of others, as cases that are judged. */
#ifndef ASSAY_CLI_VERBS_CORPUS_IMPORT_H
#define ASSAY_CLI_VERBS_CORPUS_IMPORT_H

#include "harness/cli/options/flags.h"

typedef struct import_flags {
  executor_flags_t executor; /* Runs modules; one at most. */
  char *contract;
  char *out; /* A file for the cases that were taken; NULL: none is written. */
} import_flags_t;

/* Imports ONNX's node tests, of the modules called `names` (ended by NULL; none: all), or the
 * modules of one op in a folder, and prints a table.  Returns an exit code: 1 if something that was
 * judged diverges. */
int import_onnx(const import_flags_t *flags, char *const *names);
int import_folder(const import_flags_t *flags, const char *path);

#endif
