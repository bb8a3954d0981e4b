/* SPDX-License-Identifier: Apache-2.0 */
/* Counts, per pair of executors and label, whether both gave the same bits and which of the two
 * conforms. */
#include "harness/record/pair_tally.h"

struct pair_tally {
  GPtrArray *rows;    /* Owned pair_row_t, in order of first appearance. */
  GHashTable *by_key; /* Borrowed rows; a row is its own key. */
};

/* Equal texts of labels are one pointer. */
static guint row_hash(gconstpointer pointer) {
  const pair_row_t *row = (const pair_row_t *)pointer;
  guint hash = (guint)row->first * 31 + (guint)row->second;
  hash = hash * 31 + g_direct_hash(row->label.op);
  hash = hash * 31 + g_direct_hash(row->label.algorithm);
  return hash * 31 + g_direct_hash(row->label.types);
}

static gboolean row_equal(gconstpointer a, gconstpointer b) {
  const pair_row_t *left = (const pair_row_t *)a;
  const pair_row_t *right = (const pair_row_t *)b;
  return left->first == right->first && left->second == right->second &&
         left->label.op == right->label.op && left->label.algorithm == right->label.algorithm &&
         left->label.types == right->label.types;
}

pair_tally_t *pair_tally_new(void) {
  pair_tally_t *pairs = g_new0(pair_tally_t, 1);
  pairs->rows = g_ptr_array_new_with_free_func(g_free);
  pairs->by_key = g_hash_table_new(row_hash, row_equal);
  return pairs;
}

void pair_tally_free(pair_tally_t *pairs) {
  g_hash_table_destroy(pairs->by_key);
  g_ptr_array_unref(pairs->rows);
  g_free(pairs);
}

static pair_row_t *find_or_add(pair_tally_t *pairs, const pair_row_t *key) {
  pair_row_t *row = (pair_row_t *)g_hash_table_lookup(pairs->by_key, key);
  if (row != NULL) return row;
  row = g_new(pair_row_t, 1);
  *row = *key;
  g_ptr_array_add(pairs->rows, row);
  g_hash_table_add(pairs->by_key, row);
  return row;
}

static pair_relation_t relate(const result_digest_t *first, const result_digest_t *second) {
  bool is_alike =
      first->digest.high == second->digest.high && first->digest.low == second->digest.low;
  bool first_diverges = first->outcome == OUTCOME_diverges;
  bool second_diverges = second->outcome == OUTCOME_diverges;
  if (is_alike) return first_diverges && second_diverges ? PAIR_ALIKE_WRONG : PAIR_ALIKE;
  if (first_diverges) return second_diverges ? PAIR_BOTH_DIVERGE : PAIR_FIRST_DIVERGES;
  if (second_diverges) return PAIR_SECOND_DIVERGES;
  bool both_conform = first->outcome == OUTCOME_conforms && second->outcome == OUTCOME_conforms;
  return both_conform ? PAIR_BOTH_CONFORM : PAIR_UNDECIDED;
}

void pair_tally_add(pair_tally_t *pairs, const tally_label_t *label,
                    const result_digest_t *responses, size_t count) {
  for (size_t first = 0; first < count; first++) {
    if (!responses[first].has_results) continue;
    for (size_t second = first + 1; second < count; second++) {
      if (!responses[second].has_results) continue;
      const pair_row_t key = {.first = first, .second = second, .label = *label};
      find_or_add(pairs, &key)->cases[relate(&responses[first], &responses[second])]++;
    }
  }
}

uint64_t pair_cases(const uint64_t *cases) {
  return cases[PAIR_ALIKE] + cases[PAIR_ALIKE_WRONG] + pair_different(cases);
}

uint64_t pair_different(const uint64_t *cases) {
  uint64_t sum = 0;
  for (int i = PAIR_BOTH_CONFORM; i < PAIR_RELATION_COUNT; i++) sum += cases[i];
  return sum;
}

size_t pair_tally_count(const pair_tally_t *pairs) { return pairs->rows->len; }

pair_row_t *pair_tally_at(pair_tally_t *pairs, size_t index) {
  return (pair_row_t *)g_ptr_array_index(pairs->rows, index);
}
