/* SPDX-License-Identifier: Apache-2.0 */
/* The store: opens a database, gathers what is to be written, and commits it. */
#include "harness/store/store.h"

#include "harness/base/log.h"
#include "harness/store/internal.h"
#include "harness/store/schema.h"

enum { COMMIT_INTERVAL_US = 1000 * 1000 };

struct store {
  connection_t connection;
  writer_t writer;
  pending_t pending;
  int64_t last_commit_us; /* g_get_monotonic_time(). */
  int64_t latest;         /* The latest time in the database, in seconds since 1970. */
};

connection_t *store_connection(store_t *store) { return &store->connection; }

/* The log is begun anew once it has been moved into the file; what it was larger than this before,
 * because somebody read or much came at a time, goes then. */
static const char LOG_LIMIT_SQL[] = "PRAGMA journal_size_limit = 4194304";

/* What happens now is later than what is in the database, also where the clock was set back: what
 * is new and what is known follows from the order of times. */
static int64_t now_seconds(store_t *store) {
  store->latest = MAX(store->latest, g_get_real_time() / G_USEC_PER_SEC);
  return store->latest;
}

writer_t *store_writer(store_t *store) {
  store->writer.now = now_seconds(store);
  return &store->writer;
}

static status_t read_latest(store_t *store, failure_t *error) {
  static const char sql[] =
      "SELECT coalesce(CAST(strftime('%s', max(time)) AS INTEGER), 0) FROM ("
      "SELECT max(started) AS time FROM run UNION ALL SELECT max(ended) FROM run UNION ALL "
      "SELECT max(last_seen) FROM divergence UNION ALL SELECT max(tested) FROM retest)";
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(connection_prepare(&store->connection, sql, &statement, error));
  status_t status = connection_run(&store->connection, statement, &store->latest, error);
  sqlite3_finalize(statement);
  return status;
}

/* Among processes that open one new database at a time, SQLite tells some at once that it is busy,
 * without the wait that it grants elsewhere (seen in 5 of 2400 openings, 8 at a time). */
