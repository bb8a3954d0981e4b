/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a consistent read transaction and overlays temporary views that restrict all tables to one
 * campaign; a progress handler ends queries that are interrupted or exceed their time limit. */
#include "harness/store/reader.h"

#include <string.h>

#include "harness/store/query.h"
#include "harness/store/rows/row.h"
#include "harness/store/schema.h"

struct store_reader {
  connection_t connection;
  store_limit_t limit;
  int64_t begin_us; /* g_get_monotonic_time(), of the question. */
};

/* Tables as a campaign sees them.  They hide those of the file, also from the views below. */
static void append_campaign_tables(GString *out_sql) {
  static const char of_runs[] =
      "CREATE TEMP VIEW %s AS SELECT * FROM main.%s WHERE run_id IN (SELECT run_id FROM scope);";
  g_string_append_printf(out_sql, of_runs, "run", "run");
  g_string_append_printf(out_sql, of_runs, "sighting", "sighting");
  for (row_kind_t kind = 0; kind < ROW_COUNT; kind++) {
    const char *table = row_type(kind)->table;
    if (row_is_count(kind)) g_string_append_printf(out_sql, of_runs, table, table);
  }
  g_string_append(
      out_sql,
      "CREATE TEMP VIEW executor AS SELECT * FROM main.executor WHERE executor_id IN"
      " (SELECT executor_id FROM main.counter WHERE run_id IN (SELECT run_id FROM scope)"
      "  UNION SELECT executor_id FROM main.divergence JOIN sighting"
      " USING (divergence_id));"
      "DROP VIEW temp.any_run;"
      "CREATE TEMP VIEW any_run AS SELECT run_id, campaign FROM main.run;");
}

/* Replaces the number of sightings and the last one by those of the campaign. */
static status_t hide_divergences(const connection_t *connection, failure_t *error) {
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(connection_prepare(
      connection,
      "SELECT 'CREATE TEMP VIEW divergence AS SELECT ' || group_concat("
      " CASE name WHEN 'sightings' THEN 'seen.sightings' WHEN 'last_seen' THEN 'seen.last_seen'"
      "           WHEN 'last_run_id' THEN 'seen.last_run_id' ELSE 'kept.' || name END, ', ')"
      " || ' FROM main.divergence AS kept JOIN (SELECT divergence_id, sum(cases) AS sightings,"
      " max(last_seen) AS last_seen, max(run_id) AS last_run_id FROM sighting"
      " GROUP BY divergence_id) AS seen USING (divergence_id)'"
      " FROM pragma_table_info('divergence', 'main')",
      &statement, error));
  status_t status = STATUS_OK;
  if (sqlite3_step(statement) == SQLITE_ROW) {
    g_autofree char *view = g_strdup((const char *)sqlite3_column_text(statement, 0));
    status = connection_execute(connection, view, error);
  } else {
    status = connection_fail(connection, error);
  }
  sqlite3_finalize(statement);
  return status;
}

static status_t fail_for_want_of_campaign(const connection_t *connection, const char *campaign,
                                          failure_t *error) {
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(connection_prepare(connection,
                                "SELECT group_concat(campaign, ', ') FROM"
                                " (SELECT campaign FROM campaign ORDER BY number DESC LIMIT 5)",
                                &statement, error));
  g_autofree char *known = NULL;
  if (sqlite3_step(statement) == SQLITE_ROW) {
    known = g_strdup((const char *)sqlite3_column_text(statement, 0));
  }
  sqlite3_finalize(statement);
  return status_fail(error, STATUS_INVALID,
                     "no campaign \"%s\" in database \"%s\"; it has %s (`assay query campaigns` "
                     "lists them)",
                     campaign, connection->path, known == NULL ? "none" : known);
}

/* Fills the temporary table `scope` with the runs of a campaign. */
static status_t choose_runs(const connection_t *connection, const char *campaign,
                            failure_t *error) {
  STATUS_TRY(connection_execute(connection, "CREATE TEMP TABLE scope (run_id INTEGER PRIMARY KEY)",
                                error));
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(connection_prepare(connection,
                                "INSERT INTO scope SELECT run_id FROM run_label"
                                " WHERE campaign = :campaign",
                                &statement, error));
  connection_bind_text(statement, ":campaign", campaign);
  status_t status = connection_run(connection, statement, NULL, error);
  sqlite3_finalize(statement);
  if (status != STATUS_OK) return status;
  if (sqlite3_changes(connection->database) > 0) return STATUS_OK;
  return fail_for_want_of_campaign(connection, campaign, error);
}

