/* SPDX-License-Identifier: Apache-2.0 */
/* A thin layer over SQLite: it opens only Assay databases, and speaks in status_t. */
#ifndef ASSAY_STORE_CONNECTION_H
#define ASSAY_STORE_CONNECTION_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/status.h"
#include "harness/store/file.h"

/* How long a statement waits while another process writes. */
enum { STORE_BUSY_TIMEOUT_MS = 30000 };

typedef struct connection {
  sqlite3 *database;
  char *path; /* Owned. */
} connection_t;

/* Opens an Assay database, or in CONNECTION_WRITE mode an empty or missing file.  Other files are
 * refused without being touched.  On failure there is nothing to close. */
status_t connection_open(const char *path, connection_mode_t mode, connection_t *out_connection,
                         failure_t *error);
void connection_close(connection_t *connection);

/* Fails with what SQLite last complained about on this connection, in words for the user. */
status_t connection_fail(const connection_t *connection, failure_t *error);

/* Runs statements that give no rows. */
status_t connection_execute(const connection_t *connection, const char *sql, failure_t *error);

/* Transactions.  BEGIN takes the write lock at once, so that nothing fails half-way for want of it.
 */
status_t connection_begin(const connection_t *connection, failure_t *error);
status_t connection_commit(const connection_t *connection, failure_t *error);
void connection_roll_back(const connection_t *connection);

/* Prepares one statement; the caller owns it. */
status_t connection_prepare(const connection_t *connection, const char *sql,
                            sqlite3_stmt **out_statement, failure_t *error);

/* Binds the parameter called `name` (":op"); the statement must have it.  Texts are not copied:
 * they must live until the statement has run.  NaN becomes NULL. */
bool connection_has_parameter(sqlite3_stmt *statement, const char *name);
void connection_bind_text(sqlite3_stmt *statement, const char *name, const char *text);
void connection_bind_integer(sqlite3_stmt *statement, const char *name, int64_t value);
void connection_bind_real(sqlite3_stmt *statement, const char *name, double value);

/* A 64-bit number as decimal text, and a time, in seconds since 1970, as connection_print_time()
 * has it. */
void connection_bind_seed(sqlite3_stmt *statement, const char *name, uint64_t seed);
void connection_bind_time(sqlite3_stmt *statement, const char *name, int64_t time);

/* "2026-11-21T03:20:07Z"; the caller frees it. */
char *connection_print_time(int64_t seconds_since_1970);

/* Runs a statement to its end and makes it ready for use again; out_id, if not NULL, receives the
 * first column of its first row, which must then be there. */
status_t connection_run(const connection_t *connection, sqlite3_stmt *statement, int64_t *out_id,
                        failure_t *error);

#endif