static status_t switch_to_write_ahead_log(const connection_t *connection, failure_t *error) {
  enum { RETRY_MS = 10 };
  int code = SQLITE_BUSY;
  for (int waited_ms = 0; waited_ms < STORE_BUSY_TIMEOUT_MS; waited_ms += RETRY_MS) {
    code = sqlite3_exec(connection->database, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    if (code != SQLITE_BUSY) break;
    log_debug(LOG_STORE, "%s is busy: tried for %d ms", connection->path, waited_ms);
    g_usleep(RETRY_MS * 1000);
  }
  return code == SQLITE_OK ? STATUS_OK : connection_fail(connection, error);
}

/* The schema comes before the log, so that its mark is in the file itself, where connection_open()
 * looks for it, as soon as there is a schema at all. */
static status_t prepare_database(connection_t *connection, failure_t *error) {
  store_schema_t schema = store_schema();
  STATUS_TRY(connection_execute(connection, "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF",
                                error));
  STATUS_TRY(store_schema_apply(connection, &schema, error));
  STATUS_TRY(switch_to_write_ahead_log(connection, error));
  STATUS_TRY(connection_execute(connection, LOG_LIMIT_SQL, error));
  /* What has been committed survives a power failure: at one commit a second that costs nothing. */
  return connection_execute(connection, "PRAGMA synchronous = FULL", error);
}

status_t store_open(const char *path, store_t **out_store, failure_t *error) {
  connection_t connection;
  STATUS_TRY(connection_open(path, CONNECTION_WRITE, &connection, error));
  status_t status = prepare_database(&connection, error);
  store_t *store = g_new0(store_t, 1);
  store->connection = connection;
  if (status == STATUS_OK) status = read_latest(store, error);
  if (status == STATUS_OK) status = writer_init(&store->writer, &store->connection, error);
  if (status != STATUS_OK) {
    connection_close(&store->connection);
    g_free(store);
    return status;
  }
  pending_init(&store->pending);
  store->last_commit_us = g_get_monotonic_time();
  *out_store = store;
  return STATUS_OK;
}

static status_t commit(store_t *store, failure_t *error) {
  /* Also after a failure the next try is an interval away: the lock may take its time. */
  int64_t begin_us = g_get_monotonic_time();
  status_t status = writer_add_pending(store_writer(store), &store->pending, error);
  store->last_commit_us = g_get_monotonic_time();
  log_debug(LOG_STORE, "%s: commit, %.1f ms with the wait for others: %s", store->connection.path,
            (double)(store->last_commit_us - begin_us) / 1000,
            status == STATUS_OK ? "done" : "failed");
  if (status == STATUS_OK) pending_clear(&store->pending);
  return status;
}

status_t store_close(store_t *store, failure_t *error) {
  if (store == NULL) return STATUS_OK;
  status_t status = commit(store, error);
  writer_deinit(&store->writer);
  pending_deinit(&store->pending);
  connection_close(&store->connection);
  g_free(store);
  return status;
}

status_t store_begin_run(store_t *store, const store_run_t *run, int64_t *out_run_id,
                         failure_t *error) {
  return writer_add_run(store_writer(store), run, out_run_id, error);
}

status_t store_end_run(store_t *store, int64_t run_id, int exit_code, failure_t *error) {
  STATUS_TRY(commit(store, error));
  return writer_end_run(store_writer(store), run_id, exit_code, error);
}

status_t store_explain(store_t *store, const store_divergence_t *divergence, failure_t *error) {
  STATUS_TRY(commit(store, error));
  return writer_explain(store_writer(store), divergence, error);
}

status_t store_add_executor(store_t *store, const store_executor_t *executor,
                            int64_t *out_executor_id, failure_t *error) {
  return writer_write(&store->writer, STATEMENT_EXECUTOR, ROW_executor, executor, out_executor_id,
                      error);
}

status_t store_describe_constraints(store_t *store, const store_constraint_text_t *texts,
                                    size_t count, failure_t *error) {
  return writer_describe_constraints(&store->writer, texts, count, error);
}

status_t store_add_profile(store_t *store, const store_profile_t *profile, bool *out_is_new,
                           failure_t *error) {
  int64_t sightings = 0;
  STATUS_TRY(writer_add_profile(store_writer(store), profile, &sightings, error));
  *out_is_new = sightings == 1;
  return STATUS_OK;
}

/* ---- Written with the next commit ------------------------------------------------------------ */

void store_add_row(store_t *store, row_kind_t kind, const void *row) {
  pending_add(&store->pending, kind, row);
}

void store_set_run_times(store_t *store, const store_run_times_t *times) {
  store_add_row(store, ROW_run_times, times);
}

void store_count(store_t *store, const store_counter_t *counter) {
  if (counter->cases > 0) store_add_row(store, ROW_counter, counter);
}

void store_add_pair(store_t *store, const store_pair_t *pair) {
  if (pair->cases > 0) store_add_row(store, ROW_pair, pair);
}

void store_add_observation(store_t *store, const store_observation_t *observation) {
  if (observation->cases > 0) store_add_row(store, ROW_observation, observation);
}

void store_add_histogram(store_t *store, const store_histogram_t *histogram) {
  if (histogram->cases > 0) store_add_row(store, ROW_histogram, histogram);
}

void store_add_accuracy(store_t *store, const store_accuracy_t *accuracy) {
  if (accuracy->cases > 0) store_add_row(store, ROW_accuracy, accuracy);
}

void store_add_tolerance(store_t *store, const store_tolerance_t *tolerance) {
  if (tolerance->cases > 0) store_add_row(store, ROW_tolerance, tolerance);
}

void store_count_constraint(store_t *store, const store_constraint_t *constraint) {
  if (constraint->cases > 0) store_add_row(store, ROW_constraint, constraint);
}

void store_add_divergence(store_t *store, const store_divergence_t *divergence) {
  pending_add_divergence(&store->pending, divergence, now_seconds(store));
}

void store_add_shrunk(store_t *store, const store_divergence_t *divergence) {
  const store_divergence_t graded = pending_graded(divergence);
  store_add_row(store, ROW_divergence, &graded);
}

/* ---- Commits --------------------------------------------------------------------------------- */

status_t store_tick(store_t *store, failure_t *error) {
  if (g_get_monotonic_time() - store->last_commit_us < COMMIT_INTERVAL_US) return STATUS_OK;
  return commit(store, error);
}

status_t store_flush(store_t *store, failure_t *error) { return commit(store, error); }
