/* SPDX-License-Identifier: Apache-2.0 */
/* Starts one worker process with its own database and log, signals it and its process group, and
 * reads its last message and new crash files when it has ended. */
#include "harness/campaign/time_slice.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "harness/base/log.h"
#include "harness/campaign/folder.h"

/* What a slice finds and leaves as it is a later one makes small, which sees it again. */
#define SHRINK_PERCENT "20"

/* Runs in the child, before the program: only calls that are safe there. */
static void set_up_child(gpointer parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != *(const pid_t *)parent) _exit(1); /* It died before the line above. */
}

static char *crash_folder(const char *folder, const char *executor) {
  g_autofree char *crashes = campaign_folder_crashes(folder);
  g_autofree char *corpus = campaign_folder_corpus(folder, executor);
  g_autofree char *name = g_path_get_basename(corpus);
  return g_build_filename(crashes, name, NULL);
}

static void add(GPtrArray *words, const char *option, char *value) {
  g_ptr_array_add(words, g_strdup(option));
  if (value != NULL) g_ptr_array_add(words, value);
}

/* What `assay fuzz` takes and `assay run` does not. */
time_slice_kind_t time_slice_kind_of_round(uint64_t round, bool compiling_is_dear) {
  enum { ROUNDS_PER_DRAWN = 4, ROUNDS_PER_DRAWN_DEAR = 2 };
  uint64_t rounds = compiling_is_dear ? ROUNDS_PER_DRAWN_DEAR : ROUNDS_PER_DRAWN;
  return round % rounds == 1 ? TIME_SLICE_DRAW : TIME_SLICE_SEARCH;
}

static void add_search_words(GPtrArray *words, const time_slice_t *slice,
                             const time_slice_options_t *options) {
  bool is_crashes = slice->kind == TIME_SLICE_CRASHES;
  add(words, "--corpus",
      is_crashes ? crash_folder(options->folder, slice->executor_name)
                 : campaign_folder_corpus(options->folder, slice->executor_name));
  add(words, "--artifacts", crash_folder(options->folder, slice->executor_name));
  if (is_crashes) add(words, "--runs", g_strdup("1"));
  if (slice->recalls && !is_crashes) {
    add(words, "--outcomes", campaign_folder_outcomes(options->folder, slice->executor_name));
  }
  if (slice->kind == TIME_SLICE_MINIMISE) add(words, "--minimise-corpus", NULL);
}

static char **make_words(const time_slice_t *slice, const time_slice_options_t *options) {
  GPtrArray *words = g_ptr_array_new();
  bool is_drawn = slice->kind == TIME_SLICE_DRAW;
  add(words, options->program, g_strdup(is_drawn ? "run" : "fuzz"));
  add(words, "--executor", g_strdup(slice->executor_name));
  add(words, "--db", g_strdup(slice->database));
  add(words, "--campaign", g_strdup(options->name));
  add(words, "--part-of", g_strdup(options->part_of));
  add(words, "--shrink", NULL);
  if (slice->seconds > 0) add(words, "--shrink-percent", g_strdup(SHRINK_PERCENT));
  add(words, "--fail-on", g_strdup("never")); /* What is left are reasons why it did not go on. */
  add(words, "--known", campaign_folder_database(options->folder));
  add(words, "--seed", g_strdup_printf("%" G_GUINT64_FORMAT, slice->seed));
  if (is_drawn) {
    add(words, "--strata", g_strdup(options->strata));
    if (options->programs != NULL) add(words, "--programs", g_strdup(options->programs));
    if (options->data_sets != NULL) add(words, "--data-sets", g_strdup(options->data_sets));
    if (options->thresholds != NULL) add(words, "--thresholds", g_strdup(options->thresholds));
  } else {
    add_search_words(words, slice, options);
  }
  if (is_drawn || slice->kind == TIME_SLICE_SEARCH) {
    add(words, "--time", g_strdup_printf("%.0fs", slice->seconds));
  }
  if (slice->probes) add(words, "--probe", NULL);
  if (slice->counts_refused) add(words, "--count-refused", NULL);
  if (slice->isolate || slice->kind == TIME_SLICE_CRASHES) add(words, "--isolate", NULL);
  for (const char *const *word = options->arguments; *word != NULL; word++) {
    g_ptr_array_add(words, g_strdup(*word));
  }
  g_ptr_array_add(words, NULL);
  return (char **)g_ptr_array_free(words, FALSE);
}

