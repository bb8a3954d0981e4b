/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one read-only SQL statement and hands its rows to a callback; refuses several statements or
 * ones that write, and makes all text plain because a database may come from anybody. */
#include "harness/store/query.h"

#include <string.h>

#include "harness/base/plain_text.h"

/* Prepares the one statement of `sql`, which must be one that reads. */
static status_t prepare_query(const connection_t *connection, const char *sql,
                              sqlite3_stmt **out_statement, failure_t *error) {
  sqlite3_stmt *statement = NULL;
  const char *rest = NULL;
  if (sqlite3_prepare_v2(connection->database, sql, -1, &statement, &rest) != SQLITE_OK) {
    return status_fail(error, STATUS_INVALID, "query: %s", sqlite3_errmsg(connection->database));
  }
  if (statement == NULL) return status_fail(error, STATUS_INVALID, "query: no SQL in it");
  bool reads = sqlite3_stmt_readonly(statement) && sqlite3_column_count(statement) > 0;
  sqlite3_stmt *second = NULL;
  int code = sqlite3_prepare_v2(connection->database, rest, -1, &second, NULL);
  bool is_alone = code == SQLITE_OK && second == NULL;
  sqlite3_finalize(second);
  if (reads && is_alone) {
    *out_statement = statement;
    return STATUS_OK;
  }
  sqlite3_finalize(statement);
  if (!reads) return status_fail(error, STATUS_INVALID, "query: it must read, and change nothing");
  return status_fail(error, STATUS_INVALID, "query: one statement at a time");
}

/* Whether a text shows itself as it is, as nearly all do. */
static bool is_printable(const char *text) {
  for (; *text != '\0'; text++) {
    if ((*text < ' ' || *text > '~') && *text != '\n' && *text != '\t') return false;
  }
  return true;
}

/* The value in a column of the present row.  A database may come from anybody, so that what it has
 * of text is made plain here, where it comes in.  `own_text` holds that, or the hex text of a blob.
 */
static store_value_t read_value(sqlite3_stmt *statement, int column, query_numbers_t numbers,
                                GString *own_text) {
  int type = sqlite3_column_type(statement, column); /* Before anything converts the value. */
  store_value_t value = {.kind = STORE_NULL};
  switch (type) {
    case SQLITE_NULL:
      return value;
    case SQLITE_INTEGER:
      value.kind = STORE_INTEGER;
      value.integer = sqlite3_column_int64(statement, column);
      value.real = (double)value.integer;
      break;
    case SQLITE_FLOAT:
      value.kind = STORE_REAL;
      value.real = sqlite3_column_double(statement, column);
      break;
    case SQLITE_BLOB: {
      const unsigned char *bytes = sqlite3_column_blob(statement, column);
      int size = sqlite3_column_bytes(statement, column);
      g_string_truncate(own_text, 0);
      for (int i = 0; i < size; i++) g_string_append_printf(own_text, "%02x", bytes[i]);
      return (store_value_t){.kind = STORE_TEXT, .text = own_text->str};
    }
    default:
      value.kind = STORE_TEXT;
      break;
  }
  if (value.kind != STORE_TEXT && numbers == QUERY_NUMBERS_ALONE) return value;
  value.text = (const char *)sqlite3_column_text(statement, column);
  if (value.kind == STORE_TEXT && !is_printable(value.text)) {
    g_autofree char *plain = plain_text_except(value.text, "\n\t");
    g_string_assign(own_text, plain);
    value.text = own_text->str;
  }
  return value;
}

/* Room for the names and values of one row. */
typedef struct row_buffer {
  query_numbers_t numbers;
  int count;
  char **names; /* Copies: SQLite's own may move at the first step. */
  store_value_t *values;
  GString **own_texts;
} row_buffer_t;

static row_buffer_t make_row_buffer(sqlite3_stmt *statement, query_numbers_t numbers) {
  int count = sqlite3_column_count(statement);
  row_buffer_t buffer = {.numbers = numbers,
                         .count = count,
                         .names = g_new0(char *, count),
                         .values = g_new0(store_value_t, count),
                         .own_texts = g_new0(GString *, count)};
  for (int i = 0; i < count; i++) {
    buffer.names[i] = g_strdup(sqlite3_column_name(statement, i));
    buffer.own_texts[i] = g_string_new(NULL);
  }
  return buffer;
}

static void free_row_buffer(row_buffer_t *buffer) {
  for (int i = 0; i < buffer->count; i++) {
    g_free(buffer->names[i]);
    g_string_free(buffer->own_texts[i], TRUE);
  }
  g_free(buffer->own_texts);
  g_free(buffer->values);
  g_free(buffer->names);
}

static status_t hand_over_rows(const connection_t *connection, sqlite3_stmt *statement,
                               row_buffer_t *buffer, store_row_t row, void *context,
                               failure_t *error) {
  const char *const *names = (const char *const *)buffer->names;
  STATUS_TRY(row(context, buffer->count, names, NULL, error));
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    for (int i = 0; i < buffer->count; i++) {
      buffer->values[i] = read_value(statement, i, buffer->numbers, buffer->own_texts[i]);
    }
    STATUS_TRY(row(context, buffer->count, names, buffer->values, error));
  }
  if (code == SQLITE_DONE) return STATUS_OK;
  return connection_fail(connection, error);
}

status_t store_query_on(const connection_t *connection, const char *sql, query_numbers_t numbers,
                        store_row_t row, void *context, failure_t *error) {
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(prepare_query(connection, sql, &statement, error));
  row_buffer_t buffer = make_row_buffer(statement, numbers);
  status_t status = hand_over_rows(connection, statement, &buffer, row, context, error);
  free_row_buffer(&buffer);
  sqlite3_finalize(statement);
  return status;
}

status_t store_query(const char *path, const char *sql, store_row_t row, void *context,
                     failure_t *error) {
  connection_t connection;
  STATUS_TRY(connection_open(path, CONNECTION_READ, &connection, error));
  status_t status = store_query_on(&connection, sql, QUERY_NUMBERS_AND_TEXTS, row, context, error);
  connection_close(&connection);
  return status;
}
