#include "harness/cli/finding_lives.h"

#include <stdio.h>
#include <string.h>

struct finding_lives {
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

status_t finding_lives_open(const task_t *task, finding_lives_t **out_lives, failure_t *error) {
  GHashTable *before;
  STATUS_TRY(read_states(task->flags->database, &before, error));
  *out_lives = g_new0(finding_lives_t, 1);
  (*out_lives)->before = before;
  return STATUS_OK;
}

const char *finding_state_before(const task_t *task, const finding_t *finding) {
  if (task->lives == NULL) return "";
  const char *name = executor_name(task->executors.items[finding->executor]);
  g_autofree char *key = make_key(name, finding->signature.text);
  const char *state = g_hash_table_lookup(task->lives->before, key);
  return state == NULL ? "" : state;
}

void finding_lives_set_before(const task_t *task, size_t executor, const hash_text_t *signature,
                              const char *state) {
  if (task->lives == NULL) return;
  char *key = make_key(executor_name(task->executors.items[executor]), signature->text);
  if (state[0] == '\0') {
    g_hash_table_remove(task->lives->before, key);
    g_free(key);
  } else {
    g_hash_table_replace(task->lives->before, key, g_strdup(state));
  }
}

void finding_lives_close(finding_lives_t *lives) {
  if (lives == NULL) return;
  g_hash_table_destroy(lives->before);
  if (lives->after != NULL) g_hash_table_destroy(lives->after);
  g_free(lives);
}

/* Looks again; what cannot be read is as if nothing had been known. */
static void settle(const task_t *task) {
  finding_lives_t *lives = task->lives;
  if (lives->after != NULL) return;
  failure_t error = {0};
  status_t status = store_flush(task->store, &error);
  if (status == STATUS_OK) status = read_states(task->flags->database, &lives->after, &error);
  if (status == STATUS_OK) return;
  complain("all findings count as new: %s", error.text);
  lives->after = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

static bool is_state(const char *state, life_t life) {
  return state != NULL && strcmp(state, life_spelling(life)) == 0;
}

life_t finding_life(const task_t *task, const finding_t *finding) {
  settle(task);
  const char *name = executor_name(task->executors.items[finding->executor]);
  g_autofree char *key = make_key(name, finding->signature.text);
  const char *before = g_hash_table_lookup(task->lives->before, key);
  const char *after = g_hash_table_lookup(task->lives->after, key);
  if (is_state(after, LIFE_WAIVED)) return LIFE_WAIVED;
  if (is_state(after, LIFE_WAIVER_EXPIRED)) return LIFE_WAIVER_EXPIRED;
  if (before == NULL) return LIFE_NEW;
  bool is_back = is_state(after, LIFE_REGRESSED) && !is_state(before, LIFE_REGRESSED);
  return is_back ? LIFE_REGRESSED : LIFE_KNOWN;
}

bool finding_fails(const task_t *task, const finding_t *finding) {
  if (!fail_on_needs_states(task->fail_on)) return task->fail_on != FAIL_ON_NEVER;
  life_t life = finding_life(task, finding);
  return fail_on_counts(task->fail_on, life_spelling(life), ROWS[life].is_news);
}

static void count_lives(const task_t *task, size_t out_counts[LIFE_COUNT]) {
  memset(out_counts, 0, LIFE_COUNT * sizeof *out_counts);
  for (size_t i = 0; i < session_finding_count(task->session); i++) {
    out_counts[finding_life(task, session_finding(task->session, i))]++;
  }
}

void finding_lives_print(const task_t *task) {
  size_t findings = session_finding_count(task->session);
  if (task->lives == NULL || findings == 0) return;
  size_t counts[LIFE_COUNT];
  count_lives(task, counts);
  printf("%zu findings:", findings);
  const char *separator = " ";
  for (int life = 0; life < LIFE_COUNT; life++) {
    if (counts[life] == 0 && life != LIFE_NEW) continue;
    printf("%s%zu %s", separator, counts[life], life_spelling((life_t)life));
    separator = ", ";
  }
  printf("\n");
}

json_t *finding_lives_json(const task_t *task) {
  if (task->lives == NULL) return json_null();
  size_t counts[LIFE_COUNT];
  count_lives(task, counts);
  json_t *object = json_object();
  for (int life = 0; life < LIFE_COUNT; life++) {
    json_object_set_new(object, life_spelling((life_t)life),
                        json_integer((json_int_t)counts[life]));
  }
  return object;
}

int task_exit_code(const task_t *task) {
  int exit_code = EXIT_CODE_CLEAN;
  for (size_t i = 0; i < session_finding_count(task->session); i++) {
    const finding_t *finding = session_finding(task->session, i);
    if (!finding_fails(task, finding)) continue;
    if (finding->verdict.outcome == OUTCOME_diverges) return EXIT_CODE_DIVERGES;
    exit_code = EXIT_CODE_FAILED;
  }
  return exit_code;
}
