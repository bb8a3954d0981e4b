/* SPDX-License-Identifier: Apache-2.0 */
/* Prepares, binds and runs the statements that write; those of findings are used in
 * store/write_finding.c. */
#include "harness/store/write.h"

#include <string.h>

#include "harness/base/hash.h"
#include "harness/base/machine.h"
#include "harness/store/rows/row_sql.h"

/* Braces stand for columns of columns.def (row_append_sql()).  RETURNING gives the id of the row
 * whether it was new or not: an upsert that changes nothing still returns its row.  One that is
 * NULL is made in row_sql.c. */
static const char *const SQL[STATEMENT_COUNT] = {
    [STATEMENT_CONTRACT] =
        "INSERT INTO contract (permissions) VALUES (:contract) ON CONFLICT DO NOTHING",
    [STATEMENT_RUN] =
        "INSERT INTO run ({run FIRST}, contract_id, started, uuid, host, processor, architecture, "
        "processors) VALUES ({run FIRST: :$}, "
        "(SELECT contract_id FROM contract WHERE permissions = :contract), :now, "
        "lower(hex(randomblob(16))), :host, :processor, :architecture, :processors) "
        "RETURNING run_id",
    [STATEMENT_RUN_TIMES] = "UPDATE run SET {run_times MAX: $ = :$} WHERE run_id = :run_id",
    [STATEMENT_RUN_END] =
        "UPDATE run SET ended = :now, exit_code = :exit_code WHERE run_id = :run_id",
    [STATEMENT_EXECUTOR] =
        "INSERT INTO executor ({executor KEY}) VALUES ({executor KEY: :$}) "
        "ON CONFLICT DO UPDATE SET name = name RETURNING executor_id",
    [STATEMENT_PROGRAM] =
        "INSERT INTO program (hash, line) VALUES (:hash, :line) "
        "ON CONFLICT DO UPDATE SET hash = hash RETURNING program_id",
    /* The finding has the features of its first case: which one is the worst so far depends on when
     * this is called. */
    [STATEMENT_DIVERGENCE] =
        "INSERT INTO divergence ({divergence FINDING}, executor_id, sightings, first_seen, "
        "last_seen, first_run_id, last_run_id) "
        "VALUES ({divergence FINDING: :$}, :executor_id, :sightings, :first_seen, :last_seen, "
        ":run_id, :run_id) "
        "ON CONFLICT DO UPDATE SET sightings = sightings + excluded.sightings, "
        "last_seen = max(last_seen, excluded.last_seen), last_run_id = excluded.last_run_id, "
        "cause = CASE cause WHEN '' THEN excluded.cause ELSE cause END "
        "RETURNING divergence_id",
    [STATEMENT_SIGHTING] =
        "INSERT INTO sighting VALUES (:divergence_id, :run_id, :sightings, :first_seen, "
        ":last_seen) "
        "ON CONFLICT DO UPDATE SET cases = cases + excluded.cases, "
        "last_seen = max(last_seen, excluded.last_seen)",
    [STATEMENT_DIVERGENCE_ID] =
        "SELECT coalesce(max(divergence_id), 0) FROM divergence "
        "WHERE executor_id = :executor_id AND signature = :signature",
    [STATEMENT_EXPLAIN] =
        "UPDATE divergence SET cause = :cause "
        "WHERE executor_id = :executor_id AND signature = :signature AND cause = ''",
    [STATEMENT_EXPLAIN_CASE] =
        "UPDATE reproducer SET cause_words = :cause_words WHERE case_line = :case_line AND "
        "divergence_id = (SELECT divergence_id FROM divergence "
        "WHERE executor_id = :executor_id AND signature = :signature)",
    /* The text of the latest sighting is kept: it belongs to the program beside it. */
    [STATEMENT_PROFILE] =
        "INSERT INTO profile ({profile KEY}, {profile FIRST}, {profile LAST}, executor_id, "
        "program_id, hash, sightings, first_seen, last_seen) "
        "VALUES ({profile KEY: :$}, {profile FIRST: :$}, {profile LAST: :$}, :executor_id, "
        ":program_id, :hash, 1, :now, :now) "
        "ON CONFLICT DO UPDATE SET sightings = sightings + 1, program_id = excluded.program_id, "
        "{profile LAST: $ = excluded.$}, last_seen = max(last_seen, excluded.last_seen) "
        "RETURNING profile_id",
    [STATEMENT_PROFILE_SIGHTING] =
        "INSERT INTO profile_sighting "
        "VALUES (:profile_id, (SELECT value FROM meta WHERE key = 'database'), 1) "
        "ON CONFLICT DO UPDATE SET sightings = sightings + 1 "
        "RETURNING (SELECT sightings FROM profile WHERE profile_id = :profile_id)",
    [STATEMENT_WAIVER] =
        "INSERT INTO waiver ({waiver KEY}, {waiver LAST}, created, withdrawn) "
        "VALUES ({waiver KEY: :$}, {waiver LAST: :$}, :now, NULL) "
        "ON CONFLICT DO UPDATE SET {waiver LAST: $ = excluded.$}, withdrawn = NULL",
    /* All of them, or an older one would hold again. */
    [STATEMENT_WITHDRAW] =
        "UPDATE waiver SET withdrawn = :now "
        "WHERE executor = :executor AND signature = :signature AND withdrawn IS NULL",
    [STATEMENT_RETEST] =
        "INSERT OR REPLACE INTO retest ({retest KEY}, {retest LAST}, executor_id, run_id, tested) "
        "VALUES ({retest KEY: :$}, {retest LAST: :$}, :executor_id, :run_id, :now)",
    [STATEMENT_BITS_CASE] =
        "INSERT INTO bits_case ({bits FIRST}, case_hash) VALUES ({bits FIRST: :$}, :case_hash) "
        "ON CONFLICT DO NOTHING",
    [STATEMENT_BITS] =
        "INSERT INTO result_bits ({bits LAST}, executor_id, case_hash, run_id, changes, "
        "first_seen, last_seen) "
        "VALUES ({bits LAST: :$}, :executor_id, :case_hash, :run_id, 0, :now, :now) "
        "ON CONFLICT DO UPDATE SET changes = changes + (bits <> excluded.bits), "
        "{bits LAST: $ = excluded.$}, run_id = excluded.run_id, last_seen = excluded.last_seen",
};

