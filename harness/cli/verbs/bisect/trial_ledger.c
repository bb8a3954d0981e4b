/* SPDX-License-Identifier: Apache-2.0 */
/* A file of lines of tab-separated fields, to which lines are only added. */
#include "harness/cli/verbs/bisect/trial_ledger.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const outcome_names[] = {[TRIAL_CONFORMS] = "conforms",
                                            [TRIAL_DIVERGES] = "diverges",
                                            [TRIAL_UNTESTABLE] = "untestable"};

enum { FIELDS = 4 };

static char *key_of(const char *key, const char *release) {
  return g_strconcat(key, "\t", release, NULL);
}

static bool read_outcome(const char *text, trial_outcome_t *out_outcome) {
  for (size_t i = TRIAL_CONFORMS; i < G_N_ELEMENTS(outcome_names); i++) {
    if (strcmp(outcome_names[i], text) != 0) continue;
    *out_outcome = (trial_outcome_t)i;
    return true;
  }
  return false;
}

static void take_line(trial_ledger_t *ledger, const char *line) {
  g_auto(GStrv) fields = g_strsplit(line, "\t", FIELDS);
  trial_outcome_t outcome;
  if (g_strv_length(fields) != FIELDS || !read_outcome(fields[2], &outcome)) return;
  g_hash_table_insert(ledger->lines, key_of(fields[0], fields[1]),
                      g_strconcat(fields[2], "\t", fields[3], NULL));
}

status_t trial_ledger_open(const char *backend, trial_ledger_t *out_ledger, failure_t *error) {
  g_autofree char *folder = g_build_filename(g_get_user_data_dir(), "assay", "bisect", NULL);
  if (g_mkdir_with_parents(folder, 0777) != 0) {
    return status_fail(error, STATUS_IO, "%s: %s", folder, g_strerror(errno));
  }
  g_autofree char *file = g_strconcat(backend, ".tsv", NULL);
  trial_ledger_t ledger = {.path = g_build_filename(folder, file, NULL),
                           .lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)};
  g_autofree char *text = NULL;
  if (g_file_get_contents(ledger.path, &text, NULL, NULL)) {
    char *end;
    for (char *line = text; (end = strchr(line, '\n')) != NULL; line = end + 1) {
      *end = '\0';
      take_line(&ledger, line);
    }
  }
  *out_ledger = ledger;
  return STATUS_OK;
}

void trial_ledger_close(trial_ledger_t *ledger) {
  g_hash_table_unref(ledger->lines);
  g_free(ledger->path);
}

bool trial_ledger_find(const trial_ledger_t *ledger, const char *key, const char *release,
                       trial_t *out_trial) {
  g_autofree char *name = key_of(key, release);
  const char *line = g_hash_table_lookup(ledger->lines, name);
  if (line == NULL) return false;
  g_auto(GStrv) fields = g_strsplit(line, "\t", 2);
  if (!read_outcome(fields[0], &out_trial->outcome)) return false;
  out_trial->detail = g_strdup(fields[1]);
  return true;
}

status_t trial_ledger_add(trial_ledger_t *ledger, const char *key, const char *release,
                          const trial_t *trial, failure_t *error) {
  /* What ends without a newline was cut off by whatever killed its writer: an empty line after it
   * keeps this one whole. */
  g_autofree char *line = g_strdup_printf("\n%s\t%s\t%s\t%s\n", key, release,
                                          outcome_names[trial->outcome], trial->detail);
  FILE *file = fopen(ledger->path, "a");
  bool is_written = file != NULL && fputs(line, file) >= 0;
  if (file != NULL) is_written = fclose(file) == 0 && is_written;
  if (!is_written) {
    return status_fail(error, STATUS_IO, "cannot write %s: %s", ledger->path, g_strerror(errno));
  }
  g_strchomp(line);
  take_line(ledger, line + 1);
  return STATUS_OK;
}