static status_t spawn(time_slice_t *slice, char **words, failure_t *error) {
  int log = g_open(slice->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (log < 0) {
    return status_fail(error, STATUS_IO, "cannot write \"%s\": %s", slice->log, strerror(errno));
  }
  pid_t parent = getpid();
  g_autoptr(GError) failure = NULL;
  gboolean started = g_spawn_async_with_fds(
      NULL, words, NULL,
      G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDIN_FROM_DEV_NULL | G_SPAWN_CLOEXEC_PIPES, set_up_child,
      &parent, &slice->process, -1, log, log, &failure);
  close(log);
  g_autofree char *command = g_strjoinv(" ", words);
  log_debug(LOG_CAMPAIGN, "worker %zu, slice %" G_GUINT64_FORMAT ": %s", slice->worker,
            slice->number, command);
  if (started) return STATUS_OK;
  return status_fail(error, STATUS_IO, "cannot start a worker: %s", failure->message);
}

status_t time_slice_start(time_slice_t *slice, const time_slice_options_t *options,
                          failure_t *error) {
  g_autofree char *workers = campaign_folder_workers(options->folder);
  slice->database = g_strdup_printf("%s/worker-%zu-slice-%" G_GUINT64_FORMAT ".db", workers,
                                    slice->worker, slice->number);
  slice->log = g_strdup_printf("%s/worker-%zu.log", workers, slice->worker);
  slice->begin_us = g_get_monotonic_time();
  slice->crashes_before = time_slice_count_crashes(slice, options->folder);
  char **words = make_words(slice, options);
  status_t status = spawn(slice, words, error);
  g_strfreev(words);
  return status;
}

void time_slice_signal(const time_slice_t *slice, int signal_number) {
  if (slice->process == 0) return;
  kill(slice->process, signal_number);
  /* Its helpers too, where nothing needs to be finished: they are in its process group. */
  if (signal_number == SIGKILL) kill(-slice->process, SIGKILL);
}

char *time_slice_last_words(const time_slice_t *slice) {
  g_autofree char *text = NULL;
  if (!g_file_get_contents(slice->log, &text, NULL, NULL)) return g_strdup("");
  g_strchomp(text);
  /* Ours if there is one: libFuzzer talks on after it. */
  const char *ours = g_strrstr(text, "\nassay: ");
  if (ours == NULL && g_str_has_prefix(text, "assay: ")) ours = text;
  const char *last = strrchr(text, '\n');
  const char *line = ours != NULL ? ours : last != NULL ? last : text;
  if (*line == '\n') line++;
  const char *end = strchr(line, '\n');
  return end == NULL ? g_strdup(line) : g_strndup(line, (gsize)(end - line));
}

unsigned time_slice_count_crashes(const time_slice_t *slice, const char *folder) {
  g_autofree char *crashes = crash_folder(folder, slice->executor_name);
  GDir *directory = g_dir_open(crashes, 0, NULL);
  unsigned count = 0;
  if (directory == NULL) return 0;
  for (const char *name; (name = g_dir_read_name(directory)) != NULL;) {
    static const char *const kinds[] = {"crash-", "ended-", "hang-"};
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
      if (g_str_has_prefix(name, kinds[i])) count++;
    }
  }
  g_dir_close(directory);
  return count;
}

void time_slice_deinit(time_slice_t *slice) {
  g_free(slice->database);
  g_free(slice->log);
  *slice = (time_slice_t){0};
}
