/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps copies of rows until they are written. */
#include "harness/store/pending.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "harness/store/severity/severity.h"

static void free_divergence(gpointer data) {
  pending_divergence_t *divergence = data;
  row_free(ROW_divergence, divergence->first);
  row_free(ROW_divergence, divergence->worst);
  row_free(ROW_divergence, divergence->shortest);
  row_free(ROW_divergence, divergence->gravest);
  g_free(divergence);
}

static void clear_row(gpointer data) {
  const pending_row_t *pending = data;
  row_free(pending->kind, pending->row);
}

void pending_init(pending_t *pending) {
  pending->divergences = g_ptr_array_new_with_free_func(free_divergence);
  pending->findings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  pending->rows = g_array_new(FALSE, FALSE, sizeof(pending_row_t));
  g_array_set_clear_func(pending->rows, clear_row);
}

void pending_deinit(pending_t *pending) {
  g_hash_table_destroy(pending->findings);
  g_ptr_array_unref(pending->divergences);
  g_array_unref(pending->rows);
}

void pending_clear(pending_t *pending) {
  g_hash_table_remove_all(pending->findings);
  g_ptr_array_set_size(pending->divergences, 0);
  g_array_set_size(pending->rows, 0);
}

bool pending_is_empty(const pending_t *pending) {
  return pending->divergences->len == 0 && pending->rows->len == 0;
}

void pending_add(pending_t *pending, row_kind_t kind, const void *row) {
  const pending_row_t added = {.kind = kind, .row = row_copy(kind, row)};
  g_array_append_val(pending->rows, added);
}

/* NaN is "not measured", which is least. */
static double measure_or_least(double measure) { return isnan(measure) ? -1 : measure; }

/* By slack, then by ulp error; as append_if_better() in rows/row_sql.c has it. */
static bool is_worse(const store_divergence_t *a, const store_divergence_t *b) {
  double slack_a = measure_or_least(a->slack);
  double slack_b = measure_or_least(b->slack);
  if (slack_a != slack_b) return slack_a > slack_b;
  return measure_or_least(a->ulp_error) > measure_or_least(b->ulp_error);
}

/* Likewise by severity, then by weight, then by length. */
static bool is_graver(const store_divergence_t *a, const store_divergence_t *b) {
  severity_id_t severity_a = severity_find(a->severity);
  severity_id_t severity_b = severity_find(b->severity);
  if (severity_a != severity_b) return severity_a < severity_b;
  if (a->severity_weight != b->severity_weight) return a->severity_weight > b->severity_weight;
  return strlen(a->case_line) < strlen(b->case_line);
}

static const char *text_or_empty(const char *text) { return text == NULL ? "" : text; }

store_divergence_t pending_graded(const store_divergence_t *divergence) {
  store_divergence_t graded = *divergence;
  const severity_case_t instance = {.class_ = text_or_empty(divergence->class),
                                    .cause = text_or_empty(divergence->cause),
                                    .types = text_or_empty(divergence->types),
                                    .case_line = text_or_empty(divergence->case_line),
                                    .got = text_or_empty(divergence->got),
                                    .expected = text_or_empty(divergence->expected)};
  const severity_t severity = severity_of(&instance);
  graded.severity = severity_spelling(severity.id);
  graded.data_extent = severity.data_extent;
  graded.relative_error = severity.relative_error;
  graded.severity_weight = severity.weight;
  return graded;
}

static void replace(store_divergence_t **kept, const store_divergence_t *better) {
  row_free(ROW_divergence, *kept);
  *kept = row_copy(ROW_divergence, better);
}

void pending_add_divergence(pending_t *pending, const store_divergence_t *seen, int64_t now) {
  const store_divergence_t graded = pending_graded(seen);
  const store_divergence_t *divergence = &graded;
  g_autofree char *key = g_strdup_printf("%" PRId64 " %" PRId64 " %s", divergence->executor_id,
                                         divergence->run_id, divergence->signature);
  pending_divergence_t *known = g_hash_table_lookup(pending->findings, key);
  if (known == NULL) {
    known = g_new(pending_divergence_t, 1);
    *known = (pending_divergence_t){.sightings = 1,
                                    .first_seen = now,
                                    .last_seen = now,
                                    .first = row_copy(ROW_divergence, divergence),
                                    .worst = row_copy(ROW_divergence, divergence),
                                    .shortest = row_copy(ROW_divergence, divergence),
                                    .gravest = row_copy(ROW_divergence, divergence)};
    g_hash_table_insert(pending->findings, g_steal_pointer(&key), known);
    g_ptr_array_add(pending->divergences, known);
    return;
  }
  known->sightings++;
  known->last_seen = now;
  if (is_worse(divergence, known->worst)) replace(&known->worst, divergence);
  if (is_graver(divergence, known->gravest)) replace(&known->gravest, divergence);
  if (strlen(divergence->case_line) < strlen(known->shortest->case_line)) {
    replace(&known->shortest, divergence);
  }
}
