/* SPDX-License-Identifier: Apache-2.0 */
/* assay merge: adds databases and corpora of shards, machines and colleagues to one. */
#include <stdio.h>
#include <string.h>

#include "harness/campaign/folder.h"
#include "harness/cli/options/arguments.h"
#include "harness/cli/task/interrupt.h"
#include "harness/store/merge.h"

typedef struct merge_totals {
  int merged;
  int failed;
  int64_t runs_new;
  int64_t findings_new;
  uint64_t corpus_new;
} merge_totals_t;

/* A folder where there is one, or where all sources are folders and the name is not that of a
 * database. */
static bool is_folder_target(const char *target, char *const *sources) {
  if (g_file_test(target, G_FILE_TEST_EXISTS)) return g_file_test(target, G_FILE_TEST_IS_DIR);
  if (g_str_has_suffix(target, ".db")) return false;
  for (; *sources != NULL; sources++) {
    if (!g_file_test(*sources, G_FILE_TEST_IS_DIR)) return false;
  }
  return true;
}

static status_t merge_one(store_t *store, const char *target, bool is_folder, const char *source,
                          merge_totals_t *totals, failure_t *error) {
  g_autofree char *path = campaign_database_path(source);
  store_merge_report_t report = {0};
  uint64_t corpus_new = 0;
  STATUS_TRY(store_merge(store, path, &report, error));
  if (is_folder && g_file_test(source, G_FILE_TEST_IS_DIR)) {
    STATUS_TRY(campaign_folder_merge_corpora(target, source, &corpus_new, error));
  }
  totals->merged++;
  totals->runs_new += report.runs_new;
  totals->findings_new += report.findings_new;
  totals->corpus_new += corpus_new;
  printf("%s: %" G_GINT64_FORMAT " runs (%" G_GINT64_FORMAT " findings) added\n", source,
         report.runs_new, report.findings_new);
  return STATUS_OK;
}

/* One that cannot be merged is told, and does not keep the others out. */
static int merge_all(store_t *store, const char *target, bool is_folder, char *const *sources) {
  const volatile sig_atomic_t *stop = interrupt_catch();
  merge_totals_t totals = {0};
  int exit_code = EXIT_CODE_CLEAN;
  for (; *sources != NULL && *stop == 0; sources++) {
    failure_t error = {0};
    status_t status = merge_one(store, target, is_folder, *sources, &totals, &error);
    if (status == STATUS_OK) continue;
    totals.failed++;
    exit_code = complain_status(status, &error);
  }
  printf("%d merged into %s: %" G_GINT64_FORMAT " new runs, %" G_GINT64_FORMAT
         " new findings, %" G_GUINT64_FORMAT " new cases of corpora",
         totals.merged, target, totals.runs_new, totals.findings_new, totals.corpus_new);
  if (totals.failed > 0) printf("; %d NOT merged", totals.failed);
  printf("\n");
  return exit_code;
}

static int merge(const char *target, char *const *sources) {
  failure_t error = {0};
  bool is_folder = is_folder_target(target, sources);
  status_t status = is_folder ? campaign_folder_make(target, &error) : STATUS_OK;
  g_autofree char *path = is_folder ? campaign_folder_database(target) : g_strdup(target);
  store_t *store = NULL;
  if (status == STATUS_OK) status = store_open(path, &store, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  int exit_code = merge_all(store, target, is_folder, sources);
  status = store_close(store, &error);
  return status == STATUS_OK ? exit_code : complain_status(status, &error);
}

int command_merge(const command_t *command, int argc, char **argv) {
  arguments_t arguments = arguments_make(command);
  if (!arguments_parse(&arguments, &argc, &argv, 2, G_MAXINT)) return EXIT_CODE_USAGE;
  if (g_strv_contains((const char *const *)argv + 1, "")) {
    complain("an empty name is no database; write `assay merge TARGET SOURCE...`");
    return EXIT_CODE_USAGE;
  }
  return merge(argv[1], argv + 2);
}
