/* SPDX-License-Identifier: Apache-2.0 */
/* Reads summation profiles of the given executors from a database, newest first, and derives a
 * profile for another length by the stored rule. */
#include "harness/predict/stored_profile.h"

#include "harness/identify/order/sum_rule.h"
#include "harness/store/store.h"

/* ---- Reading --------------------------------------------------------------------------------- */

enum column {
  COLUMN_NAME,
  COLUMN_VERSION,
  COLUMN_HARDWARE,
  COLUMN_SHAPE,
  COLUMN_TERMS_LOW,
  COLUMN_TERMS_HIGH,
  COLUMN_PROGRAM_LINE,
  COLUMN_TEXT,
  COLUMN_RULE,
  COLUMN_WORDS,
};

static const char SQL[] =
    "SELECT name, version, hardware, shape, terms_low, terms_high, line, text, rule, words "
    "FROM profile JOIN executor USING (executor_id) JOIN program USING (program_id) "
    "ORDER BY last_seen DESC, profile_id DESC";

static void stored_profile_free(gpointer data) {
  stored_profile_t *stored = data;
  g_free(stored->name);
  g_free(stored->version);
  g_free(stored->hardware);
  g_free(stored->shape);
  g_free(stored->program_line);
  g_free(stored->text);
  g_free(stored->rule);
  g_free(stored->words);
  g_free(stored);
}

typedef struct reader {
  executor_t *const *executors;
  size_t executor_count;
  GPtrArray *profiles;
} reader_t;

static status_t read_row(void *context, int column_count, const char *const *names,
                         const store_value_t *values, failure_t *error) {
  (void)column_count, (void)names, (void)error;
  const reader_t *reader = (const reader_t *)context;
  if (values == NULL) return STATUS_OK;
  bool is_wanted = false;
  for (size_t i = 0; i < reader->executor_count; i++) {
    is_wanted |= g_str_equal(values[COLUMN_NAME].text, executor_name(reader->executors[i]));
  }
  if (!is_wanted) return STATUS_OK;
  stored_profile_t *stored = g_new0(stored_profile_t, 1);
  stored->name = g_strdup(values[COLUMN_NAME].text);
  stored->version = g_strdup(values[COLUMN_VERSION].text);
  stored->hardware = g_strdup(values[COLUMN_HARDWARE].text);
  stored->shape = g_strdup(values[COLUMN_SHAPE].text);
  stored->terms_low = (uint64_t)values[COLUMN_TERMS_LOW].integer;
  stored->terms_high = (uint64_t)values[COLUMN_TERMS_HIGH].integer;
  stored->program_line = g_strdup(values[COLUMN_PROGRAM_LINE].text);
  stored->text = g_strdup(values[COLUMN_TEXT].text);
  stored->rule = g_strdup(values[COLUMN_RULE].text);
  stored->words = g_strdup(values[COLUMN_WORDS].text);
  g_ptr_array_add(reader->profiles, stored);
  return STATUS_OK;
}

status_t stored_profiles_read(const char *database, executor_t *const *executors,
                              size_t executor_count, GPtrArray **out_profiles, failure_t *error) {
  reader_t reader = {executors, executor_count,
                     g_ptr_array_new_with_free_func(stored_profile_free)};
  status_t status = store_query(database, SQL, read_row, &reader, error);
  if (status != STATUS_OK) {
    g_ptr_array_unref(reader.profiles);
    return status;
  }
  *out_profiles = reader.profiles;
  return STATUS_OK;
}

bool stored_profile_is_own(const stored_profile_t *stored, const executor_t *executor) {
  return g_str_equal(stored->name, executor_name(executor)) &&
         g_str_equal(stored->version, executor_version(executor)) &&
         g_str_equal(stored->hardware, executor_hardware(executor));
}

/* ---- Making a profile ------------------------------------------------------------------------ */

status_t stored_profile_make(const stored_profile_t *stored, const program_t *program,
                             size_t term_count, arena_t *arena, profile_t *out_profile,
                             failure_t *error) {
  profile_t found;
  STATUS_TRY(profile_parse(str_from(stored->text), arena, &found, error));
  if (found.term_count == term_count) {
    *out_profile = found;
    return STATUS_OK;
  }
  g_autoptr(GString) line = g_string_new(NULL);
  program_print(program, line);
  profile_t *like = ARENA_NEW_ARRAY(arena, profile_t, 1);
  *like = found;
  sum_rule_t rule;
  STATUS_TRY(sum_rule_parse(str_from(stored->rule), like, arena, &rule, error));
  const char *program_line = arena_copy_text(arena, line->str, line->len);
  return sum_rule_apply(&rule, program_line, term_count, arena, out_profile, error);
}
