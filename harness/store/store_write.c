#include "harness/store/store_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/hash.h"

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
        "INSERT INTO run (command, seed, contract_id, assay_version, started) "
        "VALUES (:command, :seed, :contract_id, :assay_version, :started) "
        "RETURNING run_id",
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
        "broken_constraint, sightings, first_seen, last_seen, first_run_id, last_run_id) "
        "VALUES (:executor_id, :signature, :op, :algorithm, :types, :outcome, :class, "
        ":broken_constraint, :sightings, :first_seen, :last_seen, :first_run_id, :last_run_id) "
        "ON CONFLICT DO UPDATE SET sightings = sightings + excluded.sightings, "
        "last_seen = max(last_seen, excluded.last_seen), last_run_id = excluded.last_run_id "
        "RETURNING divergence_id",
    [STATEMENT_DIVERGENCE_KNOWN] =
        "SELECT count(*) FROM divergence "
        "WHERE executor_id = :executor_id AND signature = :signature",
    [STATEMENT_REPRODUCER] =
        "INSERT OR REPLACE INTO reproducer "
        "SELECT :divergence_id, :role, :program_id, :run_id, :case_line, :case_seed, :regime, "
        ":implementation, :result, :component, :wrong_count, :component_count, :got_bits, :got, "
        ":expected, :observed, :reason, :ulp_error, :slack, :backward_error "
        "WHERE NOT EXISTS (SELECT 1 FROM reproducer "
        "WHERE divergence_id = :divergence_id AND role = :role AND CASE role "
        "WHEN 'worst' THEN (coalesce(slack, -1), coalesce(ulp_error, -1)) >= "
        "(coalesce(:slack, -1), coalesce(:ulp_error, -1)) "
        "ELSE length(case_line) <= length(:case_line) END)",
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

/* Runs a statement whose parameters are bound; see connection_run(). */
static status_t run_statement(writer_t *writer, statement_id_t id, int64_t *out_id,
                              failure_t *error) {
  return connection_run(writer->connection, writer->statements[id], out_id, error);
}

/* A 64-bit seed as the decimal text that is stored. */
typedef struct seed_text {
  char text[24];
} seed_text_t;

static seed_text_t print_seed(uint64_t seed) {
  seed_text_t printed;
  snprintf(printed.text, sizeof printed.text, "%" PRIu64, seed);
  return printed;
}

static status_t insert_run(writer_t *writer, const store_run_t *run, int64_t now,
                           int64_t *out_run_id, failure_t *error) {
  int64_t contract_id = 0;
  sqlite3_stmt *contract = writer->statements[STATEMENT_CONTRACT];
  connection_bind_text(contract, ":permissions", run->contract);
  STATUS_TRY(run_statement(writer, STATEMENT_CONTRACT, &contract_id, error));

  g_autofree char *started = writer_print_time(now);
  seed_text_t seed = print_seed(run->seed);
  sqlite3_stmt *statement = writer->statements[STATEMENT_RUN];
  connection_bind_text(statement, ":command", run->command);
  connection_bind_text(statement, ":seed", seed.text);
  connection_bind_integer(statement, ":contract_id", contract_id);
  connection_bind_text(statement, ":assay_version", run->assay_version);
  connection_bind_text(statement, ":started", started);
  return run_statement(writer, STATEMENT_RUN, out_run_id, error);
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
  return run_statement(writer, STATEMENT_RUN_END, NULL, error);
}

status_t writer_add_executor(writer_t *writer, const store_executor_t *executor,
                             int64_t *out_executor_id, failure_t *error) {
  sqlite3_stmt *statement = writer->statements[STATEMENT_EXECUTOR];
  connection_bind_text(statement, ":name", executor->name);
  connection_bind_text(statement, ":version", executor->version);
  connection_bind_text(statement, ":hardware", executor->hardware);
  return run_statement(writer, STATEMENT_EXECUTOR, out_executor_id, error);
}

status_t writer_find_divergence(writer_t *writer, int64_t executor_id, const char *signature,
                                bool *out_known, failure_t *error) {
  int64_t count = 0;
  sqlite3_stmt *statement = writer->statements[STATEMENT_DIVERGENCE_KNOWN];
  connection_bind_integer(statement, ":executor_id", executor_id);
  connection_bind_text(statement, ":signature", signature);
  STATUS_TRY(run_statement(writer, STATEMENT_DIVERGENCE_KNOWN, &count, error));
  *out_known = count != 0;
  return STATUS_OK;
}

