/* SPDX-License-Identifier: Apache-2.0 */
/* Wraps SQLite: opening with checks, read-only fallback for directories without write permission,
 * transactions, binding by name, and error messages a user can act on. */
#include "harness/store/connection.h"

#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Whoever reads does so in one thread: no lock is taken for each value. */
enum { READING = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX };

status_t connection_fail(const connection_t *connection, failure_t *error) {
  const char *path = connection->path;
  switch (sqlite3_errcode(connection->database)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return status_fail(error, STATUS_IO,
                         "database \"%s\" is locked: another process has been writing it for %d s",
                         path, STORE_BUSY_TIMEOUT_MS / 1000);
    case SQLITE_FULL:
      return status_fail(error, STATUS_IO, "the disk is full: cannot write database \"%s\"", path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return status_fail(error, STATUS_IO,
                         "cannot write database \"%s\": the file or its directory is read-only",
                         path);
    case SQLITE_CANTOPEN:
      return status_fail(
          error, STATUS_IO,
          "cannot open database \"%s\": %s (is its directory there and writable?)", path,
          strerror(store_file_errno(path, sqlite3_system_errno(connection->database))));
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return status_fail(error, STATUS_INVALID, "database \"%s\" is damaged: %s", path,
                         sqlite3_errmsg(connection->database));
    case SQLITE_CONSTRAINT:
    case SQLITE_ERROR:
      return status_fail(error, STATUS_INVALID, "database \"%s\": %s", path,
                         sqlite3_errmsg(connection->database));
    default:
      return status_fail(error, STATUS_IO, "database \"%s\": %s", path,
                         sqlite3_errmsg(connection->database));
  }
}

static status_t open_file(connection_t *connection, const char *name, int flags, failure_t *error) {
  int code = sqlite3_open_v2(name, &connection->database, flags, NULL);
  if (code == SQLITE_OK) {
    sqlite3_busy_timeout(connection->database, STORE_BUSY_TIMEOUT_MS);
    return STATUS_OK;
  }
  status_t status = connection_fail(connection, error);
  sqlite3_close(connection->database);
  connection->database = NULL;
  return status;
}

/* Readers of a WAL database need its shared memory, which cannot be made in a read-only directory.
 * There, if nobody has left a log, the file itself is all there is, and nobody changes it. */
static status_t reopen_immutable(connection_t *connection, failure_t *error) {
  g_autofree char *escaped = g_uri_escape_string(connection->path, "/", FALSE);
  g_autofree char *uri = g_strconcat("file:", escaped, "?immutable=1", NULL);
  sqlite3_close(connection->database);
  connection->database = NULL;
  return open_file(connection, uri, READING | SQLITE_OPEN_URI, error);
}

static status_t begin_reading(connection_t *connection, failure_t *error) {
  static const char probe[] = "SELECT count(*) FROM sqlite_schema";
  if (connection_execute(connection, probe, error) == STATUS_OK) return STATUS_OK;
  g_autofree char *log = g_strconcat(connection->path, "-wal", NULL);
  int code = sqlite3_errcode(connection->database);
  bool is_ours_alone =
      (code == SQLITE_CANTOPEN || code == SQLITE_READONLY) && !g_file_test(log, G_FILE_TEST_EXISTS);
  if (!is_ours_alone) return connection_fail(connection, error);
  STATUS_TRY(reopen_immutable(connection, error));
  return connection_execute(connection, probe, error);
}

status_t connection_open(const char *path, connection_mode_t mode, connection_t *out_connection,
                         failure_t *error) {
  STATUS_TRY(store_file_check_place(path, mode, error));
  connection_t connection = {.path = g_strdup(path)};
  g_autofree char *name = store_file_name(path);
  int flags = mode == CONNECTION_READ ? READING : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  status_t status = open_file(&connection, name, flags, error);
  if (status == STATUS_OK) {
    status = store_file_check_header(connection.database, path, mode, error);
  }
  if (status == STATUS_OK && mode == CONNECTION_READ) status = begin_reading(&connection, error);
  if (status != STATUS_OK) {
    connection_close(&connection);
    return status;
  }
  *out_connection = connection;
  return STATUS_OK;
}

void connection_close(connection_t *connection) {
  int code = sqlite3_close(connection->database);
  g_assert(code == SQLITE_OK); /* Else a statement was forgotten, and the file stays open. */
  g_free(connection->path);
  *connection = (connection_t){.database = NULL, .path = NULL};
}

status_t connection_execute(const connection_t *connection, const char *sql, failure_t *error) {
  if (sqlite3_exec(connection->database, sql, NULL, NULL, NULL) == SQLITE_OK) return STATUS_OK;
  return connection_fail(connection, error);
}

status_t connection_begin(const connection_t *connection, failure_t *error) {
  return connection_execute(connection, "BEGIN IMMEDIATE", error);
}

status_t connection_commit(const connection_t *connection, failure_t *error) {
  return connection_execute(connection, "COMMIT", error);
}

void connection_roll_back(const connection_t *connection) {
  /* SQLite has already rolled back after some errors (a full disk); then there is nothing to do. */
  if (sqlite3_get_autocommit(connection->database)) return;
  sqlite3_exec(connection->database, "ROLLBACK", NULL, NULL, NULL);
}

status_t connection_prepare(const connection_t *connection, const char *sql,
                            sqlite3_stmt **out_statement, failure_t *error) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v3(connection->database, sql, -1, SQLITE_PREPARE_PERSISTENT,
                                &statement, NULL);
  if (code != SQLITE_OK) return connection_fail(connection, error);
  *out_statement = statement;
  return STATUS_OK;
}