/* Makes the views of this Assay, as temporary ones: the file stays as it is. */
static status_t make_views(const connection_t *connection, failure_t *error) {
  GString *views = g_string_new(store_schema().views);
  g_string_replace(views, "CREATE VIEW ", "CREATE TEMP VIEW ", 0);
  g_string_replace(views, "DROP VIEW IF EXISTS ", "DROP VIEW IF EXISTS temp.", 0);
  status_t status = connection_execute(connection, views->str, error);
  g_string_free(views, TRUE);
  return status;
}

static status_t check_version(const connection_t *connection, failure_t *error) {
  int version = 0;
  STATUS_TRY(store_schema_version(connection, &version, error));
  if (version == store_schema().version) return STATUS_OK;
  if (version > store_schema().version) {
    return status_fail(error, STATUS_INVALID,
                       "database \"%s\" is of a newer Assay (schema %d, this one knows %d): use "
                       "that one, or another file",
                       connection->path, version, store_schema().version);
  }
  return status_fail(error, STATUS_INVALID,
                     "database \"%s\" is of an older Assay (schema %d, this one has %d): bring it "
                     "forward with `assay doctor --db FILE`",
                     connection->path, version, store_schema().version);
}

static status_t prepare(const connection_t *connection, const char *campaign, failure_t *error) {
  STATUS_TRY(connection_execute(connection, "BEGIN", error));
  STATUS_TRY(check_version(connection, error));
  STATUS_TRY(make_views(connection, error));
  if (campaign == NULL) return STATUS_OK;
  STATUS_TRY(choose_runs(connection, campaign, error));
  g_autoptr(GString) tables = g_string_new(NULL);
  append_campaign_tables(tables);
  STATUS_TRY(connection_execute(connection, tables->str, error));
  return hide_divergences(connection, error);
}

status_t store_reader_open(const char *path, const char *campaign, store_reader_t **out_reader,
                           failure_t *error) {
  store_reader_t *reader = g_new0(store_reader_t, 1);
  status_t status = connection_open(path, CONNECTION_READ, &reader->connection, error);
  if (status == STATUS_OK) {
    status = prepare(&reader->connection, campaign, error);
    if (status != STATUS_OK) connection_close(&reader->connection);
  }
  if (status != STATUS_OK) {
    g_free(reader);
    return status;
  }
  *out_reader = reader;
  return STATUS_OK;
}

status_t store_reader_rank(store_reader_t *reader, const severity_order_t *order,
                           failure_t *error) {
  g_autoptr(GString) sql = g_string_new(
      "DROP VIEW temp.severity; CREATE TEMP VIEW severity AS "
      "SELECT column1 AS severity, column2 AS rank FROM (VALUES ");
  for (int i = 0; i < SEVERITY_COUNT; i++) {
    g_string_append_printf(sql, "%s('%s', %d)", i == 0 ? "" : ", ",
                           severity_spelling(order->order[i]), 1 + i);
  }
  g_string_append(sql, ")");
  return connection_execute(&reader->connection, sql->str, error);
}

static status_t insert_row(const connection_t *connection, sqlite3_stmt *statement,
                           const store_texts_t *texts, size_t row, failure_t *error) {
  for (int i = 0; i < texts->column_count; i++) {
    const char *value = texts->values[row * (size_t)texts->column_count + (size_t)i];
    sqlite3_bind_text(statement, 1 + i, value, -1, SQLITE_STATIC);
  }
  return connection_run(connection, statement, NULL, error);
}

status_t store_reader_replace(store_reader_t *reader, const char *view, const store_texts_t *texts,
                              failure_t *error) {
  const connection_t *connection = &reader->connection;
  g_autoptr(GString) names = g_string_new(NULL);
  g_autoptr(GString) places = g_string_new(NULL);
  for (int i = 0; i < texts->column_count; i++) {
    g_string_append_printf(names, "%s%s", i == 0 ? "" : ", ", texts->columns[i]);
    g_string_append(places, i == 0 ? "?" : ", ?");
  }
  g_autofree char *create =
      g_strdup_printf("DROP VIEW temp.%s; CREATE TEMP TABLE %s (%s)", view, view, names->str);
  STATUS_TRY(connection_execute(connection, create, error));
  g_autofree char *insert = g_strdup_printf("INSERT INTO temp.%s VALUES (%s)", view, places->str);
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(connection_prepare(connection, insert, &statement, error));
  status_t status = STATUS_OK;
  for (size_t row = 0; row < texts->row_count && status == STATUS_OK; row++) {
    status = insert_row(connection, statement, texts, row, error);
  }
  sqlite3_finalize(statement);
  return status;
}