static void append_statement(statement_id_t id, GString *out_sql) {
  if (id == STATEMENT_REPRODUCER) return row_append_offer(out_sql);
  row_append_sql(SQL[id], out_sql);
}

static status_t prepare(writer_t *writer, failure_t *error) {
  g_autoptr(GString) sql = g_string_new(NULL);
  for (statement_id_t id = 0; id < STATEMENT_COUNT; id++) {
    g_string_truncate(sql, 0);
    append_statement(id, sql);
    STATUS_TRY(connection_prepare(writer->connection, sql->str, &writer->statements[id], error));
  }
  for (row_kind_t kind = 0; kind < ROW_COUNT; kind++) {
    if (!row_is_count(kind) && kind != ROW_constraint_text) continue;
    g_string_truncate(sql, 0);
    row_append_upsert(kind, sql);
    STATUS_TRY(connection_prepare(writer->connection, sql->str, &writer->upserts[kind], error));
  }
  return STATUS_OK;
}

status_t writer_init(writer_t *writer, connection_t *connection, failure_t *error) {
  *writer = (writer_t){.connection = connection};
  status_t status = prepare(writer, error);
  if (status != STATUS_OK) writer_deinit(writer);
  return status;
}

void writer_deinit(writer_t *writer) {
  for (int i = 0; i < STATEMENT_COUNT; i++) sqlite3_finalize(writer->statements[i]);
  for (int i = 0; i < ROW_COUNT; i++) sqlite3_finalize(writer->upserts[i]);
  *writer = (writer_t){.connection = NULL};
}

sqlite3_stmt *writer_bind(writer_t *writer, statement_id_t id, row_kind_t kind, const void *row) {
  sqlite3_stmt *statement = writer->statements[id];
  row_bind(kind, row, statement);
  if (connection_has_parameter(statement, ":now")) {
    connection_bind_time(statement, ":now", writer->now);
  }
  return statement;
}

status_t writer_run(writer_t *writer, statement_id_t id, int64_t *out_id, failure_t *error) {
  return connection_run(writer->connection, writer->statements[id], out_id, error);
}

status_t writer_write(writer_t *writer, statement_id_t id, row_kind_t kind, const void *row,
                      int64_t *out_id, failure_t *error) {
  writer_bind(writer, id, kind, row);
  return writer_run(writer, id, out_id, error);
}

static status_t upsert(writer_t *writer, row_kind_t kind, const void *row, failure_t *error) {
  row_bind(kind, row, writer->upserts[kind]);
  return connection_run(writer->connection, writer->upserts[kind], NULL, error);
}

/* Ends the transaction that connection_begin() began. */
static status_t finish(const writer_t *writer, status_t status, failure_t *error) {
  if (status == STATUS_OK) status = connection_commit(writer->connection, error);
  if (status != STATUS_OK) connection_roll_back(writer->connection);
  return status;
}

static status_t insert_run(writer_t *writer, const store_run_t *run, int64_t *out_run_id,
                           failure_t *error) {
  STATUS_TRY(writer_write(writer, STATEMENT_CONTRACT, ROW_run, run, NULL, error));
  sqlite3_stmt *statement = writer_bind(writer, STATEMENT_RUN, ROW_run, run);
  connection_bind_text(statement, ":host", g_get_host_name());
  machine_t machine = machine_of();
  connection_bind_text(statement, ":processor", machine.processor);
  connection_bind_text(statement, ":architecture", machine.architecture);
  connection_bind_integer(statement, ":processors", g_get_num_processors());
  return writer_run(writer, STATEMENT_RUN, out_run_id, error);
}