static status_t add_counter(writer_t *writer, const store_counter_t *counter, failure_t *error) {
  sqlite3_stmt *statement = writer->statements[STATEMENT_COUNTER];
  connection_bind_integer(statement, ":run_id", counter->run_id);
  connection_bind_integer(statement, ":executor_id", counter->executor_id);
  connection_bind_text(statement, ":op", counter->op);
  connection_bind_text(statement, ":algorithm", counter->algorithm);
  connection_bind_text(statement, ":types", counter->types);
  connection_bind_text(statement, ":outcome", counter->outcome);
  connection_bind_text(statement, ":class", counter->class_);
  connection_bind_text(statement, ":implementation", counter->implementation);
  connection_bind_integer(statement, ":cases", (int64_t)counter->cases);
  connection_bind_real(statement, ":ulp_error_max", counter->ulp_error_max);
  connection_bind_real(statement, ":slack_max", counter->slack_max);
  connection_bind_real(statement, ":backward_error_max", counter->backward_error_max);
  return run_statement(writer, STATEMENT_COUNTER, NULL, error);
}

static status_t add_pair(writer_t *writer, const store_pair_t *pair, failure_t *error) {
  sqlite3_stmt *statement = writer->statements[STATEMENT_PAIR];
  connection_bind_integer(statement, ":run_id", pair->run_id);
  connection_bind_integer(statement, ":first_executor_id", pair->first_executor_id);
  connection_bind_integer(statement, ":second_executor_id", pair->second_executor_id);
  connection_bind_text(statement, ":op", pair->op);
  connection_bind_text(statement, ":algorithm", pair->algorithm);
  connection_bind_text(statement, ":types", pair->types);
  connection_bind_integer(statement, ":cases", (int64_t)pair->cases);
  connection_bind_integer(statement, ":alike_wrong", (int64_t)pair->alike_wrong);
  connection_bind_integer(statement, ":different", (int64_t)pair->different);
  connection_bind_integer(statement, ":both_conform", (int64_t)pair->both_conform);
  connection_bind_integer(statement, ":first_diverges", (int64_t)pair->first_diverges);
  connection_bind_integer(statement, ":second_diverges", (int64_t)pair->second_diverges);
  connection_bind_integer(statement, ":both_diverge", (int64_t)pair->both_diverge);
  connection_bind_integer(statement, ":undecided", (int64_t)pair->undecided);
  return run_statement(writer, STATEMENT_PAIR, NULL, error);
}

static status_t add_observation(writer_t *writer, const store_observation_t *observation,
                                failure_t *error) {
  sqlite3_stmt *statement = writer->statements[STATEMENT_OBSERVATION];
  connection_bind_integer(statement, ":run_id", observation->run_id);
  connection_bind_integer(statement, ":executor_id", observation->executor_id);
  connection_bind_text(statement, ":op", observation->op);
  connection_bind_text(statement, ":algorithm", observation->algorithm);
  connection_bind_text(statement, ":types", observation->types);
  connection_bind_text(statement, ":observed", observation->observed);
  connection_bind_integer(statement, ":cases", (int64_t)observation->cases);
  connection_bind_text(statement, ":kind", observation->kind);
  return run_statement(writer, STATEMENT_OBSERVATION, NULL, error);
}

static status_t add_program(writer_t *writer, const char *line, int64_t *out_program_id,
                            failure_t *error) {
  hash_text_t hash = hash_of(line, strlen(line));
  sqlite3_stmt *statement = writer->statements[STATEMENT_PROGRAM];
  connection_bind_text(statement, ":hash", hash.text);
  connection_bind_text(statement, ":line", line);
  return run_statement(writer, STATEMENT_PROGRAM, out_program_id, error);
}

