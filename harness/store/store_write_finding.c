/* Writes findings: a row per executor and signature, its sightings by run, and the cases kept. */
#include <string.h>

#include "harness/base/hash.h"
#include "harness/store/store_write.h"

/* 0 if there is none. */
static status_t find_divergence_id(writer_t *writer, int64_t executor_id, const char *signature,
                                   int64_t *out_divergence_id, failure_t *error) {
  sqlite3_stmt *statement = writer->statements[STATEMENT_DIVERGENCE_ID];
  connection_bind_integer(statement, ":executor_id", executor_id);
  connection_bind_text(statement, ":signature", signature);
  return writer_run(writer, STATEMENT_DIVERGENCE_ID, out_divergence_id, error);
}

status_t writer_find_divergence(writer_t *writer, int64_t executor_id, const char *signature,
                                bool *out_known, failure_t *error) {
  int64_t divergence_id = 0;
  STATUS_TRY(find_divergence_id(writer, executor_id, signature, &divergence_id, error));
  *out_known = divergence_id != 0;
  return STATUS_OK;
}

static status_t add_program(writer_t *writer, const char *line, int64_t *out_program_id,
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
  STATUS_TRY(add_program(writer, divergence->program_line, &program_id, error));
  writer_seed_t case_seed = writer_print_seed(divergence->case_seed);
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
  connection_bind_text(statement, ":cause_words", divergence->cause_words);
  return writer_run(writer, STATEMENT_REPRODUCER, NULL, error);
}

/* Counts sightings of one run, in the finding and by itself.  The finding has the features of its
 * first case: which one is the worst so far depends on when this is called. */
static status_t add_sightings(writer_t *writer, const pending_divergence_t *pending,
                              int64_t *out_divergence_id, failure_t *error) {
  const store_divergence_t *features = &pending->first;
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
  connection_bind_integer(statement, ":run_id", pending->run_id);
  connection_bind_text(statement, ":cause", features->cause);
  connection_bind_text(statement, ":pattern", features->pattern);
  STATUS_TRY(writer_run(writer, STATEMENT_DIVERGENCE, out_divergence_id, error));
  statement = writer->statements[STATEMENT_SIGHTING];
  connection_bind_integer(statement, ":divergence_id", *out_divergence_id);
  connection_bind_integer(statement, ":run_id", pending->run_id);
  connection_bind_integer(statement, ":cases", (int64_t)pending->sightings);
  connection_bind_text(statement, ":first_seen", first_seen);
  connection_bind_text(statement, ":last_seen", last_seen);
  return writer_run(writer, STATEMENT_SIGHTING, NULL, error);
}

status_t writer_add_finding(writer_t *writer, const pending_divergence_t *pending,
                            failure_t *error) {
  int64_t divergence_id = 0;
  STATUS_TRY(add_sightings(writer, pending, &divergence_id, error));
  STATUS_TRY(offer_reproducer(writer, divergence_id, "worst", &pending->worst, error));
  return offer_reproducer(writer, divergence_id, "shortest", &pending->shortest, error);
}

status_t writer_add_shrunk(writer_t *writer, const store_divergence_t *divergence,
                           failure_t *error) {
  int64_t divergence_id = 0;
  STATUS_TRY(find_divergence_id(writer, divergence->executor_id, divergence->signature,
                                &divergence_id, error));
  if (divergence_id == 0) {
    return status_fail(error, STATUS_INVALID, "a shrunk case of a finding that is not there");
  }
  return offer_reproducer(writer, divergence_id, "shrunk", divergence, error);
}
