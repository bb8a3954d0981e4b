/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what the database says of findings, before a run and after it. */
#include "reports/run/finding_lives.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/plain_text.h"

struct finding_lives {
  char *database;     /* Owned. */
  store_t *store;     /* Borrowed: what it has not written yet belongs to the database, too. */
  GHashTable *before; /* Key -> state, both owned. */
  GHashTable *after;  /* NULL until somebody asks. */
};

static const struct {
  const char *spelling;
  bool is_news;
} ROWS[LIFE_COUNT] = {
#define LIFE(name, spelling, is_news) {spelling, is_news},
    LIVES(LIFE)
#undef LIFE
};

const char *life_spelling(life_t life) { return ROWS[life].spelling; }

bool life_is_news(life_t life) { return ROWS[life].is_news; }

static char *make_key(const char *executor, const char *signature) {
  return g_strdup_printf("%s %s", signature, executor);
}

static status_t read_state(void *context, int column_count, const char *const *names,
                           const store_value_t *values, failure_t *error) {
  (void)column_count, (void)names, (void)error;
  if (values == NULL) return STATUS_OK;
  g_hash_table_insert((GHashTable *)context, make_key(values[0].text, values[1].text),
                      g_strdup(values[2].text));
  return STATUS_OK;
}

static status_t read_states(const char *database, GHashTable **out_states, failure_t *error) {
  static const char sql[] = "SELECT executor, signature, state FROM finding_state";
  GHashTable *states = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  status_t status = store_query(database, sql, read_state, states, error);
  if (status != STATUS_OK) {
    g_hash_table_destroy(states);
    return status;
  }
  *out_states = states;
  return STATUS_OK;
}

status_t finding_lives_open(const char *database, store_t *store, finding_lives_t **out_lives,
                            failure_t *error) {
  GHashTable *before;
  STATUS_TRY(read_states(database, &before, error));
  *out_lives = g_new0(finding_lives_t, 1);
  **out_lives = (finding_lives_t){.database = g_strdup(database), .store = store, .before = before};
  return STATUS_OK;
}

const char *finding_lives_before(const finding_lives_t *lives, const char *executor,
                                 const hash_text_t *signature) {
  if (lives == NULL) return "";
  g_autofree char *key = make_key(executor, signature->text);
  const char *state = g_hash_table_lookup(lives->before, key);
  return state == NULL ? "" : state;
}

void finding_lives_set_before(finding_lives_t *lives, const char *executor,
                              const hash_text_t *signature, const char *state) {
  if (lives == NULL) return;
  char *key = make_key(executor, signature->text);
  if (state[0] == '\0') {
    g_hash_table_remove(lives->before, key);
    g_free(key);
  } else {
    g_hash_table_replace(lives->before, key, g_strdup(state));
  }
}

void finding_lives_close(finding_lives_t *lives) {
  if (lives == NULL) return;
  g_hash_table_destroy(lives->before);
  if (lives->after != NULL) g_hash_table_destroy(lives->after);
  g_free(lives->database);
  g_free(lives);
}

/* Looks again; what cannot be read is as if nothing had been known. */
static void settle(finding_lives_t *lives) {
  if (lives->after != NULL) return;
  failure_t error = {0};
  status_t status = store_flush(lives->store, &error);
  if (status == STATUS_OK) status = read_states(lives->database, &lives->after, &error);
  if (status == STATUS_OK) return;
  g_autofree char *reason = plain_text(error.text);
  fprintf(stderr, "assay: all findings count as new: %s\n", reason);
  lives->after = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

static bool is_state(const char *state, life_t life) {
  return state != NULL && strcmp(state, life_spelling(life)) == 0;
}

life_t finding_life(finding_lives_t *lives, const char *executor, const hash_text_t *signature) {
  settle(lives);
  g_autofree char *key = make_key(executor, signature->text);
  const char *before = g_hash_table_lookup(lives->before, key);
  const char *after = g_hash_table_lookup(lives->after, key);
  if (is_state(after, LIFE_WAIVED)) return LIFE_WAIVED;
  if (is_state(after, LIFE_WAIVER_EXPIRED)) return LIFE_WAIVER_EXPIRED;
  if (before == NULL) return LIFE_NEW;
  bool is_back = is_state(after, LIFE_REGRESSED) && !is_state(before, LIFE_REGRESSED);
  return is_back ? LIFE_REGRESSED : LIFE_KNOWN;
}
