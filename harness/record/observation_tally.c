/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what was observed of algorithms, formulas and contracts, keyed by executor, label and
 * observed set. Texts are interned, so keys compare by pointer. */
#include "harness/record/observation_tally.h"

#include <string.h>

struct observation_tally {
  GPtrArray *rows;     /* Owned observation_row_t, in order of first appearance. */
  GHashTable *by_key;  /* Borrowed rows; a row is its own key. */
  GStringChunk *texts; /* Observed sets, each once. */
};

/* Equal texts are one pointer. */
static guint row_hash(gconstpointer pointer) {
  const observation_row_t *row = (const observation_row_t *)pointer;
  guint hash = ((guint)row->kind * 31 + (guint)row->executor) * 31 + g_direct_hash(row->observed);
  hash = hash * 31 + g_direct_hash(row->label.op);
  hash = hash * 31 + g_direct_hash(row->label.algorithm);
  return hash * 31 + g_direct_hash(row->label.types);
}

static gboolean row_equal(gconstpointer a, gconstpointer b) {
  const observation_row_t *left = (const observation_row_t *)a;
  const observation_row_t *right = (const observation_row_t *)b;
  return left->kind == right->kind && left->executor == right->executor &&
         left->observed == right->observed && left->label.op == right->label.op &&
         left->label.algorithm == right->label.algorithm && left->label.types == right->label.types;
}

const char *observation_kind_spelling(observation_kind_t kind) {
  static const char *const spellings[] = {[OBSERVATION_ALGORITHM] = "algorithm",
                                          [OBSERVATION_FORMULA] = "formula",
                                          [OBSERVATION_PRECISION] = "precision",
                                          [OBSERVATION_CONTRACT] = "contract"};
  return spellings[kind];
}

bool observation_set_has(const char *set, const char *algorithm) {
  size_t size = strlen(algorithm);
  for (const char *name = set; *name != '\0';) {
    size_t name_size = strcspn(name, "|");
    if (name_size == size && memcmp(name, algorithm, size) == 0) return true;
    name += name_size;
    if (*name == '|') name++;
  }
  return false;
}

observation_tally_t *observation_tally_new(void) {
  observation_tally_t *observations = g_new0(observation_tally_t, 1);
  observations->rows = g_ptr_array_new_with_free_func(g_free);
  observations->by_key = g_hash_table_new(row_hash, row_equal);
  observations->texts = g_string_chunk_new(4096);
  return observations;
}

void observation_tally_free(observation_tally_t *observations) {
  g_hash_table_destroy(observations->by_key);
  g_ptr_array_unref(observations->rows);
  g_string_chunk_free(observations->texts);
  g_free(observations);
}

static void count_observed(observation_tally_t *observations, observation_row_t key,
                           const char *observed) {
  key.observed = g_string_chunk_insert_const(observations->texts, observed);
  observation_row_t *row = (observation_row_t *)g_hash_table_lookup(observations->by_key, &key);
  if (row == NULL) {
    row = g_new(observation_row_t, 1);
    *row = key;
    g_ptr_array_add(observations->rows, row);
    g_hash_table_add(observations->by_key, row);
  }
  row->cases++;
}

void observation_tally_add(observation_tally_t *observations, size_t executor,
                           const tally_label_t *label, const verdict_t *verdict) {
  observation_row_t key = {.kind = OBSERVATION_ALGORITHM, .executor = executor, .label = *label};
  if (verdict->has_algorithms) count_observed(observations, key, verdict->algorithms);
  key.kind = OBSERVATION_FORMULA;
  if (verdict->formula != NULL) count_observed(observations, key, verdict->formula);
  key.kind = OBSERVATION_PRECISION;
  if (verdict->precision != NULL) count_observed(observations, key, verdict->precision);
  key.kind = OBSERVATION_CONTRACT;
  if (verdict->contract != NULL) count_observed(observations, key, verdict->contract);
}

size_t observation_tally_count(const observation_tally_t *observations) {
  return observations->rows->len;
}

observation_row_t *observation_tally_at(observation_tally_t *observations, size_t index) {
  return (observation_row_t *)g_ptr_array_index(observations->rows, index);
}
