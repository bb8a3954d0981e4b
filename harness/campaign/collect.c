/* SPDX-License-Identifier: Apache-2.0 */
/* Merges workers' databases into the campaign's, live or finished, and removes finished ones only
 * after a checkpoint; leftovers of killed runs are merged too. */
#include "harness/campaign/collect.h"

#include <glib/gstdio.h>

#include "harness/campaign/folder.h"
#include "harness/store/campaign.h"

/* A worker makes its file before it has a schema, and the schema with a rollback journal: where
 * there is one, nothing has been recorded yet. */
static bool is_there(const char *path) {
  g_autofree char *journal = g_strconcat(path, "-journal", NULL);
  GStatBuf file;
  return g_stat(path, &file) == 0 && file.st_size > 0 && !g_file_test(journal, G_FILE_TEST_EXISTS);
}

status_t campaign_collect(store_t *store, const char *path, store_merge_report_t *out_report,
                          failure_t *error) {
  *out_report = (store_merge_report_t){0};
  return is_there(path) ? store_merge(store, path, out_report, error) : STATUS_OK;
}

static void remove_database(const char *path) {
  static const char *const endings[] = {"-journal", "-wal", "-shm", ""};
  for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
    g_autofree char *file = g_strconcat(path, endings[i], NULL);
    g_remove(file);
  }
}

status_t campaign_collect_last(store_t *store, const char *path, store_merge_report_t *out_report,
                               failure_t *error) {
  *out_report = (store_merge_report_t){0};
  if (is_there(path)) {
    STATUS_TRY(store_merge_ended(store, path, out_report, error));
    STATUS_TRY(store_checkpoint(store, error));
  }
  remove_database(path);
  return STATUS_OK;
}

static void collect_leftover(store_t *store, const char *path, GPtrArray *out_messages) {
  store_merge_report_t report;
  failure_t error = {0};
  if (campaign_collect_last(store, path, &report, &error) == STATUS_OK) return;
  g_ptr_array_add(out_messages, g_strdup_printf("%s; it stays where it is", error.text));
}

void campaign_collect_leftovers(store_t *store, const char *folder, const char *const *present,
                                GPtrArray *out_messages) {
  g_autofree char *workers = campaign_folder_workers(folder);
  GDir *directory = g_dir_open(workers, 0, NULL);
  if (directory == NULL) return;
  for (const char *name; (name = g_dir_read_name(directory)) != NULL;) {
    g_autofree char *path = g_build_filename(workers, name, NULL);
    if (!g_str_has_suffix(name, ".db") || g_strv_contains(present, path)) continue;
    collect_leftover(store, path, out_messages);
  }
  g_dir_close(directory);
}

static status_t take_count(void *context, int column_count, const char *const *names,
                           const store_value_t *values, failure_t *error) {
  (void)column_count;
  (void)names;
  (void)error;
  if (values != NULL) *(uint64_t *)context = (uint64_t)values[0].integer;
  return STATUS_OK;
}

uint64_t campaign_collect_cases(const char *path) {
  uint64_t cases = 0;
  failure_t ignored;
  if (!is_there(path)) return 0;
  store_query(path, "SELECT coalesce(sum(cases), 0) FROM counter", take_count, &cases, &ignored);
  return cases;
}
