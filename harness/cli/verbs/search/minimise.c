/* SPDX-License-Identifier: Apache-2.0 */
/* Reduces a fuzzing corpus: walks files from the shortest on, keeps those that add a feature, and
 * exchanges the folder with a new one in one step. */
#include "harness/cli/verbs/search/minimise.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/verbs/search/fuzz_cases.h"
#include "reports/run/summary.h"

/* A file of the corpus. */
typedef struct entry {
  char *name; /* Owned. */
  char *data; /* Likewise. */
  size_t size;
  bool is_kept;
} entry_t;

static void entry_clear(gpointer pointer) {
  entry_t *entry = (entry_t *)pointer;
  g_free(entry->name);
  g_free(entry->data);
}

static gint compare_entries(gconstpointer a, gconstpointer b) {
  const entry_t *left = (const entry_t *)a;
  const entry_t *right = (const entry_t *)b;
  if (left->size != right->size) return left->size < right->size ? -1 : 1;
  return strcmp(left->name, right->name);
}

static status_t read_corpus(const char *folder, GArray *out_entries, failure_t *error) {
  g_autoptr(GError) failure = NULL;
  g_autoptr(GDir) listing = g_dir_open(folder, 0, &failure);
  if (listing == NULL) return status_fail(error, STATUS_INVALID, "%s", failure->message);
  const char *name;
  while ((name = g_dir_read_name(listing)) != NULL) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    entry_t entry = {0};
    if (!g_file_get_contents(path, &entry.data, &entry.size, &failure)) {
      return status_fail(error, STATUS_IO, "%s: a corpus holds files alone", failure->message);
    }
    entry.name = g_strdup(name);
    g_array_append_val(out_entries, entry);
  }
  g_array_sort(out_entries, compare_entries);
  return STATUS_OK;
}

static bool has_op(const task_t *task, const op_t *op) {
  const stream_options_t *stream = &task->options.stream;
  for (size_t i = 0; i < stream->op_count; i++) {
    if (stream->ops[i] == op) return true;
  }
  return false;
}

/* Decides about one file; false after a complaint, with *out_exit_code. */
static bool decide(fuzz_runner_t *runner, entry_t *entry, int *out_exit_code) {
  search_proposal_t proposal;
  const uint8_t *data = (const uint8_t *)entry->data;
  size_t size = entry->size;
  while (size > 0 && data[size - 1] == '\n') size--;
  entry->is_kept = true;
  if (!fuzz_runner_read(runner, data, size, &proposal)) return true;
  if (!has_op(runner->task, proposal.instance.program.op)) return true;
  size_t features = search_feature_count(runner->search);
  *out_exit_code = fuzz_take_case(runner, &proposal, data, size);
  entry->is_kept = search_feature_count(runner->search) > features;
  return *out_exit_code == EXIT_CODE_CLEAN;
}

static status_t remove_folder(const char *folder, failure_t *error) {
  g_autoptr(GDir) listing = g_dir_open(folder, 0, NULL);
  const char *name;
  while (listing != NULL && (name = g_dir_read_name(listing)) != NULL) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_unlink(path);
  }
  if (listing == NULL || g_rmdir(folder) == 0) return STATUS_OK;
  return status_fail(error, STATUS_IO, "cannot remove %s: %s", folder, g_strerror(errno));
}

/* Another process may have added files meanwhile: those come along. */
static status_t keep_newcomers(const char *old, const char *folder, const GArray *entries,
                               failure_t *error) {
  g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; i < entries->len; i++) {
    g_hash_table_add(known, g_array_index(entries, entry_t, i).name);
  }
  g_autoptr(GDir) listing = g_dir_open(old, 0, NULL);
  const char *name;
  while (listing != NULL && (name = g_dir_read_name(listing)) != NULL) {
    if (g_hash_table_contains(known, name)) continue;
    g_autofree char *from = g_build_filename(old, name, NULL);
    g_autofree char *to = g_build_filename(folder, name, NULL);
    if (g_rename(from, to) == 0) continue;
    return status_fail(error, STATUS_IO, "cannot move %s: %s", from, g_strerror(errno));
  }
  return STATUS_OK;
}

/* Writes the new folder beside the old one and exchanges the two in one step. */
static status_t replace_corpus(const char *folder, const GArray *entries, failure_t *error) {
  g_autofree char *other = g_strdup_printf("%s.minimised-%d", folder, (int)getpid());
  STATUS_TRY(remove_folder(other, error));
  if (g_mkdir(other, 0777) != 0) {
    return status_fail(error, STATUS_IO, "cannot make %s: %s", other, g_strerror(errno));
  }
  for (guint i = 0; i < entries->len; i++) {
    const entry_t *entry = &g_array_index(entries, entry_t, i);
    if (!entry->is_kept) continue;
    g_autoptr(GError) failure = NULL;
    g_autofree char *path = g_build_filename(other, entry->name, NULL);
    if (!g_file_set_contents_full(path, entry->data, (gssize)entry->size, G_FILE_SET_CONTENTS_NONE,
                                  0666, &failure)) {
      return status_fail(error, STATUS_IO, "%s", failure->message);
    }
  }
  if (renameat2(AT_FDCWD, other, AT_FDCWD, folder, RENAME_EXCHANGE) != 0) {
    return status_fail(error, STATUS_IO, "cannot exchange %s and %s: %s; the new corpus is in %s",
                       folder, other, g_strerror(errno), other);
  }
  STATUS_TRY(keep_newcomers(other, folder, entries, error));
  return remove_folder(other, error);
}

static guint count_kept(const GArray *entries) {
  guint kept = 0;
  for (guint i = 0; i < entries->len; i++) kept += g_array_index(entries, entry_t, i).is_kept;
  return kept;
}

static int minimise(fuzz_runner_t *runner, GArray *entries) {
  const char *folder = runner->options->corpus;
  failure_t error = {0};
  status_t status = read_corpus(folder, entries, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  int exit_code = EXIT_CODE_CLEAN;
  for (guint i = 0; i < entries->len; i++) {
    if (*session_options(runner->task->session)->stop != 0) {
      complain("interrupted; %s is as it was", folder);
      return run_report_exit_code(&runner->task->report);
    }
    if (!decide(runner, &g_array_index(entries, entry_t, i), &exit_code)) return exit_code;
  }
  status = replace_corpus(folder, entries, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  if (runner->task->flags->json) {
    summary_print_json(&runner->task->report);
  } else {
    printf("%s: %u of %u files kept\n", folder, count_kept(entries), entries->len);
  }
  return run_report_exit_code(&runner->task->report);
}

int fuzz_minimise(task_t *task, const fuzz_options_t *options) {
  fuzz_runner_t runner;
  fuzz_runner_init(&runner, task, options);
  GArray *entries = g_array_new(FALSE, FALSE, sizeof(entry_t));
  g_array_set_clear_func(entries, entry_clear);
  int exit_code = minimise(&runner, entries);
  failure_t error = {0};
  status_t status = task_settle(task, &error);
  if (status != STATUS_OK) exit_code = complain_status(status, &error);
  g_array_unref(entries);
  fuzz_runner_deinit(&runner);
  return task_close(task, exit_code);
}
