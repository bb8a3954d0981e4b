/* SPDX-License-Identifier: Apache-2.0 */
/* The statements that write. */
#ifndef ASSAY_STORE_WRITE_H
#define ASSAY_STORE_WRITE_H

#include "harness/store/connection.h"
#include "harness/store/pending.h"

typedef enum statement_id {
  STATEMENT_CONTRACT,
  STATEMENT_RUN,
  STATEMENT_RUN_TIMES,
  STATEMENT_RUN_END,
  STATEMENT_EXECUTOR,
  STATEMENT_PROGRAM,
  STATEMENT_DIVERGENCE,
  STATEMENT_SIGHTING,
  STATEMENT_DIVERGENCE_ID,
  STATEMENT_EXPLAIN,
  STATEMENT_EXPLAIN_CASE,
  STATEMENT_REPRODUCER,
  STATEMENT_PROFILE,
  STATEMENT_PROFILE_SIGHTING,
  STATEMENT_WAIVER,
  STATEMENT_WITHDRAW,
  STATEMENT_RETEST,
  STATEMENT_BITS_CASE,
  STATEMENT_BITS,
  STATEMENT_COUNT
} statement_id_t;

typedef struct writer {
  connection_t *connection;                  /* Borrowed. */
  sqlite3_stmt *statements[STATEMENT_COUNT]; /* Owned; each prepared once. */
  sqlite3_stmt *upserts[ROW_COUNT]; /* Likewise: row_append_upsert(); NULL if it has none. */
  int64_t now; /* The parameter :now: when it happens, in seconds since 1970. */
} writer_t;

status_t writer_init(writer_t *writer, connection_t *connection, failure_t *error);
void writer_deinit(writer_t *writer);

/* The statement, with the members of a row bound to those of its parameters that are called like
 * them, and the time to :now; what else it has the caller binds. */
sqlite3_stmt *writer_bind(writer_t *writer, statement_id_t id, row_kind_t kind, const void *row);

/* Runs a statement whose parameters are bound; see connection_run(). */
status_t writer_run(writer_t *writer, statement_id_t id, int64_t *out_id, failure_t *error);

/* Binds and runs. */
status_t writer_write(writer_t *writer, statement_id_t id, row_kind_t kind, const void *row,
                      int64_t *out_id, failure_t *error);

/* Each writes one thing at once, in a transaction, and gives its id. */
status_t writer_add_run(writer_t *writer, const store_run_t *run, int64_t *out_run_id,
                        failure_t *error);
status_t writer_end_run(writer_t *writer, int64_t run_id, int exit_code, failure_t *error);
status_t writer_describe_constraints(writer_t *writer, const store_constraint_text_t *texts,
                                     size_t count, failure_t *error);

/* *out_occurrences: of the profile, by whichever database. */
status_t writer_add_profile(writer_t *writer, const store_profile_t *profile,
                            int64_t *out_occurrences, failure_t *error);

/* Gives a finding that is there a cause, and its words to its cases with that line. */
status_t writer_explain(writer_t *writer, const store_divergence_t *divergence, failure_t *error);

/* Parts of writer_add_pending(), inside its transaction. */
status_t writer_add_program(writer_t *writer, const char *line, int64_t *out_program_id,
                            failure_t *error);
status_t writer_add_finding(writer_t *writer, const pending_divergence_t *pending,
                            failure_t *error);
status_t writer_add_shrunk(writer_t *writer, const store_divergence_t *divergence,
                           failure_t *error);

/* Adds everything that is pending, in one transaction: all or nothing. */
status_t writer_add_pending(writer_t *writer, const pending_t *pending, failure_t *error);

#endif
