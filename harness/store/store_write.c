#include "harness/store/store_write.h"

#include <inttypes.h>
#include <stdio.h>

/* In these, RETURNING gives the id of the row whether it was new or not: an upsert that changes
 * nothing still returns its row.  max(a, b) of SQLite is NULL if either is; hence the coalesce().
 */
#define MAX_MEASURE(column)                                \
  #column " = max(coalesce(" #column ", excluded." #column \
          "), "                                            \
          "coalesce(excluded." #column ", " #column "))"

static const char *const SQL[STATEMENT_COUNT] = {
    [STATEMENT_CONTRACT] =
        "INSERT INTO contract (permissions) VALUES (:permissions) "
        "ON CONFLICT DO UPDATE SET permissions = permissions "
        "RETURNING contract_id",
    [STATEMENT_RUN] =
        "INSERT INTO run (command, seed, contract_id, assay_version, started, uuid, campaign, "
        "host, part_of) "
        "VALUES (:command, :seed, :contract_id, :assay_version, :started, "
        "lower(hex(randomblob(16))), :campaign, :host, :part_of) "
        "RETURNING run_id",
    [STATEMENT_RUN_TIMES] =
        "UPDATE run SET seconds = :seconds, oracle_seconds = :oracle, "
        "compile_seconds = :compile, executor_seconds = :executor, judge_seconds = :judge "
        "WHERE run_id = :run_id",
    [STATEMENT_RUN_END] =
        "UPDATE run SET ended = :ended, exit_code = :exit_code "
        "WHERE run_id = :run_id",
    [STATEMENT_EXECUTOR] =
        "INSERT INTO executor (name, version, hardware) "
        "VALUES (:name, :version, :hardware) "
        "ON CONFLICT DO UPDATE SET name = name RETURNING executor_id",
    [STATEMENT_PROGRAM] =
        "INSERT INTO program (hash, line) VALUES (:hash, :line) "
        "ON CONFLICT DO UPDATE SET hash = hash RETURNING program_id",
    [STATEMENT_COUNTER] =
        "INSERT INTO counter VALUES (:run_id, :executor_id, :op, :algorithm, :types, :outcome, "
        ":class, :implementation, :cases, :ulp_error_max, :slack_max, :backward_error_max) "
        "ON CONFLICT DO UPDATE SET cases = cases + excluded.cases, "  //
    MAX_MEASURE(ulp_error_max) ", " MAX_MEASURE(slack_max) ", "       //
    MAX_MEASURE(backward_error_max),
    [STATEMENT_PAIR] =
        "INSERT INTO pair VALUES (:run_id, :first_executor_id, :second_executor_id, :op, "
        ":algorithm, :types, :cases, :alike_wrong, :different, :both_conform, :first_diverges, "
        ":second_diverges, :both_diverge, :undecided) "
        "ON CONFLICT DO UPDATE SET cases = cases + excluded.cases, "
        "alike_wrong = alike_wrong + excluded.alike_wrong, "
        "different = different + excluded.different, "
        "both_conform = both_conform + excluded.both_conform, "
        "first_diverges = first_diverges + excluded.first_diverges, "
        "second_diverges = second_diverges + excluded.second_diverges, "
        "both_diverge = both_diverge + excluded.both_diverge, "
        "undecided = undecided + excluded.undecided",
    [STATEMENT_OBSERVATION] =
        "INSERT INTO observation VALUES (:run_id, :executor_id, :op, :algorithm, :types, "
        ":observed, :cases, :kind) "
        "ON CONFLICT DO UPDATE SET cases = cases + excluded.cases",
    [STATEMENT_DIVERGENCE] =
        "INSERT INTO divergence (executor_id, signature, op, algorithm, types, outcome, class, "
        "broken_constraint, sightings, first_seen, last_seen, first_run_id, last_run_id, cause, "
        "pattern) "
        "VALUES (:executor_id, :signature, :op, :algorithm, :types, :outcome, :class, "
        ":broken_constraint, :sightings, :first_seen, :last_seen, :run_id, :run_id, :cause, "
        ":pattern) "
        "ON CONFLICT DO UPDATE SET sightings = sightings + excluded.sightings, "
        "last_seen = max(last_seen, excluded.last_seen), last_run_id = excluded.last_run_id "
        "RETURNING divergence_id",
    [STATEMENT_SIGHTING] =
        "INSERT INTO sighting VALUES (:divergence_id, :run_id, :cases, :first_seen, :last_seen) "
        "ON CONFLICT DO UPDATE SET cases = cases + excluded.cases, "
        "last_seen = max(last_seen, excluded.last_seen)",
    [STATEMENT_DIVERGENCE_ID] =
        "SELECT coalesce(max(divergence_id), 0) FROM divergence "
        "WHERE executor_id = :executor_id AND signature = :signature",
    [STATEMENT_REPRODUCER] =
        "INSERT OR REPLACE INTO reproducer "
        "SELECT :divergence_id, :role, :program_id, :run_id, :case_line, :case_seed, :regime, "
        ":implementation, :result, :component, :wrong_count, :component_count, :got_bits, :got, "
        ":expected, :observed, :reason, :ulp_error, :slack, :backward_error, :cause_words "
        "WHERE NOT EXISTS (SELECT 1 FROM reproducer "
        "WHERE divergence_id = :divergence_id AND role = :role AND CASE role "
        "WHEN 'worst' THEN (coalesce(slack, -1), coalesce(ulp_error, -1)) >= "
        "(coalesce(:slack, -1), coalesce(:ulp_error, -1)) "
        "ELSE length(case_line) <= length(:case_line) END)",
    [STATEMENT_HISTOGRAM] =
        "INSERT INTO histogram VALUES (:run_id, :executor_id, :op, :algorithm, :types, :outcome, "
        ":measure, :bucket, :low, :high, :cases) "
        "ON CONFLICT DO UPDATE SET cases = cases + excluded.cases",
    [STATEMENT_CONSTRAINT] =
        "INSERT INTO constraint_counter VALUES (:run_id, :executor_id, :op, :broken_constraint, "
        ":outcome, :cases) "
        "ON CONFLICT DO UPDATE SET cases = cases + excluded.cases",
    [STATEMENT_CONSTRAINT_TEXT] =
        "INSERT INTO op_constraint VALUES (:op, :broken_constraint, :text) "
        "ON CONFLICT DO UPDATE SET text = excluded.text WHERE text <> excluded.text",
};

