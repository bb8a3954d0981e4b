#include "harness/store/store_life_write.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/hash.h"
#include "harness/store/store_write.h"

static const char WAIVER_SQL[] =
    "INSERT INTO waiver (executor, signature, created, reason, owner, expires, withdrawn) "
    "VALUES (:executor, :signature, :now, :reason, :owner, :expires, NULL) "
    "ON CONFLICT DO UPDATE SET reason = excluded.reason, owner = excluded.owner, "
    "expires = excluded.expires, withdrawn = NULL";

/* All of them, or an older one would hold again. */
static const char WITHDRAW_SQL[] =
    "UPDATE waiver SET withdrawn = :now "
    "WHERE executor = :executor AND signature = :signature AND withdrawn IS NULL";

static const char RETEST_SQL[] =
    "INSERT INTO retest (executor_id, signature, run_id, tested, result, cases, executions, "
    "outcome, class, seen_signature, reason) "
    "VALUES (:executor_id, :signature, :run_id, :now, :result, :cases, :executions, :outcome, "
    ":class, :seen_signature, :reason) "
    "ON CONFLICT DO UPDATE SET tested = excluded.tested, result = excluded.result, "
    "cases = excluded.cases, executions = excluded.executions, outcome = excluded.outcome, "
    "class = excluded.class, seen_signature = excluded.seen_signature, reason = excluded.reason";

static const char CASE_SQL[] =
    "INSERT INTO bits_case (case_hash, op, algorithm, types, case_line) "
    "VALUES (:case_hash, :op, :algorithm, :types, :case_line) ON CONFLICT DO NOTHING";

static const char BITS_SQL[] =
    "INSERT INTO result_bits (executor_id, case_hash, run_id, bits, outcome, class, ulp_error, "
    "slack, changes, first_seen, last_seen) "
    "VALUES (:executor_id, :case_hash, :run_id, :bits, :outcome, :class, :ulp_error, :slack, 0, "
    ":now, :now) "
    "ON CONFLICT DO UPDATE SET changes = changes + (bits <> excluded.bits), bits = excluded.bits, "
    "run_id = excluded.run_id, outcome = excluded.outcome, class = excluded.class, "
    "ulp_error = excluded.ulp_error, slack = excluded.slack, last_seen = excluded.last_seen";

/* ---- What is pending ------------------------------------------------------------------------- */

void life_pending_init(life_pending_t *pending) {
  enum { CHUNK_BYTES = 4096 };
  pending->retests = g_array_new(FALSE, FALSE, sizeof(store_retest_t));
  pending->bits = g_array_new(FALSE, FALSE, sizeof(store_bits_t));
  pending->texts = g_string_chunk_new(CHUNK_BYTES);
}

void life_pending_deinit(life_pending_t *pending) {
  g_array_unref(pending->retests);
  g_array_unref(pending->bits);
  g_string_chunk_free(pending->texts);
}

static void keep(const life_pending_t *pending, const char **inout_text) {
  *inout_text = g_string_chunk_insert(pending->texts, *inout_text);
}

void life_pending_add_retest(life_pending_t *pending, const store_retest_t *retest) {
  store_retest_t copy = *retest;
  keep(pending, &copy.signature);
  keep(pending, &copy.result);
  keep(pending, &copy.outcome);
  keep(pending, &copy.class_);
  keep(pending, &copy.seen_signature);
  keep(pending, &copy.reason);
  g_array_append_val(pending->retests, copy);
}

void life_pending_add_bits(life_pending_t *pending, const store_bits_t *bits) {
  store_bits_t copy = *bits;
  keep(pending, &copy.op);
  keep(pending, &copy.algorithm);
  keep(pending, &copy.types);
  keep(pending, &copy.case_line);
  keep(pending, &copy.bits);
  keep(pending, &copy.outcome);
  keep(pending, &copy.class_);
  g_array_append_val(pending->bits, copy);
}

/* ---- Writing --------------------------------------------------------------------------------- */

typedef struct life_writer {
  const connection_t *connection;
  const char *now;
  sqlite3_stmt *retest;
  sqlite3_stmt *bits_case;
  sqlite3_stmt *bits;
} life_writer_t;

static status_t write_retest(const life_writer_t *writer, const store_retest_t *row,
                             failure_t *error) {
  sqlite3_stmt *statement = writer->retest;
  connection_bind_integer(statement, ":executor_id", row->executor_id);
  connection_bind_text(statement, ":signature", row->signature);
  connection_bind_integer(statement, ":run_id", row->run_id);
  connection_bind_text(statement, ":now", writer->now);
  connection_bind_text(statement, ":result", row->result);
  connection_bind_integer(statement, ":cases", (int64_t)row->cases);
  connection_bind_integer(statement, ":executions", (int64_t)row->executions);
  connection_bind_text(statement, ":outcome", row->outcome);
  connection_bind_text(statement, ":class", row->class_);
  connection_bind_text(statement, ":seen_signature", row->seen_signature);
  connection_bind_text(statement, ":reason", row->reason);
  return connection_run(writer->connection, statement, NULL, error);
}