status_t writer_add_run(writer_t *writer, const store_run_t *run, int64_t *out_run_id,
                        failure_t *error) {
  int64_t run_id = 0;
  STATUS_TRY(connection_begin(writer->connection, error));
  STATUS_TRY(finish(writer, insert_run(writer, run, &run_id, error), error));
  *out_run_id = run_id;
  return STATUS_OK;
}

status_t writer_end_run(writer_t *writer, int64_t run_id, int exit_code, failure_t *error) {
  const store_run_times_t run = {.run_id = run_id};
  sqlite3_stmt *statement = writer_bind(writer, STATEMENT_RUN_END, ROW_run_times, &run);
  connection_bind_integer(statement, ":exit_code", exit_code);
  return writer_run(writer, STATEMENT_RUN_END, NULL, error);
}

static status_t upsert_texts(writer_t *writer, const store_constraint_text_t *texts, size_t count,
                             failure_t *error) {
  for (size_t i = 0; i < count; i++) {
    STATUS_TRY(upsert(writer, ROW_constraint_text, &texts[i], error));
  }
  return STATUS_OK;
}

status_t writer_describe_constraints(writer_t *writer, const store_constraint_text_t *texts,
                                     size_t count, failure_t *error) {
  STATUS_TRY(connection_begin(writer->connection, error));
  return finish(writer, upsert_texts(writer, texts, count, error), error);
}

static status_t insert_profile(writer_t *writer, const store_profile_t *profile,
                               int64_t *out_occurrences, failure_t *error) {
  int64_t program_id = 0;
  int64_t profile_id = 0;
  STATUS_TRY(writer_add_program(writer, profile->program_line, &program_id, error));
  const char *content = profile->rule[0] == '\0' ? profile->text : profile->rule;
  hash_text_t hash = hash_of(content, strlen(content));
  sqlite3_stmt *statement = writer_bind(writer, STATEMENT_PROFILE, ROW_profile, profile);
  connection_bind_integer(statement, ":program_id", program_id);
  connection_bind_text(statement, ":hash", hash.text);
  STATUS_TRY(writer_run(writer, STATEMENT_PROFILE, &profile_id, error));
  statement = writer->statements[STATEMENT_PROFILE_SIGHTING];
  connection_bind_integer(statement, ":profile_id", profile_id);
  return writer_run(writer, STATEMENT_PROFILE_SIGHTING, out_occurrences, error);
}

status_t writer_add_profile(writer_t *writer, const store_profile_t *profile,
                            int64_t *out_occurrences, failure_t *error) {
  STATUS_TRY(connection_begin(writer->connection, error));
  return finish(writer, insert_profile(writer, profile, out_occurrences, error), error);
}

static status_t add_bits(writer_t *writer, const store_bits_t *row, failure_t *error) {
  hash_text_t hash = hash_of(row->case_line, strlen(row->case_line));
  static const statement_id_t ids[] = {STATEMENT_BITS_CASE, STATEMENT_BITS};
  for (size_t i = 0; i < G_N_ELEMENTS(ids); i++) {
    sqlite3_stmt *statement = writer_bind(writer, ids[i], ROW_bits, row);
    connection_bind_text(statement, ":case_hash", hash.text);
    STATUS_TRY(writer_run(writer, ids[i], NULL, error));
  }
  return STATUS_OK;
}

static status_t add_row(writer_t *writer, const pending_row_t *pending, failure_t *error) {
  switch (pending->kind) {
    case ROW_divergence:
      return writer_add_shrunk(writer, pending->row, error);
    case ROW_bits:
      return add_bits(writer, pending->row, error);
    case ROW_retest:
      return writer_write(writer, STATEMENT_RETEST, ROW_retest, pending->row, NULL, error);
    case ROW_run_times:
      return writer_write(writer, STATEMENT_RUN_TIMES, ROW_run_times, pending->row, NULL, error);
    default:
      return upsert(writer, pending->kind, pending->row, error);
  }
}

/* The body of the transaction.  Shrunk cases are of findings that come before them. */
static status_t add_all(writer_t *writer, const pending_t *pending, failure_t *error) {
  for (guint i = 0; i < pending->divergences->len; i++) {
    STATUS_TRY(writer_add_finding(writer, g_ptr_array_index(pending->divergences, i), error));
  }
  for (guint i = 0; i < pending->rows->len; i++) {
    STATUS_TRY(add_row(writer, &g_array_index(pending->rows, pending_row_t, i), error));
  }
  return STATUS_OK;
}

status_t writer_add_pending(writer_t *writer, const pending_t *pending, failure_t *error) {
  if (pending_is_empty(pending)) return STATUS_OK;
  STATUS_TRY(connection_begin(writer->connection, error));
  return finish(writer, add_all(writer, pending, error), error);
}