status_t writer_init(writer_t *writer, connection_t *connection, failure_t *error) {
  *writer = (writer_t){.connection = connection};
  for (int i = 0; i < STATEMENT_COUNT; i++) {
    status_t status = connection_prepare(connection, SQL[i], &writer->statements[i], error);
    if (status == STATUS_OK) continue;
    writer_deinit(writer);
    return status;
  }
  return STATUS_OK;
}

void writer_deinit(writer_t *writer) {
  for (int i = 0; i < STATEMENT_COUNT; i++) {
    sqlite3_finalize(writer->statements[i]);
    writer->statements[i] = NULL;
  }
}

char *writer_print_time(int64_t seconds_since_1970) {
  g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(seconds_since_1970);
  return g_date_time_format(time, "%Y-%m-%dT%H:%M:%SZ");
}

status_t writer_run(writer_t *writer, statement_id_t id, int64_t *out_id, failure_t *error) {
  return connection_run(writer->connection, writer->statements[id], out_id, error);
}

writer_seed_t writer_print_seed(uint64_t seed) {
  writer_seed_t printed;
  snprintf(printed.text, sizeof printed.text, "%" PRIu64, seed);
  return printed;
}

static status_t insert_run(writer_t *writer, const store_run_t *run, int64_t now,
                           int64_t *out_run_id, failure_t *error) {
  int64_t contract_id = 0;
  sqlite3_stmt *contract = writer->statements[STATEMENT_CONTRACT];
  connection_bind_text(contract, ":permissions", run->contract);
  STATUS_TRY(writer_run(writer, STATEMENT_CONTRACT, &contract_id, error));

  g_autofree char *started = writer_print_time(now);
  writer_seed_t seed = writer_print_seed(run->seed);
  sqlite3_stmt *statement = writer->statements[STATEMENT_RUN];
  connection_bind_text(statement, ":command", run->command);
  connection_bind_text(statement, ":seed", seed.text);
  connection_bind_integer(statement, ":contract_id", contract_id);
  connection_bind_text(statement, ":assay_version", run->assay_version);
  connection_bind_text(statement, ":started", started);
  connection_bind_text(statement, ":campaign", run->campaign == NULL ? "" : run->campaign);
  connection_bind_text(statement, ":host", g_get_host_name());
  connection_bind_text(statement, ":part_of", run->part_of == NULL ? "" : run->part_of);
  return writer_run(writer, STATEMENT_RUN, out_run_id, error);
}

status_t writer_add_run(writer_t *writer, const store_run_t *run, int64_t now, int64_t *out_run_id,
                        failure_t *error) {
  int64_t run_id = 0;
  STATUS_TRY(connection_begin(writer->connection, error));
  status_t status = insert_run(writer, run, now, &run_id, error);
  if (status == STATUS_OK) status = connection_commit(writer->connection, error);
  if (status != STATUS_OK) connection_roll_back(writer->connection);
  if (status == STATUS_OK) *out_run_id = run_id;
  return status;
}

status_t writer_end_run(writer_t *writer, int64_t run_id, int exit_code, int64_t now,
                        failure_t *error) {
  g_autofree char *ended = writer_print_time(now);
  sqlite3_stmt *statement = writer->statements[STATEMENT_RUN_END];
  connection_bind_text(statement, ":ended", ended);
  connection_bind_integer(statement, ":exit_code", exit_code);
  connection_bind_integer(statement, ":run_id", run_id);
  return writer_run(writer, STATEMENT_RUN_END, NULL, error);
}

status_t writer_add_executor(writer_t *writer, const store_executor_t *executor,
                             int64_t *out_executor_id, failure_t *error) {
  sqlite3_stmt *statement = writer->statements[STATEMENT_EXECUTOR];
  connection_bind_text(statement, ":name", executor->name);
  connection_bind_text(statement, ":version", executor->version);
  connection_bind_text(statement, ":hardware", executor->hardware);
  return writer_run(writer, STATEMENT_EXECUTOR, out_executor_id, error);
}

/* The body of the transaction.  Shrunk cases are of findings that come before them. */
static status_t add_all(writer_t *writer, const pending_t *pending, failure_t *error) {
  for (guint i = 0; i < pending->divergences->len; i++) {
    STATUS_TRY(writer_add_finding(writer, g_ptr_array_index(pending->divergences, i), error));
  }
  for (guint i = 0; i < pending->shrunk->len; i++) {
    STATUS_TRY(writer_add_shrunk(writer, g_ptr_array_index(pending->shrunk, i), error));
  }
  return writer_add_counts(writer, pending, error);
}

status_t writer_add_pending(writer_t *writer, const pending_t *pending, failure_t *error) {
  if (pending_is_empty(pending)) return STATUS_OK;
  STATUS_TRY(connection_begin(writer->connection, error));
  status_t status = add_all(writer, pending, error);
  if (status == STATUS_OK) status = connection_commit(writer->connection, error);
  if (status != STATUS_OK) connection_roll_back(writer->connection);
  return status;
}
