/* SPDX-License-Identifier: Apache-2.0 */
/* Causes that are known and explained: entries of corpus/known, which are built in, and of
 * files of one's own. An entry is a block of lines, the first of which names it; "#" begins a
 * comment at the start of a line, and a line that begins with a blank goes on with the text of the
 * one before:
 *
 *   known onnxruntime-max-i64
 *   executor onnxruntime
 *   op stablehlo.maximum stablehlo.minimum
 *   title Max and Min of int64 compare the low halves as if they had a sign
 *
 * known_fields.def has the other words. */
#ifndef ASSAY_REPORTS_KNOWN_KNOWN_H
#define ASSAY_REPORTS_KNOWN_KNOWN_H

#include <glib.h>

#include "harness/store/reader.h"

typedef enum known_field {
#define FIELD(name, kind, words) KNOWN_##name,
#include "reports/known/known_fields.def"
#undef FIELD
  KNOWN_FIELD_COUNT
} known_field_t;

/* Of an entry, all texts owned; NULL: it does not say. */
typedef struct known_entry {
  char *id;
  char *file; /* Where it stands. */
  int line;
  char *fields[KNOWN_FIELD_COUNT];
  char **more; /* What it says with words of the reader's own, by their index; NULL: none were
                  given. */
  size_t more_count;
} known_entry_t;

/* known_entry_t *, owned; those that come first are preferred. */
GPtrArray *known_new(void);

/* Adds the entries of a text, which is the content of `file`.  STATUS_INVALID, with file, line and
 * what to do, if it is none: an unknown word, a word twice, no executor, op or title, a class,
 * cause or severity that does not exist, an id that another entry has. */
status_t known_add_text(GPtrArray *known, const char *file, const char *text, failure_t *error);

/* The same of entries that may have further words, which are the caller's: `words`, ended by NULL.
 */
status_t known_add_text_with(GPtrArray *known, const char *file, const char *text,
                             const char *const *words, failure_t *error);

/* known_add_text() of a file. */
status_t known_add_file(GPtrArray *known, const char *path, failure_t *error);

/* The same of all that are built in. */
status_t known_add_builtin(GPtrArray *known, failure_t *error);

/* The entry in short: "Max of int64 compares ...; mended in Eigen merge request 2831"; the caller
 * frees it. */
char *known_words(const known_entry_t *entry);

/* Readers of findings see them from now on: view `known`. */
status_t known_show(const GPtrArray *known, store_reader_t *reader, failure_t *error);

#endif
