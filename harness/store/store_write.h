/* The statements that write. */
#ifndef ASSAY_STORE_STORE_WRITE_H
#define ASSAY_STORE_STORE_WRITE_H

#include "harness/store/store_connection.h"
#include "harness/store/store_pending.h"

typedef enum statement_id {
  STATEMENT_CONTRACT,
  STATEMENT_RUN,
  STATEMENT_RUN_TIMES,
  STATEMENT_RUN_END,
  STATEMENT_EXECUTOR,
  STATEMENT_PROGRAM,
  STATEMENT_COUNTER,
  STATEMENT_PAIR,
  STATEMENT_OBSERVATION,
  STATEMENT_DIVERGENCE,
  STATEMENT_SIGHTING,
  STATEMENT_DIVERGENCE_ID,
  STATEMENT_REPRODUCER,
  STATEMENT_HISTOGRAM,
  STATEMENT_CONSTRAINT,
  STATEMENT_CONSTRAINT_TEXT,
  STATEMENT_COUNT
} statement_id_t;

typedef struct writer {
  connection_t *connection;                  /* Borrowed. */
  sqlite3_stmt *statements[STATEMENT_COUNT]; /* Owned; each prepared once. */
} writer_t;

status_t writer_init(writer_t *writer, connection_t *connection, failure_t *error);
void writer_deinit(writer_t *writer);

/* Runs a statement whose parameters are bound; see connection_run(). */
status_t writer_run(writer_t *writer, statement_id_t id, int64_t *out_id, failure_t *error);

/* A 64-bit seed as the decimal text that is stored. */
typedef struct writer_seed {
  char text[24];
} writer_seed_t;
writer_seed_t writer_print_seed(uint64_t seed);

/* "2026-11-21T03:20:07Z"; the caller frees it. */
char *writer_print_time(int64_t seconds_since_1970);

/* Each writes one row at once and gives its id. */
status_t writer_add_run(writer_t *writer, const store_run_t *run, int64_t now, int64_t *out_run_id,
                        failure_t *error);
status_t writer_end_run(writer_t *writer, int64_t run_id, int exit_code, int64_t now,
                        failure_t *error);
status_t writer_add_executor(writer_t *writer, const store_executor_t *executor,
                             int64_t *out_executor_id, failure_t *error);

/* Whether the database has the signature for that executor. */
status_t writer_find_divergence(writer_t *writer, int64_t executor_id, const char *signature,
                                bool *out_known, failure_t *error);

/* Parts of writer_add_pending(), inside its transaction. */
status_t writer_add_finding(writer_t *writer, const pending_divergence_t *pending,
                            failure_t *error);
status_t writer_add_shrunk(writer_t *writer, const store_divergence_t *divergence,
                           failure_t *error);
status_t writer_add_counts(writer_t *writer, const pending_t *pending, failure_t *error);

/* Writes at once, in a transaction of its own. */
status_t writer_describe_constraints(writer_t *writer, const store_constraint_text_t *texts,
                                     size_t count, failure_t *error);

/* Adds everything that is pending, in one transaction: all or nothing. */
status_t writer_add_pending(writer_t *writer, const pending_t *pending, failure_t *error);

#endif
