/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the life-cycle state of each finding and decides which findings make a report fail. */
#include "reports/overview/overview_states.h"

#include <string.h>

#include "harness/store/reader.h"

typedef struct finding_state {
  char *spelling; /* Owned. */
  bool is_news;
} finding_state_t;

static void state_free(gpointer pointer) {
  finding_state_t *state = (finding_state_t *)pointer;
  g_free(state->spelling);
  g_free(state);
}

static char *make_key(const char *executor, const char *signature) {
  return g_strdup_printf("%s %s", signature, executor);
}

static status_t add_state(void *context, int column_count, const char *const *names,
                          const store_value_t *values, failure_t *error) {
  (void)column_count, (void)names, (void)error;
  if (values == NULL) return STATUS_OK;
  finding_state_t *state = g_new(finding_state_t, 1);
  *state =
      (finding_state_t){.spelling = g_strdup(values[2].text), .is_news = values[3].integer != 0};
  g_hash_table_insert((GHashTable *)context, make_key(values[0].text, values[1].text), state);
  return STATUS_OK;
}

status_t overview_read_states(const char *path, const GArray *ids, GHashTable **out_states,
                              failure_t *error) {
  static const char sql[] = "SELECT executor, signature, state, is_news FROM finding_state";
  store_reader_t *reader = NULL;
  STATUS_TRY(store_reader_open(path, NULL, &reader, error));
  GHashTable *states = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, state_free);
  status_t status = STATUS_OK;
  if (ids != NULL) {
    const int64_t *numbers = (const int64_t *)(gpointer)ids->data;
    status = store_reader_ask_for(reader, numbers, ids->len, error);
  }
  if (status == STATUS_OK) status = store_reader_query(reader, sql, add_state, states, error);
  store_reader_close(reader);
  if (status != STATUS_OK) {
    g_hash_table_destroy(states);
    return status;
  }
  *out_states = states;
  return STATUS_OK;
}

/* NULL of a finding that came while the report was read: it is new. */
static const finding_state_t *find_state(const overview_t *overview, size_t index) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_FINDINGS];
  g_autofree char *key = make_key(overview_text(grid, index, "executor_name"),
                                  overview_text(grid, index, "signature"));
  return (const finding_state_t *)g_hash_table_lookup(overview->states, key);
}

const char *overview_finding_state(const overview_t *overview, size_t index) {
  const finding_state_t *state = find_state(overview, index);
  return state == NULL ? "new" : state->spelling;
}

bool overview_finding_fails(const overview_t *overview, size_t index) {
  const finding_state_t *state = find_state(overview, index);
  if (state == NULL) return fail_on_counts(overview->fail_on, "new", true);
  return fail_on_counts(overview->fail_on, state->spelling, state->is_news);
}

void overview_failures(const overview_t *overview, bool *out_diverged, bool *out_failed) {
  *out_diverged = *out_failed = false;
  const report_grid_t *grid = &overview->sections[OVERVIEW_FINDINGS];
  for (size_t i = 0; i < overview_finding_count(overview); i++) {
    if (!overview_finding_fails(overview, i)) continue;
    bool diverged = strcmp(overview_text(grid, i, "outcome"), "diverges") == 0;
    *out_diverged |= diverged;
    *out_failed |= !diverged;
  }
}
