/* SPDX-License-Identifier: Apache-2.0 */
/* The recall list: bugs of released backends that public trackers tell of, each with the smallest
 * program of our own that shows it.  Entries are those of reports/known/known.h, with the words of
 * public_fields.def beside them. */
#ifndef ASSAY_CLI_VERBS_RECALL_PUBLIC_BUGS_H
#define ASSAY_CLI_VERBS_RECALL_PUBLIC_BUGS_H

#include "harness/model/case.h"
#include "reports/known/known.h"

typedef enum public_field {
#define FIELD(name, spelling, words) PUBLIC_##name,
#include "harness/cli/verbs/recall/public_fields.def"
#undef FIELD
  PUBLIC_FIELD_COUNT
} public_field_t;

/* Reads entries: those of files, or, for NULL, those that are built in.  Each is checked as far as
 * that is possible without the backend: its words are there, its case can be read and fits its
 * patterns and conditions, and the oracle, under contract `backend`, says of its result that it is
 * wrong, in a class of the entry.  STATUS_INVALID, with file, line and what to do, otherwise.
 * *out_bugs are known_entry_t *, in the order of the files; freed with g_ptr_array_unref(). */
status_t public_bugs_read(char *const *paths, GPtrArray **out_bugs, failure_t *error);

/* What an entry says, or NULL; borrowed. */
const char *public_bug_field(const known_entry_t *bug, public_field_t field);

/* The backend of an entry: the first word of its executors, which the caller frees. */
char *public_bug_backend(const known_entry_t *bug);

/* The release in which the bug is mended, which is the first word of `mended`, or NULL; the caller
 * frees it. */
char *public_bug_mended(const known_entry_t *bug);

/* Whether one of the blank-separated patterns of a field fits the text; a field that is not there
 * fits anything. */
bool public_bug_fits(const known_entry_t *bug, known_field_t field, const char *text);

/* Whether op, algorithm and types of a program do. */
bool public_bug_fits_program(const known_entry_t *bug, const program_t *program);

#endif
