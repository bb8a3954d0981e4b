/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a database that belong together: all are answered from one state of it, however much
 * other processes write meanwhile, and through the views of this Assay, whatever the file has. */
#ifndef ASSAY_STORE_READER_H
#define ASSAY_STORE_READER_H

#include <signal.h>

#include "harness/store/severity/severity_order.h"
#include "harness/store/store.h"

typedef struct store_reader store_reader_t;

/* Opens a database for reading; nothing in it can be changed.  With a campaign ("run 7" for the run
 * 7 that stands alone) it answers as if it held the runs of that campaign alone, except for the
 * cases kept of its findings, profiles and where findings were first seen.  STATUS_INVALID if there
 * is no such campaign, or the database needs migrating (any verb that writes does that). */
status_t store_reader_open(const char *path, const char *campaign, store_reader_t **out_reader,
                           failure_t *error);

/* Findings are ranked in that order from now on. */
status_t store_reader_rank(store_reader_t *reader, const severity_order_t *order, failure_t *error);

/* Rows of texts; all borrowed. */
typedef struct store_texts {
  const char *const *columns; /* Their names. */
  int column_count;
  const char *const *values; /* Row by row. */
  size_t row_count;
} store_texts_t;

/* Puts rows in the place of a view.  The file stays as it is. */
status_t store_reader_replace(store_reader_t *reader, const char *view, const store_texts_t *texts,
                              failure_t *error);

/* Computes the rows of a view once, for all questions that follow; they are found by the columns in
 * `index` ("a, b") where that helps. */
status_t store_reader_keep(store_reader_t *reader, const char *view, const char *index,
                           failure_t *error);

/* From now on `finding_state` tells of these findings alone, all versions of their executors
 * together. */
status_t store_reader_ask_for(store_reader_t *reader, const int64_t *ids, size_t count,
                              failure_t *error);

/* When a question is given up. */
typedef struct store_limit {
  double seconds;                    /* That it may take; 0: as long as it likes. */
  const volatile sig_atomic_t *stop; /* Not 0: now.  NULL: never. */
} store_limit_t;

/* Of each question from now on.  One that is given up fails with STATUS_INVALID. */
void store_reader_limit(store_reader_t *reader, const store_limit_t *limit);

/* As store_query(). */
status_t store_reader_query(store_reader_t *reader, const char *sql, store_row_t row, void *context,
                            failure_t *error);

/* The same for a pass over many rows: values that are numbers have no text. */
status_t store_reader_scan(store_reader_t *reader, const char *sql, store_row_t row, void *context,
                           failure_t *error);

/* NULL is ignored. */
void store_reader_close(store_reader_t *reader);

#endif
