/* SPDX-License-Identifier: Apache-2.0 */
/* Attaches a second database, brings it to the newest schema, checks its integrity and counts,
 * refuses runs that have diverged, and merges it in one transaction. */
#include "harness/store/merge.h"

#include "harness/store/internal.h"
#include "harness/store/rows/row_sql.h"
#include "harness/store/schema.h"

/* One transaction touches many pages of a large target: 256 MiB of them stay in memory. */
static const char CACHE_SQL[] = "PRAGMA cache_size = -262144; PRAGMA temp_store = MEMORY";

static status_t read_integer(const connection_t *connection, const char *sql, int64_t *out_value,
                             failure_t *error) {
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(connection_prepare(connection, sql, &statement, error));
  status_t status = connection_run(connection, statement, out_value, error);
  sqlite3_finalize(statement);
  return status;
}

/* Refuses what is no database of Assay, and brings an older one to the newest schema. */
static status_t prepare_source(const char *path, failure_t *error) {
  connection_t connection;
  STATUS_TRY(connection_open(path, CONNECTION_READ, &connection, error));
  int64_t version = 0;
  status_t status = read_integer(&connection, "PRAGMA user_version", &version, error);
  connection_close(&connection);
  STATUS_TRY(status);
  store_schema_t schema = store_schema();
  if (version == schema.version) return STATUS_OK;
  if (version > schema.version) {
    return status_fail(error, STATUS_INVALID,
                       "database \"%s\" is of a newer Assay (schema %d, this one knows %d): merge "
                       "it with that one",
                       path, (int)version, schema.version);
  }
  STATUS_TRY(connection_open(path, CONNECTION_WRITE, &connection, error));
  status = store_schema_apply(&connection, &schema, error);
  connection_close(&connection);
  return status;
}

static status_t attach(const connection_t *connection, const char *path, failure_t *error) {
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(connection_prepare(connection, "ATTACH :path AS source", &statement, error));
  g_autofree char *name = store_file_name(path);
  connection_bind_text(statement, ":path", name);
  status_t status = connection_run(connection, statement, NULL, error);
  sqlite3_finalize(statement);
  return status;
}

/* Whether the pages of the source make sense; their contents are checked as they are merged. */
static status_t check_source(const connection_t *connection, const char *path, failure_t *error) {
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(connection_prepare(connection, "PRAGMA source.quick_check(1)", &statement, error));
  int code = sqlite3_step(statement);
  const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
  status_t status = STATUS_OK;
  if (text == NULL) {
    status = status_fail(error, STATUS_INVALID, "database \"%s\" is damaged: %s", path,
                         sqlite3_errmsg(connection->database));
  } else if (g_strcmp0(text, "ok") != 0) {
    status = status_fail(error, STATUS_INVALID, "database \"%s\" is damaged: %s", path, text);
  }
  sqlite3_finalize(statement);
  return status;
}

/* What counts more than this is damaged: at a hundred nanoseconds a case it would have run for
 * 28 years.  Sums of what is not are far from the end of 64 bits. */
#define COUNTS_MAX "9007199254740992"

/* What counts too much, and how much. */
static void append_check(GString *out_sql) {
  g_string_append(out_sql, "SELECT name, printf('%.3g', counted) FROM (");
  for (row_kind_t kind = 0; kind < ROW_COUNT; kind++) {
    if (!row_is_count(kind)) continue;
    const char *table = row_type(kind)->table;
    g_string_append_printf(out_sql,
                           "SELECT '%s' AS name, total(cases) AS counted FROM source.%s UNION ALL ",
                           table, table);
  }
  g_string_append(out_sql,
                  "SELECT 'sighting', total(cases) FROM source.sighting UNION ALL "
                  "SELECT 'divergence', total(sightings) FROM source.divergence UNION ALL "
                  "SELECT 'profile', total(sightings) FROM source.profile UNION ALL "
                  "SELECT 'profile_sighting', total(sightings) FROM source.profile_sighting"
                  ") WHERE counted > " COUNTS_MAX);
}

static status_t check_counts(const connection_t *connection, const char *path, failure_t *error) {
  sqlite3_stmt *statement = NULL;
  g_autoptr(GString) sql = g_string_new(NULL);
  append_check(sql);
  STATUS_TRY(connection_prepare(connection, sql->str, &statement, error));
  int code = sqlite3_step(statement);
  status_t status = STATUS_OK;
  if (code == SQLITE_ROW) {
    status = status_fail(error, STATUS_INVALID,
                         "database \"%s\" is damaged: its table %s counts %s cases, more than can "
                         "have run",
                         path, (const char *)sqlite3_column_text(statement, 0),
                         (const char *)sqlite3_column_text(statement, 1));
  } else if (code != SQLITE_DONE) {
    status = connection_fail(connection, error);
  }
  sqlite3_finalize(statement);
  return status;
}

/* Runs of which each of the two has absorbed what the other has not. */
static const char FORKED_SQL[] =
    "SELECT count(*) FROM main.run AS ours JOIN source.run AS theirs USING (uuid) WHERE "
    "EXISTS (SELECT 1 FROM main.absorbed_run WHERE run_id = ours.run_id "
    "AND uuid NOT IN (SELECT uuid FROM source.absorbed_run)) AND "
    "EXISTS (SELECT 1 FROM source.absorbed_run WHERE run_id = theirs.run_id "
    "AND uuid NOT IN (SELECT uuid FROM main.absorbed_run))";