/* Offers a case as the reproducer in a role; the statement keeps the better one. */
static status_t offer_reproducer(writer_t *writer, int64_t divergence_id, const char *role,
                                 const store_divergence_t *divergence, failure_t *error) {
  int64_t program_id = 0;
  STATUS_TRY(add_program(writer, divergence->program_line, &program_id, error));
  seed_text_t case_seed = print_seed(divergence->case_seed);
  sqlite3_stmt *statement = writer->statements[STATEMENT_REPRODUCER];
  connection_bind_integer(statement, ":divergence_id", divergence_id);
  connection_bind_text(statement, ":role", role);
  connection_bind_integer(statement, ":program_id", program_id);
  connection_bind_integer(statement, ":run_id", divergence->run_id);
  connection_bind_text(statement, ":case_line", divergence->case_line);
  connection_bind_text(statement, ":case_seed", case_seed.text);
  connection_bind_text(statement, ":regime", divergence->regime);
  connection_bind_text(statement, ":implementation", divergence->implementation);
  connection_bind_integer(statement, ":result", (int64_t)divergence->result);
  connection_bind_integer(statement, ":component", (int64_t)divergence->component);
  connection_bind_integer(statement, ":wrong_count", (int64_t)divergence->wrong_count);
  connection_bind_integer(statement, ":component_count", (int64_t)divergence->component_count);
  connection_bind_text(statement, ":got_bits", divergence->got_bits);
  connection_bind_text(statement, ":got", divergence->got);
  connection_bind_text(statement, ":expected", divergence->expected);
  connection_bind_text(statement, ":observed", divergence->observed);
  connection_bind_text(statement, ":reason", divergence->reason);
  connection_bind_real(statement, ":ulp_error", divergence->ulp_error);
  connection_bind_real(statement, ":slack", divergence->slack);
  connection_bind_real(statement, ":backward_error", divergence->backward_error);
  return run_statement(writer, STATEMENT_REPRODUCER, NULL, error);
}

static status_t add_divergence(writer_t *writer, const pending_divergence_t *pending,
                               failure_t *error) {
  int64_t divergence_id = 0;
  const store_divergence_t *features = &pending->worst;
  g_autofree char *first_seen = writer_print_time(pending->first_seen);
  g_autofree char *last_seen = writer_print_time(pending->last_seen);
  sqlite3_stmt *statement = writer->statements[STATEMENT_DIVERGENCE];
  connection_bind_integer(statement, ":executor_id", features->executor_id);
  connection_bind_text(statement, ":signature", features->signature);
  connection_bind_text(statement, ":op", features->op);
  connection_bind_text(statement, ":algorithm", features->algorithm);
  connection_bind_text(statement, ":types", features->types);
  connection_bind_text(statement, ":outcome", features->outcome);
  connection_bind_text(statement, ":class", features->class_);
  connection_bind_text(statement, ":broken_constraint", features->constraint);
  connection_bind_integer(statement, ":sightings", (int64_t)pending->sightings);
  connection_bind_text(statement, ":first_seen", first_seen);
  connection_bind_text(statement, ":last_seen", last_seen);
  connection_bind_integer(statement, ":first_run_id", pending->first_run_id);
  connection_bind_integer(statement, ":last_run_id", pending->last_run_id);
  STATUS_TRY(run_statement(writer, STATEMENT_DIVERGENCE, &divergence_id, error));
  STATUS_TRY(offer_reproducer(writer, divergence_id, "worst", &pending->worst, error));
  return offer_reproducer(writer, divergence_id, "shortest", &pending->shortest, error);
}

/* The body of the transaction. */
static status_t add_all(writer_t *writer, const pending_t *pending, failure_t *error) {
  for (guint i = 0; i < pending->divergences->len; i++) {
    STATUS_TRY(add_divergence(writer, g_ptr_array_index(pending->divergences, i), error));
  }
  GHashTableIter iterator;
  gpointer counter;
  g_hash_table_iter_init(&iterator, pending->counters);
  while (g_hash_table_iter_next(&iterator, NULL, &counter)) {
    STATUS_TRY(add_counter(writer, counter, error));
  }
  gpointer pair;
  g_hash_table_iter_init(&iterator, pending->pairs);
  while (g_hash_table_iter_next(&iterator, NULL, &pair)) {
    STATUS_TRY(add_pair(writer, pair, error));
  }
  gpointer observation;
  g_hash_table_iter_init(&iterator, pending->observations);
  while (g_hash_table_iter_next(&iterator, NULL, &observation)) {
    STATUS_TRY(add_observation(writer, observation, error));
  }
  return STATUS_OK;
}

status_t writer_add_pending(writer_t *writer, const pending_t *pending, failure_t *error) {
  if (pending->divergences->len == 0 && g_hash_table_size(pending->counters) == 0 &&
      g_hash_table_size(pending->pairs) == 0 && g_hash_table_size(pending->observations) == 0) {
    return STATUS_OK;
  }
  STATUS_TRY(connection_begin(writer->connection, error));
  status_t status = add_all(writer, pending, error);
  if (status == STATUS_OK) status = connection_commit(writer->connection, error);
  if (status != STATUS_OK) connection_roll_back(writer->connection);
  return status;
}
