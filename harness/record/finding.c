/* SPDX-License-Identifier: Apache-2.0 */
/* Findings in order of discovery with a hash index by executor and signature; copies all text,
 * since cases live in short-lived arenas. */
#include "harness/record/finding.h"

#include <string.h>

struct finding_set {
  GPtrArray *findings;      /* Owned finding_t, in order of discovery. */
  GHashTable *by_signature; /* Borrowed; a finding is its own key. */
};

static guint finding_hash(gconstpointer pointer) {
  const finding_t *finding = (const finding_t *)pointer;
  return g_str_hash(finding->signature.text) * 31 + (guint)finding->executor;
}

static gboolean finding_equal(gconstpointer a, gconstpointer b) {
  const finding_t *left = (const finding_t *)a;
  const finding_t *right = (const finding_t *)b;
  return left->executor == right->executor &&
         strcmp(left->signature.text, right->signature.text) == 0;
}

static void finding_free(gpointer pointer) {
  finding_t *finding = (finding_t *)pointer;
  g_free(finding->implementation);
  g_free(finding->program_line);
  g_free(finding->case_line);
  g_free(finding->shrunk_line);
  g_free(finding);
}

finding_set_t *finding_set_new(void) {
  finding_set_t *set = g_new0(finding_set_t, 1);
  set->findings = g_ptr_array_new_with_free_func(finding_free);
  set->by_signature = g_hash_table_new(finding_hash, finding_equal);
  return set;
}

void finding_set_free(finding_set_t *set) {
  g_hash_table_destroy(set->by_signature);
  g_ptr_array_unref(set->findings);
  g_free(set);
}

finding_t *finding_set_find(const finding_set_t *set, size_t executor,
                            const hash_text_t *signature) {
  const finding_t key = {.executor = executor, .signature = *signature};
  return (finding_t *)g_hash_table_lookup(set->by_signature, &key);
}

const finding_t *finding_set_add(finding_set_t *set, const finding_t *finding) {
  finding_t *copy = g_new(finding_t, 1);
  *copy = *finding;
  copy->implementation = g_strdup(finding->implementation);
  copy->program_line = g_strdup(finding->program_line);
  copy->case_line = g_strdup(finding->case_line);
  copy->shrunk_line = g_strdup(finding->shrunk_line);
  g_ptr_array_add(set->findings, copy);
  g_hash_table_add(set->by_signature, copy);
  return copy;
}

void finding_set_keep_shrunk(finding_set_t *set, size_t executor, const hash_text_t *signature,
                             const char *shrunk_line) {
  finding_t *finding = finding_set_find(set, executor, signature);
  g_free(finding->shrunk_line);
  finding->shrunk_line = g_strdup(shrunk_line);
}

size_t finding_set_count(const finding_set_t *set) { return set->findings->len; }

const finding_t *finding_set_at(const finding_set_t *set, size_t index) {
  return (const finding_t *)g_ptr_array_index(set->findings, index);
}
