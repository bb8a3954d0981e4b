/* SPDX-License-Identifier: Apache-2.0 */
/* Writes findings: a row per executor and signature, its sightings by run, and the cases kept. */
#include <string.h>

#include "harness/base/hash.h"
#include "harness/store/write.h"

status_t writer_add_program(writer_t *writer, const char *line, int64_t *out_program_id,
                            failure_t *error) {
  hash_text_t hash = hash_of(line, strlen(line));
  sqlite3_stmt *statement = writer->statements[STATEMENT_PROGRAM];
  connection_bind_text(statement, ":hash", hash.text);
  connection_bind_text(statement, ":line", line);
  return writer_run(writer, STATEMENT_PROGRAM, out_program_id, error);
}

/* Offers a case as the reproducer in a role; the statement keeps the better one. */
static status_t offer_reproducer(writer_t *writer, int64_t divergence_id, const char *role,
                                 const store_divergence_t *divergence, failure_t *error) {
  int64_t program_id = 0;
  STATUS_TRY(writer_add_program(writer, divergence->program_line, &program_id, error));
  sqlite3_stmt *statement = writer_bind(writer, STATEMENT_REPRODUCER, ROW_divergence, divergence);
  connection_bind_integer(statement, ":divergence_id", divergence_id);
  connection_bind_text(statement, ":role", role);
  connection_bind_integer(statement, ":program_id", program_id);
  return writer_run(writer, STATEMENT_REPRODUCER, NULL, error);
}

/* Binds what was counted of a finding. */
static sqlite3_stmt *bind_sightings(writer_t *writer, statement_id_t id,
                                    const pending_divergence_t *pending) {
  sqlite3_stmt *statement = writer_bind(writer, id, ROW_divergence, pending->first);
  connection_bind_integer(statement, ":sightings", (int64_t)pending->sightings);
  connection_bind_time(statement, ":first_seen", pending->first_seen);
  connection_bind_time(statement, ":last_seen", pending->last_seen);
  return statement;
}

/* Counts sightings of one run, in the finding and by itself.  The finding has the features of its
 * first case: which one is the worst so far depends on when this is called. */
static status_t add_sightings(writer_t *writer, const pending_divergence_t *pending,
                              int64_t *out_divergence_id, failure_t *error) {
  bind_sightings(writer, STATEMENT_DIVERGENCE, pending);
  STATUS_TRY(writer_run(writer, STATEMENT_DIVERGENCE, out_divergence_id, error));
  sqlite3_stmt *statement = bind_sightings(writer, STATEMENT_SIGHTING, pending);
  connection_bind_integer(statement, ":divergence_id", *out_divergence_id);
  return writer_run(writer, STATEMENT_SIGHTING, NULL, error);
}

status_t writer_add_finding(writer_t *writer, const pending_divergence_t *pending,
                            failure_t *error) {
  int64_t divergence_id = 0;
  STATUS_TRY(add_sightings(writer, pending, &divergence_id, error));
  STATUS_TRY(offer_reproducer(writer, divergence_id, "worst", pending->worst, error));
  STATUS_TRY(offer_reproducer(writer, divergence_id, "gravest", pending->gravest, error));
  return offer_reproducer(writer, divergence_id, "shortest", pending->shortest, error);
}

status_t writer_add_shrunk(writer_t *writer, const store_divergence_t *divergence,
                           failure_t *error) {
  int64_t divergence_id = 0;
  STATUS_TRY(writer_write(writer, STATEMENT_DIVERGENCE_ID, ROW_divergence, divergence,
                          &divergence_id, error));
  if (divergence_id == 0) {
    return status_fail(error, STATUS_INVALID, "a shrunk case of a finding that is not there");
  }
  STATUS_TRY(offer_reproducer(writer, divergence_id, "gravest", divergence, error));
  return offer_reproducer(writer, divergence_id, "shrunk", divergence, error);
}

status_t writer_explain(writer_t *writer, const store_divergence_t *divergence, failure_t *error) {
  STATUS_TRY(connection_begin(writer->connection, error));
  status_t status =
      writer_write(writer, STATEMENT_EXPLAIN, ROW_divergence, divergence, NULL, error);
  if (status == STATUS_OK) {
    status = writer_write(writer, STATEMENT_EXPLAIN_CASE, ROW_divergence, divergence, NULL, error);
  }
  if (status == STATUS_OK) status = connection_commit(writer->connection, error);
  if (status != STATUS_OK) connection_roll_back(writer->connection);
  return status;
}
