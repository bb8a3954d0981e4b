#include "harness/store/store_profile.h"

#include <string.h>

#include "harness/base/hash.h"
#include "harness/store/store_write.h"

static const char PROGRAM_SQL[] =
    "INSERT INTO program (hash, line) VALUES (:hash, :line) "
    "ON CONFLICT DO UPDATE SET hash = hash RETURNING program_id";

/* The text of the latest sighting is kept: it belongs to the program beside it. */
static const char PROFILE_SQL[] =
    "INSERT INTO profile (executor_id, op, algorithm, types, shape, terms_low, terms_high, "
    "program_id, text, rule, words, hash, sightings, first_seen, last_seen) "
    "VALUES (:executor_id, :op, :algorithm, :types, :shape, :terms_low, :terms_high, "
    ":program_id, :text, :rule, :words, :hash, 1, :now, :now) "
    "ON CONFLICT DO UPDATE SET sightings = sightings + 1, program_id = excluded.program_id, "
    "text = excluded.text, words = excluded.words, "
    "last_seen = max(last_seen, excluded.last_seen) "
    "RETURNING profile_id";

static const char SIGHTING_SQL[] =
    "INSERT INTO profile_sighting "
    "VALUES (:profile_id, (SELECT value FROM meta WHERE key = 'database'), 1) "
    "ON CONFLICT DO UPDATE SET sightings = sightings + 1 "
    "RETURNING (SELECT sightings FROM profile WHERE profile_id = :profile_id)";

static status_t write_program(const connection_t *connection, const char *line,
                              int64_t *out_program_id, failure_t *error) {
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(connection_prepare(connection, PROGRAM_SQL, &statement, error));
  hash_text_t hash = hash_of(line, strlen(line));
  connection_bind_text(statement, ":hash", hash.text);
  connection_bind_text(statement, ":line", line);
  status_t status = connection_run(connection, statement, out_program_id, error);
  sqlite3_finalize(statement);
  return status;
}

static status_t write_profile(const connection_t *connection, const store_profile_t *profile,
                              int64_t program_id, const char *now, int64_t *out_profile_id,
                              failure_t *error) {
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(connection_prepare(connection, PROFILE_SQL, &statement, error));
  const char *content = profile->rule[0] == '\0' ? profile->text : profile->rule;
  hash_text_t hash = hash_of(content, strlen(content));
  connection_bind_integer(statement, ":executor_id", profile->executor_id);
  connection_bind_text(statement, ":op", profile->op);
  connection_bind_text(statement, ":algorithm", profile->algorithm);
  connection_bind_text(statement, ":types", profile->types);
  connection_bind_text(statement, ":shape", profile->shape);
  connection_bind_integer(statement, ":terms_low", (int64_t)profile->terms_low);
  connection_bind_integer(statement, ":terms_high", (int64_t)profile->terms_high);
  connection_bind_integer(statement, ":program_id", program_id);
  connection_bind_text(statement, ":text", profile->text);
  connection_bind_text(statement, ":rule", profile->rule);
  connection_bind_text(statement, ":words", profile->words);
  connection_bind_text(statement, ":hash", hash.text);
  connection_bind_text(statement, ":now", now);
  status_t status = connection_run(connection, statement, out_profile_id, error);
  sqlite3_finalize(statement);
  return status;
}

/* *out_sightings: of the profile, by whichever database. */
static status_t count_sighting(const connection_t *connection, int64_t profile_id,
                               int64_t *out_sightings, failure_t *error) {
  sqlite3_stmt *statement = NULL;
  STATUS_TRY(connection_prepare(connection, SIGHTING_SQL, &statement, error));
  connection_bind_integer(statement, ":profile_id", profile_id);
  status_t status = connection_run(connection, statement, out_sightings, error);
  sqlite3_finalize(statement);
  return status;
}

status_t profile_write(const connection_t *connection, const store_profile_t *profile, int64_t now,
                       bool *out_is_new, failure_t *error) {
  g_autofree char *time = writer_print_time(now);
  int64_t program_id = 0;
  int64_t profile_id = 0;
  int64_t sightings = 0;
  STATUS_TRY(connection_begin(connection, error));
  status_t status = write_program(connection, profile->program_line, &program_id, error);
  if (status == STATUS_OK) {
    status = write_profile(connection, profile, program_id, time, &profile_id, error);
  }
  if (status == STATUS_OK) status = count_sighting(connection, profile_id, &sightings, error);
  if (status == STATUS_OK) status = connection_commit(connection, error);
  if (status != STATUS_OK) {
    connection_roll_back(connection);
    return status;
  }
  *out_is_new = sightings == 1;
  return STATUS_OK;
}
