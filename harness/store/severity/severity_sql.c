/* SPDX-License-Identifier: Apache-2.0 */
/* Gives SQL the grading of severity.c. */
#include "harness/store/severity/severity_sql.h"

#include <math.h>
#include <string.h>

#include "harness/store/severity/severity.h"

static const char *text_of(sqlite3_value *value) {
  const char *text = (const char *)sqlite3_value_text(value);
  return text == NULL ? "" : text;
}

static void give_real(sqlite3_context *context, double value) {
  if (isnan(value)) {
    sqlite3_result_null(context);
  } else {
    sqlite3_result_double(context, value);
  }
}

static void call_severity_of(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  const severity_case_t instance = {.class_ = text_of(values[1]),
                                    .cause = text_of(values[2]),
                                    .types = text_of(values[3]),
                                    .case_line = text_of(values[4]),
                                    .got = text_of(values[5]),
                                    .expected = text_of(values[6])};
  const severity_t severity = severity_of(&instance);
  const char *what = text_of(values[0]);
  if (strcmp(what, "severity") == 0) {
    sqlite3_result_text(context, severity_spelling(severity.id), -1, SQLITE_STATIC);
  } else if (strcmp(what, "data_extent") == 0) {
    give_real(context, severity.data_extent);
  } else if (strcmp(what, "relative_error") == 0) {
    give_real(context, severity.relative_error);
  } else {
    give_real(context, severity.weight);
  }
}

static void call_severity_rank(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3_result_int(context, 1 + (int)severity_find(text_of(values[0])));
}

status_t severity_sql_define(const connection_t *connection, failure_t *error) {
  const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
  sqlite3 *database = connection->database;
  if (sqlite3_create_function(database, "severity_of", 7, flags, NULL, call_severity_of, NULL,
                              NULL) != SQLITE_OK ||
      sqlite3_create_function(database, "severity_rank", 1, flags, NULL, call_severity_rank, NULL,
                              NULL) != SQLITE_OK) {
    return connection_fail(connection, error);
  }
  return STATUS_OK;
}

void severity_append_rank(const char *column, GString *out_sql) {
  g_string_append_printf(out_sql, "CASE %s", column);
  for (int i = 0; i < SEVERITY_COUNT; i++) {
    g_string_append_printf(out_sql, " WHEN '%s' THEN %d", severity_spelling((severity_id_t)i),
                           1 + i);
  }
  g_string_append_printf(out_sql, " ELSE %d END", 1 + SEVERITY_COUNT);
}
