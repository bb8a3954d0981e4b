/* SPDX-License-Identifier: Apache-2.0 */
/* A file of the corpus, and its canonical form.
 *
 * A file is blocks separated by one empty line, in the order that a person gave them.  A block is
 * comments (#), then cases; under each case what may become of it, one line a result:
 *
 *   = BITS          conforming, and the only result that is
 *   =? BITS         conforming, among others
 *   =! BITS         not conforming
 *   =!wide BITS     not conforming under `intermediate=wide`, conforming under `backend` and `spec`
 *   =!backend BITS  not conforming under contract `backend`, conforming under `spec`
 *
 * BITS are the data fields of the results, joined by " : ".  In canonical form these are in this
 * order, no line ends in blanks, a comment begins a block, and a case is there once: what is said
 * of it later has been moved to its first place. */
#ifndef ASSAY_RUN_CORPUS_FILE_H
#define ASSAY_RUN_CORPUS_FILE_H

#include <glib.h>

#include "harness/base/status.h"

/* A case of a file. */
typedef struct corpus_case {
  char *line;         /* The case line. */
  const char *op;     /* Its op's name, in memory that lives for ever. */
  size_t line_number; /* Where it is in the file that was read. */
  GPtrArray *results; /* Lines (char *), canonical: "= BITS". */
} corpus_case_t;

typedef struct corpus_file {
  GPtrArray *blocks;  /* Private to corpus_file.c. */
  GPtrArray *cases;   /* corpus_case_t *, borrowed from the blocks, in their order. */
  GPtrArray *changes; /* char *: what is not canonical, "PATH:LINE: what". */
} corpus_file_t;

/* Reads the text of a file; `path` is for messages.  A line that is neither comment, case nor
 * result, or contradicts another, is STATUS_INVALID with "PATH:LINE:COLUMN: what is wrong". */
status_t corpus_file_parse(const char *path, const char *text, corpus_file_t *out_file,
                           failure_t *error);
/* The same of what is at the path; STATUS_INVALID also if it cannot be read, or is no text. */
status_t corpus_file_read(const char *path, corpus_file_t *out_file, failure_t *error);
void corpus_file_deinit(corpus_file_t *file);

/* Appends the canonical form. */
void corpus_file_print(const corpus_file_t *file, GString *out_text);

#endif