static int parameter_index(sqlite3_stmt *statement, const char *name) {
  int index = sqlite3_bind_parameter_index(statement, name);
  g_assert(index > 0);
  return index;
}

bool connection_has_parameter(sqlite3_stmt *statement, const char *name) {
  return sqlite3_bind_parameter_index(statement, name) > 0;
}

/* Binding fails only on a misuse that no input can cause, or for want of memory. */
static void check_bound(int code) { g_assert(code == SQLITE_OK); }

void connection_bind_text(sqlite3_stmt *statement, const char *name, const char *text) {
  check_bound(
      sqlite3_bind_text(statement, parameter_index(statement, name), text, -1, SQLITE_STATIC));
}

void connection_bind_integer(sqlite3_stmt *statement, const char *name, int64_t value) {
  check_bound(sqlite3_bind_int64(statement, parameter_index(statement, name), value));
}

void connection_bind_real(sqlite3_stmt *statement, const char *name, double value) {
  check_bound(sqlite3_bind_double(statement, parameter_index(statement, name), value));
}

static void bind_copy(sqlite3_stmt *statement, const char *name, const char *text) {
  check_bound(
      sqlite3_bind_text(statement, parameter_index(statement, name), text, -1, SQLITE_TRANSIENT));
}

void connection_bind_seed(sqlite3_stmt *statement, const char *name, uint64_t seed) {
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, seed);
  bind_copy(statement, name, text);
}

void connection_bind_time(sqlite3_stmt *statement, const char *name, int64_t time) {
  g_autofree char *text = connection_print_time(time);
  bind_copy(statement, name, text);
}

char *connection_print_time(int64_t seconds_since_1970) {
  g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(seconds_since_1970);
  return g_date_time_format(time, "%Y-%m-%dT%H:%M:%SZ");
}

status_t connection_run(const connection_t *connection, sqlite3_stmt *statement, int64_t *out_id,
                        failure_t *error) {
  int64_t id = 0;
  bool has_row = false;
  int code = sqlite3_step(statement);
  if (code == SQLITE_ROW) {
    id = sqlite3_column_int64(statement, 0);
    has_row = true;
    do code = sqlite3_step(statement);
    while (code == SQLITE_ROW);
  }
  status_t status = code == SQLITE_DONE ? STATUS_OK : connection_fail(connection, error);
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  if (status != STATUS_OK) return status;
  g_assert(has_row || out_id == NULL);
  if (out_id != NULL) *out_id = id;
  return STATUS_OK;
}