/* A view's rows cannot go into a table of its name while it is there, nor be computed afterwards.
 */
status_t store_reader_keep(store_reader_t *reader, const char *view, const char *index,
                           failure_t *error) {
  g_autofree char *sql = g_strdup_printf(
      "CREATE TEMP TABLE kept_rows AS SELECT * FROM temp.%s; DROP VIEW temp.%s;"
      "CREATE TEMP TABLE %s AS SELECT * FROM kept_rows; DROP TABLE kept_rows;"
      "CREATE INDEX temp.kept_%s ON %s (%s)",
      view, view, view, view, view, index);
  return connection_execute(&reader->connection, sql, error);
}

status_t store_reader_ask_for(store_reader_t *reader, const int64_t *ids, size_t count,
                              failure_t *error) {
  g_autoptr(GString) sql = g_string_new(
      "DROP VIEW temp.asked_for; CREATE TEMP TABLE asked_for AS SELECT * FROM divergence"
      " WHERE divergence_id IN (SELECT other.divergence_id FROM divergence AS one"
      " JOIN executor AS its ON its.executor_id = one.executor_id"
      " JOIN executor AS sibling ON sibling.name = its.name"
      " JOIN divergence AS other ON other.executor_id = sibling.executor_id"
      " AND other.signature = one.signature WHERE one.divergence_id IN (");
  for (size_t i = 0; i < count; i++) {
    g_string_append_printf(sql, "%s%" G_GINT64_FORMAT, i == 0 ? "" : ",", ids[i]);
  }
  g_string_append(sql, "))");
  return connection_execute(&reader->connection, sql->str, error);
}

static bool is_stopped(const store_reader_t *reader) {
  return reader->limit.stop != NULL && *reader->limit.stop != 0;
}

static bool is_late(const store_reader_t *reader) {
  double seconds = (double)(g_get_monotonic_time() - reader->begin_us) / G_USEC_PER_SEC;
  return reader->limit.seconds > 0 && seconds > reader->limit.seconds;
}

/* SQLite calls it now and then; what is not 0 makes it give up. */
static int look_at_limit(void *context) {
  const store_reader_t *reader = context;
  return is_stopped(reader) || is_late(reader);
}

void store_reader_limit(store_reader_t *reader, const store_limit_t *limit) {
  enum {
    INSTRUCTIONS = 10000
  }; /* Of SQLite's machine, between two looks: less than a millisecond. */
  reader->limit = *limit;
  sqlite3_progress_handler(reader->connection.database, INSTRUCTIONS, look_at_limit, reader);
}

static status_t ask(store_reader_t *reader, const char *sql, query_numbers_t numbers,
                    store_row_t row, void *context, failure_t *error) {
  reader->begin_us = g_get_monotonic_time();
  status_t status = store_query_on(&reader->connection, sql, numbers, row, context, error);
  if (status == STATUS_OK || sqlite3_errcode(reader->connection.database) != SQLITE_INTERRUPT) {
    return status;
  }
  if (is_stopped(reader)) return status_fail(error, STATUS_INVALID, "query: interrupted");
  return status_fail(error, STATUS_INVALID,
                     "query: no answer after %g s; make it cheaper, or give it more time with "
                     "--timeout TIME",
                     reader->limit.seconds);
}

status_t store_reader_query(store_reader_t *reader, const char *sql, store_row_t row, void *context,
                            failure_t *error) {
  return ask(reader, sql, QUERY_NUMBERS_AND_TEXTS, row, context, error);
}

status_t store_reader_scan(store_reader_t *reader, const char *sql, store_row_t row, void *context,
                           failure_t *error) {
  return ask(reader, sql, QUERY_NUMBERS_ALONE, row, context, error);
}

void store_reader_close(store_reader_t *reader) {
  if (reader == NULL) return;
  connection_close(&reader->connection);
  g_free(reader);
}
