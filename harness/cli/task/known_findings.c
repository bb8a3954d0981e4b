/* SPDX-License-Identifier: Apache-2.0 */
/* Set of findings for which the database already holds a shrunk case, by executor and signature,
 * read once when a run starts. */
#include "harness/cli/task/known_findings.h"

#include "harness/store/store.h"

struct known_findings {
  GHashTable *keys; /* Owned texts: the executor's name, a newline, the signature. */
};

static status_t add_row(void *context, int column_count, const char *const *names,
                        const store_value_t *values, failure_t *error) {
  (void)column_count;
  (void)names;
  (void)error;
  known_findings_t *known = context;
  if (values != NULL) {
    g_hash_table_add(known->keys, g_strdup_printf("%s\n%s", values[0].text, values[1].text));
  }
  return STATUS_OK;
}

status_t known_findings_open(const char *database, known_findings_t **out_known, failure_t *error) {
  known_findings_t *known = g_new0(known_findings_t, 1);
  known->keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  status_t status = STATUS_OK;
  if (g_file_test(database, G_FILE_TEST_EXISTS)) {
    status = store_query(database,
                         "SELECT name, signature FROM divergence JOIN executor USING (executor_id) "
                         "JOIN reproducer USING (divergence_id) WHERE role = 'shrunk'",
                         add_row, known, error);
  }
  if (status != STATUS_OK) {
    known_findings_close(known);
    return status;
  }
  *out_known = known;
  return STATUS_OK;
}

void known_findings_close(known_findings_t *known) {
  if (known == NULL) return;
  g_hash_table_unref(known->keys);
  g_free(known);
}

bool known_findings_has(void *context, const char *executor, const hash_text_t *signature) {
  const known_findings_t *known = context;
  g_autofree char *key = g_strdup_printf("%s\n%s", executor, signature->text);
  return g_hash_table_contains(known->keys, key);
}

finding_shrinker_t known_findings_shrinker(known_findings_t *known, bool is_on, uint32_t percent) {
  return (finding_shrinker_t){.is_on = is_on,
                              .is_known = known == NULL ? NULL : known_findings_has,
                              .context = known,
                              .percent_max = percent};
}
