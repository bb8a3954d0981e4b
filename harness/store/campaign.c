/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes a campaign's notes in the meta table (number of time slices, last reported
 * finding) and truncates the write-ahead log at checkpoints. */
#include "harness/store/campaign.h"

#include <inttypes.h>
#include <stdio.h>

#include "harness/store/internal.h"

static const char READ_NOTE_SQL[] = "SELECT value FROM meta WHERE key = :key";

static const char WRITE_NOTE_SQL[] =
    "INSERT INTO meta VALUES (:key, :value) ON CONFLICT DO UPDATE SET value = excluded.value";

static const char TAKE_NUMBER_SQL[] =
    "INSERT INTO meta VALUES ('slices', CAST(:least + 1 AS TEXT)) "
    "ON CONFLICT DO UPDATE SET value = CAST(max(CAST(value AS INTEGER), :least) + 1 AS TEXT) "
    "RETURNING CAST(value AS INTEGER) - 1";

/* The first column of the first row as text, NULL if there is no row; the caller frees it. */
static status_t read_text(const connection_t *connection, sqlite3_stmt *statement, char **out_text,
                          failure_t *error) {
  int code = sqlite3_step(statement);
  if (code != SQLITE_ROW && code != SQLITE_DONE) return connection_fail(connection, error);
  *out_text = code == SQLITE_ROW ? g_strdup((const char *)sqlite3_column_text(statement, 0)) : NULL;
  return STATUS_OK;
}

status_t store_run_uuid(store_t *store, int64_t run_id, char **out_uuid, failure_t *error) {
  const connection_t *connection = store_connection(store);
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(connection_prepare(connection, "SELECT uuid FROM run WHERE run_id = :run_id",
                                &statement, error));
  connection_bind_integer(statement, ":run_id", run_id);
  status_t status = read_text(connection, statement, out_uuid, error);
  sqlite3_finalize(statement);
  g_assert(status != STATUS_OK || *out_uuid != NULL);
  return status;
}

status_t store_take_slice_number(store_t *store, uint64_t least, uint64_t *out_number,
                                 failure_t *error) {
  const connection_t *connection = store_connection(store);
  sqlite3_stmt *statement = NULL;
  int64_t number = 0;
  STATUS_TRY(connection_prepare(connection, TAKE_NUMBER_SQL, &statement, error));
  connection_bind_integer(statement, ":least", (int64_t)MIN(least, (uint64_t)G_MAXINT64 / 2));
  status_t status = connection_run(connection, statement, &number, error);
  sqlite3_finalize(statement);
  if (status == STATUS_OK) *out_number = (uint64_t)number;
  return status;
}

static const char REPORTED[] = "told";

status_t store_read_reported(store_t *store, bool *out_found, int64_t *out_id, failure_t *error) {
  const connection_t *connection = store_connection(store);
  sqlite3_stmt *statement = NULL;
  g_autofree char *text = NULL;
  STATUS_TRY(connection_prepare(connection, READ_NOTE_SQL, &statement, error));
  connection_bind_text(statement, ":key", REPORTED);
  status_t status = read_text(connection, statement, &text, error);
  sqlite3_finalize(statement);
  STATUS_TRY(status);
  *out_found = text != NULL;
  *out_id = text == NULL ? 0 : g_ascii_strtoll(text, NULL, 10);
  return STATUS_OK;
}

status_t store_write_reported(store_t *store, int64_t id, failure_t *error) {
  const connection_t *connection = store_connection(store);
  sqlite3_stmt *statement = NULL;
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, id);
  STATUS_TRY(connection_prepare(connection, WRITE_NOTE_SQL, &statement, error));
  connection_bind_text(statement, ":key", REPORTED);
  connection_bind_text(statement, ":value", text);
  status_t status = connection_run(connection, statement, NULL, error);
  sqlite3_finalize(statement);
  return status;
}

status_t store_clear_reported(store_t *store, failure_t *error) {
  return connection_execute(store_connection(store), "DELETE FROM meta WHERE key = 'told'", error);
}

status_t store_checkpoint(store_t *store, failure_t *error) {
  STATUS_TRY(store_flush(store, error));
  const connection_t *connection = store_connection(store);
  sqlite3_busy_timeout(connection->database, 0);
  int code = sqlite3_wal_checkpoint_v2(connection->database, "main", SQLITE_CHECKPOINT_TRUNCATE,
                                       NULL, NULL);
  /* Where somebody reads or writes, as much as could be moved has been. */
  bool is_done = code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED;
  status_t status = is_done ? STATUS_OK : connection_fail(connection, error);
  sqlite3_busy_timeout(connection->database, STORE_BUSY_TIMEOUT_MS);
  return status;
}