static status_t write_bits(const life_writer_t *writer, const store_bits_t *row, failure_t *error) {
  hash_text_t hash = hash_of(row->case_line, strlen(row->case_line));
  sqlite3_stmt *statement = writer->bits_case;
  connection_bind_text(statement, ":case_hash", hash.text);
  connection_bind_text(statement, ":op", row->op);
  connection_bind_text(statement, ":algorithm", row->algorithm);
  connection_bind_text(statement, ":types", row->types);
  connection_bind_text(statement, ":case_line", row->case_line);
  STATUS_TRY(connection_run(writer->connection, statement, NULL, error));
  statement = writer->bits;
  connection_bind_integer(statement, ":executor_id", row->executor_id);
  connection_bind_text(statement, ":case_hash", hash.text);
  connection_bind_integer(statement, ":run_id", row->run_id);
  connection_bind_text(statement, ":bits", row->bits);
  connection_bind_text(statement, ":outcome", row->outcome);
  connection_bind_text(statement, ":class", row->class_);
  connection_bind_real(statement, ":ulp_error", row->ulp_error);
  connection_bind_real(statement, ":slack", row->slack);
  connection_bind_text(statement, ":now", writer->now);
  return connection_run(writer->connection, statement, NULL, error);
}

static status_t write_rows(life_writer_t *writer, const life_pending_t *pending, failure_t *error) {
  STATUS_TRY(connection_prepare(writer->connection, RETEST_SQL, &writer->retest, error));
  STATUS_TRY(connection_prepare(writer->connection, CASE_SQL, &writer->bits_case, error));
  STATUS_TRY(connection_prepare(writer->connection, BITS_SQL, &writer->bits, error));
  for (guint i = 0; i < pending->bits->len; i++) {
    STATUS_TRY(write_bits(writer, &g_array_index(pending->bits, store_bits_t, i), error));
  }
  for (guint i = 0; i < pending->retests->len; i++) {
    STATUS_TRY(write_retest(writer, &g_array_index(pending->retests, store_retest_t, i), error));
  }
  return STATUS_OK;
}

status_t life_pending_write(life_pending_t *pending, const connection_t *connection, int64_t now,
                            failure_t *error) {
  if (pending->retests->len == 0 && pending->bits->len == 0) return STATUS_OK;
  g_autofree char *time = writer_print_time(now);
  life_writer_t writer = {.connection = connection, .now = time};
  STATUS_TRY(connection_begin(connection, error));
  status_t status = write_rows(&writer, pending, error);
  sqlite3_finalize(writer.retest);
  sqlite3_finalize(writer.bits_case);
  sqlite3_finalize(writer.bits);
  if (status == STATUS_OK) status = connection_commit(connection, error);
  if (status != STATUS_OK) {
    connection_roll_back(connection);
    return status;
  }
  g_array_set_size(pending->retests, 0);
  g_array_set_size(pending->bits, 0);
  g_string_chunk_clear(pending->texts);
  return STATUS_OK;
}

/* ---- Waivers --------------------------------------------------------------------------------- */

static bool is_blank(const char *text) {
  return text == NULL || text[strspn(text, " \t\n")] == '\0';
}

/* A day of the calendar as "2027-01-31" that has not passed. */
static status_t check_day(const char *day, failure_t *error) {
  int year = 0;
  int month = 0;
  int day_of_month = 0;
  int used = 0;
  bool is_day = day != NULL && strlen(day) == 10 &&
                sscanf(day, "%4d-%2d-%2d%n", &year, &month, &day_of_month, &used) == 3 &&
                used == 10 && year > 0 && month > 0 && day_of_month > 0 &&
                g_date_valid_dmy((GDateDay)day_of_month, (GDateMonth)month, (GDateYear)year);
  if (!is_day) {
    return status_fail(error, STATUS_INVALID,
                       "'%s' is no day on which a waiver could expire; write for example "
                       "2027-01-31",
                       day == NULL ? "" : day);
  }
  /* By the clock: so do waivers expire. */
  g_autofree char *time = writer_print_time(g_get_real_time() / G_USEC_PER_SEC);
  if (strncmp(day, time, 10) >= 0) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "a waiver until %s has expired already (today is %.10s)", day, time);
}

status_t life_add_waiver(const connection_t *connection, const store_waiver_t *waiver, int64_t now,
                         failure_t *error) {
  if (is_blank(waiver->reason)) {
    return status_fail(error, STATUS_INVALID, "a waiver needs a reason that others understand");
  }
  if (is_blank(waiver->owner)) {
    return status_fail(error, STATUS_INVALID, "a waiver needs an owner who answers for it");
  }
  STATUS_TRY(check_day(waiver->expires, error));
  g_autofree char *time = writer_print_time(now);
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(connection_prepare(connection, WAIVER_SQL, &statement, error));
  connection_bind_text(statement, ":executor", waiver->executor);
  connection_bind_text(statement, ":signature", waiver->signature);
  connection_bind_text(statement, ":now", time);
  connection_bind_text(statement, ":reason", waiver->reason);
  connection_bind_text(statement, ":owner", waiver->owner);
  connection_bind_text(statement, ":expires", waiver->expires);
  status_t status = connection_run(connection, statement, NULL, error);
  sqlite3_finalize(statement);
  return status;
}

status_t life_withdraw_waiver(const connection_t *connection, const char *executor,
                              const char *signature, int64_t now, failure_t *error) {
  g_autofree char *time = writer_print_time(now);
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(connection_prepare(connection, WITHDRAW_SQL, &statement, error));
  connection_bind_text(statement, ":executor", executor);
  connection_bind_text(statement, ":signature", signature);
  connection_bind_text(statement, ":now", time);
  status_t status = connection_run(connection, statement, NULL, error);
  sqlite3_finalize(statement);
  STATUS_TRY(status);
  if (sqlite3_changes(connection->database) > 0) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "finding %s of %s has no waiver to withdraw", signature,
                     executor);
}
