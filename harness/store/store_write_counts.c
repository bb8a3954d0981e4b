/* Writes counts: by verdict, pair, observation, error and constraint; and the times of runs. */
#include "harness/store/store_write.h"

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
  return writer_run(writer, STATEMENT_COUNTER, NULL, error);
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
  return writer_run(writer, STATEMENT_PAIR, NULL, error);
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
  return writer_run(writer, STATEMENT_OBSERVATION, NULL, error);
}

static status_t add_histogram(writer_t *writer, const store_histogram_t *histogram,
                              failure_t *error) {
  sqlite3_stmt *statement = writer->statements[STATEMENT_HISTOGRAM];
  connection_bind_integer(statement, ":run_id", histogram->run_id);
  connection_bind_integer(statement, ":executor_id", histogram->executor_id);
  connection_bind_text(statement, ":op", histogram->op);
  connection_bind_text(statement, ":algorithm", histogram->algorithm);
  connection_bind_text(statement, ":types", histogram->types);
  connection_bind_text(statement, ":outcome", histogram->outcome);
  connection_bind_text(statement, ":measure", histogram->measure);
  connection_bind_integer(statement, ":bucket", histogram->bucket);
  connection_bind_real(statement, ":low", histogram->low);
  connection_bind_real(statement, ":high", histogram->high);
  connection_bind_integer(statement, ":cases", (int64_t)histogram->cases);
  return writer_run(writer, STATEMENT_HISTOGRAM, NULL, error);
}

static status_t add_constraint(writer_t *writer, const store_constraint_t *constraint,
                               failure_t *error) {
  sqlite3_stmt *statement = writer->statements[STATEMENT_CONSTRAINT];
  connection_bind_integer(statement, ":run_id", constraint->run_id);
  connection_bind_integer(statement, ":executor_id", constraint->executor_id);
  connection_bind_text(statement, ":op", constraint->op);
  connection_bind_text(statement, ":broken_constraint", constraint->constraint);
  connection_bind_text(statement, ":outcome", constraint->outcome);
  connection_bind_integer(statement, ":cases", (int64_t)constraint->cases);
  return writer_run(writer, STATEMENT_CONSTRAINT, NULL, error);
}

static status_t set_times(writer_t *writer, int64_t run_id, const store_run_times_t *times,
                          failure_t *error) {
  sqlite3_stmt *statement = writer->statements[STATEMENT_RUN_TIMES];
  connection_bind_integer(statement, ":run_id", run_id);
  connection_bind_real(statement, ":seconds", times->seconds);
  connection_bind_real(statement, ":oracle", times->oracle);
  connection_bind_real(statement, ":compile", times->compile);
  connection_bind_real(statement, ":executor", times->executor);
  connection_bind_real(statement, ":judge", times->judge);
  return writer_run(writer, STATEMENT_RUN_TIMES, NULL, error);
}

/* Writes every value of a table of pending rows, each with `add`. */
#define ADD_EACH(table, add)                                  \
  do {                                                        \
    GHashTableIter iterator_;                                 \
    gpointer row_;                                            \
    g_hash_table_iter_init(&iterator_, (table));              \
    while (g_hash_table_iter_next(&iterator_, NULL, &row_)) { \
      STATUS_TRY(add(writer, row_, error));                   \
    }                                                         \
  } while (0)

status_t writer_add_counts(writer_t *writer, const pending_t *pending, failure_t *error) {
  ADD_EACH(pending->counters, add_counter);
  ADD_EACH(pending->pairs, add_pair);
  ADD_EACH(pending->observations, add_observation);
  ADD_EACH(pending->histograms, add_histogram);
  ADD_EACH(pending->constraints, add_constraint);
  GHashTableIter iterator;
  gpointer run_id;
  gpointer times;
  g_hash_table_iter_init(&iterator, pending->times);
  while (g_hash_table_iter_next(&iterator, &run_id, &times)) {
    STATUS_TRY(set_times(writer, *(const int64_t *)run_id, times, error));
  }
  return STATUS_OK;
}

static status_t write_constraint_texts(writer_t *writer, const store_constraint_text_t *texts,
                                       size_t count, failure_t *error) {
  for (size_t i = 0; i < count; i++) {
    sqlite3_stmt *statement = writer->statements[STATEMENT_CONSTRAINT_TEXT];
    connection_bind_text(statement, ":op", texts[i].op);
    connection_bind_text(statement, ":broken_constraint", texts[i].constraint);
    connection_bind_text(statement, ":text", texts[i].text);
    STATUS_TRY(writer_run(writer, STATEMENT_CONSTRAINT_TEXT, NULL, error));
  }
  return STATUS_OK;
}

status_t writer_describe_constraints(writer_t *writer, const store_constraint_text_t *texts,
                                     size_t count, failure_t *error) {
  STATUS_TRY(connection_begin(writer->connection, error));
  status_t status = write_constraint_texts(writer, texts, count, error);
  if (status == STATUS_OK) status = connection_commit(writer->connection, error);
  if (status != STATUS_OK) connection_roll_back(writer->connection);
  return status;
}