/* The larger counts of a run hold the smaller ones unless its campaign went on in two places. */
static status_t check_forks(const connection_t *connection, const char *path, failure_t *error) {
  int64_t forks = 0;
  STATUS_TRY(read_integer(connection, FORKED_SQL, &forks, error));
  if (forks == 0) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "\"%s\" and \"%s\" come from two copies of one campaign's folder, in both of "
                     "which it was gone on with before its slices were added: keep one of them",
                     path, connection->path);
}

static status_t count_before(const connection_t *connection, store_merge_report_t *report,
                             failure_t *error) {
  STATUS_TRY(read_integer(connection,
                          "SELECT count(*) FROM source.run AS theirs "
                          "WHERE NOT EXISTS (SELECT 1 FROM main.run WHERE uuid = theirs.uuid) "
                          "AND NOT EXISTS "
                          "(SELECT 1 FROM main.absorbed_run WHERE uuid = theirs.uuid)",
                          &report->runs_new, error));
  return read_integer(connection, "SELECT count(*) FROM source.divergence", &report->findings,
                      error);
}

/* Runs a file of SQL, with the columns of rows that it names by their roles. */
static status_t execute_sql(const connection_t *connection, const char *sql, failure_t *error) {
  g_autoptr(GString) whole = g_string_new(NULL);
  row_append_sql(sql, whole);
  return connection_execute(connection, whole->str, error);
}

/* Runs SQL that follows from the columns of rows. */
static status_t execute_made(const connection_t *connection, void (*append)(GString *out_sql),
                             failure_t *error) {
  g_autoptr(GString) sql = g_string_new(NULL);
  append(sql);
  return connection_execute(connection, sql->str, error);
}

static status_t drop_parts(const connection_t *connection, failure_t *error) {
  STATUS_TRY(execute_made(connection, row_append_drop_parts, error));
  return execute_sql(connection, store_schema().drop_parts, error);
}

/* The body of the transaction. */
static status_t merge(const connection_t *connection, bool absorbs, store_merge_report_t *report,
                      failure_t *error) {
  STATUS_TRY(count_before(connection, report, error));
  STATUS_TRY(execute_sql(connection, store_schema().merge, error));
  STATUS_TRY(execute_made(connection, row_append_merge, error));
  STATUS_TRY(drop_parts(connection, error));
  STATUS_TRY(read_integer(connection, "SELECT count(*) FROM temp.divergence_map WHERE is_new",
                          &report->findings_new, error));
  if (!absorbs) return STATUS_OK;
  STATUS_TRY(execute_sql(connection, store_schema().absorb, error));
  STATUS_TRY(read_integer(connection, "SELECT findings FROM temp.part_news", &report->findings_new,
                          error));
  STATUS_TRY(read_integer(connection, "SELECT counters FROM temp.part_news", &report->counters_new,
                          error));
  STATUS_TRY(execute_made(connection, row_append_absorb, error));
  return drop_parts(connection, error);
}

static status_t merge_attached(const connection_t *connection, const char *path, bool absorbs,
                               store_merge_report_t *out_report, failure_t *error) {
  STATUS_TRY(check_source(connection, path, error));
  STATUS_TRY(check_counts(connection, path, error));
  store_merge_report_t report = {0};
  STATUS_TRY(connection_begin(connection, error));
  status_t status = check_forks(connection, path, error);
  if (status == STATUS_OK) status = merge(connection, absorbs, &report, error);
  if (status == STATUS_OK) status = connection_commit(connection, error);
  if (status != STATUS_OK) {
    connection_roll_back(connection);
    return status;
  }
  *out_report = report;
  return STATUS_OK;
}

static status_t attach_and_merge(store_t *target, const char *source_path, bool absorbs,
                                 store_merge_report_t *out_report, failure_t *error) {
  const connection_t *connection = store_connection(target);
  if (store_is_same_file(connection->path, source_path)) {
    return status_fail(error, STATUS_INVALID, "\"%s\" cannot be merged into itself", source_path);
  }
  STATUS_TRY(prepare_source(source_path, error));
  STATUS_TRY(store_flush(target, error));
  STATUS_TRY(connection_execute(connection, CACHE_SQL, error));
  STATUS_TRY(attach(connection, source_path, error));
  status_t status = merge_attached(connection, source_path, absorbs, out_report, error);
  failure_t ignored;
  status_t detached =
      connection_execute(connection, "DETACH source", status == STATUS_OK ? error : &ignored);
  return status == STATUS_OK ? detached : status;
}

status_t store_merge(store_t *target, const char *source_path, store_merge_report_t *out_report,
                     failure_t *error) {
  return attach_and_merge(target, source_path, false, out_report, error);
}

status_t store_merge_ended(store_t *target, const char *source_path,
                           store_merge_report_t *out_report, failure_t *error) {
  return attach_and_merge(target, source_path, true, out_report, error);
}
