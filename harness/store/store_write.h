/* The statements that write. */
#ifndef ASSAY_STORE_STORE_WRITE_H
#define ASSAY_STORE_STORE_WRITE_H

#include "harness/store/store_connection.h"
#include "harness/store/store_pending.h"

typedef enum statement_id {
  STATEMENT_CONTRACT,
  STATEMENT_RUN,
  STATEMENT_RUN_END,
  STATEMENT_EXECUTOR,
  STATEMENT_PROGRAM,
  STATEMENT_COUNTER,
  STATEMENT_PAIR,
  STATEMENT_OBSERVATION,
  STATEMENT_DIVERGENCE,
  STATEMENT_DIVERGENCE_KNOWN,
  STATEMENT_REPRODUCER,
  STATEMENT_COUNT
} statement_id_t;

typedef struct writer {
  connection_t *connection;                  /* Borrowed. */
  sqlite3_stmt *statements[STATEMENT_COUNT]; /* Owned; each prepared once. */
} writer_t;

status_t writer_init(writer_t *writer, connection_t *connection, failure_t *error);
void writer_deinit(writer_t *writer);

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

/* Adds everything that is pending, in one transaction: all or nothing. */
status_t writer_add_pending(writer_t *writer, const pending_t *pending, failure_t *error);

#endif
