/* SPDX-License-Identifier: Apache-2.0 */
/* Applies migrations in order in one transaction, and recreates the views whenever their hash
 * differs from the one noted in the database. Views made by users stay. */
#include "harness/store/schema.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "harness/base/hash.h"
#include "harness/store/severity/severity_sql.h"

status_t store_schema_version(const connection_t *connection, int *out_version, failure_t *error) {
  sqlite3_stmt *statement = NULL;
  int64_t version = 0;
  STATUS_TRY(connection_prepare(connection, "PRAGMA user_version", &statement, error));
  status_t status = connection_run(connection, statement, &version, error);
  sqlite3_finalize(statement);
  if (status == STATUS_OK) *out_version = (int)version;
  return status;
}

/* Whether the views in the database are those of `schema`; its tables are. */
static status_t check_views(const connection_t *connection, hash_text_t hash, bool *out_same,
                            failure_t *error) {
  sqlite3_stmt *statement = NULL;
  int64_t same = 0;
  STATUS_TRY(connection_prepare(connection,
                                "SELECT count(*) FROM meta WHERE key = 'views' AND value = :hash",
                                &statement, error));
  connection_bind_text(statement, ":hash", hash.text);
  status_t status = connection_run(connection, statement, &same, error);
  sqlite3_finalize(statement);
  if (status == STATUS_OK) *out_same = same != 0;
  return status;
}

static status_t write_views(const connection_t *connection, const char *views, hash_text_t hash,
                            failure_t *error) {
  STATUS_TRY(connection_execute(connection, views, error));
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(connection_prepare(
      connection,
      "INSERT INTO meta VALUES ('views', :hash) ON CONFLICT DO UPDATE SET value = excluded.value",
      &statement, error));
  connection_bind_text(statement, ":hash", hash.text);
  status_t status = connection_run(connection, statement, NULL, error);
  sqlite3_finalize(statement);
  return status;
}

/* Drops the views that `views` makes: a migration need not know which there are.  Views that people
 * have made themselves stay. */
static status_t drop_views(const connection_t *connection, const char *views, failure_t *error) {
  static const char drop[] = "DROP VIEW ";
  for (const char *at = strstr(views, drop); at != NULL; at = strstr(at + 1, drop)) {
    g_autofree char *statement = g_strndup(at, strcspn(at, ";"));
    STATUS_TRY(connection_execute(connection, statement, error));
  }
  return STATUS_OK;
}

/* The body of the transaction.  The version is read again: another process may have been faster. */
static status_t migrate(const connection_t *connection, const store_schema_t *schema,
                        hash_text_t views_hash, failure_t *error) {
  int version = 0;
  STATUS_TRY(store_schema_version(connection, &version, error));
  STATUS_TRY(severity_sql_define(connection, error)); /* Migration 14 grades what is there. */
  STATUS_TRY(drop_views(connection, schema->views, error));
  for (; version < schema->version; version++) {
    STATUS_TRY(connection_execute(connection, schema->migrations[version], error));
  }
  g_autofree char *marks = g_strdup_printf("PRAGMA application_id = %d; PRAGMA user_version = %d",
                                           STORE_APPLICATION_ID, version);
  STATUS_TRY(connection_execute(connection, marks, error));
  return write_views(connection, schema->views, views_hash, error);
}

status_t store_schema_apply(connection_t *connection, const store_schema_t *schema,
                            failure_t *error) {
  int version = 0;
  STATUS_TRY(store_schema_version(connection, &version, error));
  if (version > schema->version) {
    return status_fail(
        error, STATUS_INVALID,
        "database \"%s\" is of a newer Assay (schema %d, this one knows %d): use that "
        "one, or another file",
        connection->path, version, schema->version);
  }
  hash_text_t views_hash = hash_of(schema->views, strlen(schema->views));
  bool is_current = false;
  if (version == schema->version) {
    STATUS_TRY(check_views(connection, views_hash, &is_current, error));
  }
  if (is_current) return STATUS_OK;
  STATUS_TRY(connection_begin(connection, error));
  status_t status = migrate(connection, schema, views_hash, error);
  if (status == STATUS_OK) status = connection_commit(connection, error);
  if (status != STATUS_OK) connection_roll_back(connection);
  return status;
}

static status_t list_columns(const connection_t *connection, GPtrArray *inout_columns,
                             failure_t *error) {
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(
      connection_prepare(connection,
                         "SELECT of.name || '.' || its.name FROM sqlite_schema AS of "
                         "JOIN pragma_table_info(of.name) AS its "
                         "WHERE of.type IN ('table', 'view') AND of.name NOT LIKE 'sqlite_%' "
                         "ORDER BY of.type, of.rowid, its.cid",
                         &statement, error));
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    g_ptr_array_add(inout_columns, g_strdup((const char *)sqlite3_column_text(statement, 0)));
  }
  status_t status = code == SQLITE_DONE ? STATUS_OK : connection_fail(connection, error);
  sqlite3_finalize(statement);
  return status;
}

status_t store_schema_columns(GPtrArray *inout_columns, failure_t *error) {
  connection_t connection = {.path = NULL};
  if (sqlite3_open(":memory:", &connection.database) != SQLITE_OK) {
    sqlite3_close(connection.database);
    return status_fail(error, STATUS_IO, "no memory for a database");
  }
  connection.path = g_strdup(":memory:");
  const store_schema_t schema = store_schema();
  status_t status = store_schema_apply(&connection, &schema, error);
  if (status == STATUS_OK) status = list_columns(&connection, inout_columns, error);
  connection_close(&connection);
  return status;
}
