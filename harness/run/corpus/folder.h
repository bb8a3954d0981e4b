/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the corpus that a path names. */
#ifndef ASSAY_RUN_CORPUS_FOLDER_H
#define ASSAY_RUN_CORPUS_FOLDER_H

#include <glib.h>

#include "harness/base/status.h"

/* Appends the path itself, or, of a folder, the files *.cases in it and in those below, by name;
 * the array owns the texts (char *).  STATUS_INVALID if there is nothing at the path, or no such
 * file in the folder; STATUS_IO if a folder cannot be read. */
status_t corpus_folder_find(const char *path, GPtrArray *paths, failure_t *error);

#endif
