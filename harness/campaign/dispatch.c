/* SPDX-License-Identifier: Apache-2.0 */
/* Which worker does what: starts slices, and looks at how they ended. */
#include <glib.h>
#include <math.h>
#include <stdlib.h>

#include "harness/base/log.h"
#include "harness/campaign/collect.h"
#include "harness/campaign/folder.h"
#include "harness/campaign/parts.h"

#define SLICE_SECONDS_MIN 5.0
#define SLICE_SECONDS_MAX 120.0
#define SLICE_SECONDS_MAX_DEAR 600.0 /* A worker in Python takes seconds to start. */
#define SECONDS_LEFT_MIN 1.0         /* Less is not worth a slice. */

enum { SLICES_PER_EXECUTOR = 6 }; /* At least, in a campaign that is long enough. */

static bool is_time_over(const loop_t *loop) {
  return loop->state->seconds_total - loop->state->seconds_spent < SECONDS_LEFT_MIN;
}

static double slice_seconds(const loop_t *loop, size_t executor) {
  const campaign_loop_options_t *options = loop->options;
  double most = options->compiling_is_dear[executor] ? SLICE_SECONDS_MAX_DEAR : SLICE_SECONDS_MAX;
  double fair = loop->state->seconds_total * (double)options->jobs /
                (double)(options->executor_count * SLICES_PER_EXECUTOR);
  double left = loop->state->seconds_total - loop->state->seconds_spent;
  return ceil(fmin(fmin(fmax(fair, SLICE_SECONDS_MIN), most), left));
}

static bool is_busy_with(const loop_t *loop, size_t executor) {
  for (size_t i = 0; i < loop->options->jobs; i++) {
    const time_slice_t *slice = &loop->slices[i];
    if (slice->process != 0 && slice->executor == executor) return true;
  }
  return false;
}

/* Chores come first, one worker to an executor: nobody else should read its corpus then. */
static bool find_chore(const loop_t *loop, size_t *out_executor, time_slice_kind_t *out_kind) {
  for (size_t i = 0; i < loop->options->executor_count; i++) {
    if (is_busy_with(loop, i) || !(loop->has_crashes[i] || loop->is_oversized[i])) continue;
    *out_executor = i;
    *out_kind = loop->has_crashes[i] ? TIME_SLICE_CRASHES : TIME_SLICE_MINIMISE;
    return true;
  }
  return false;
}

/* All slices draw where programs are given: a search makes its own.  Else slices come in rounds of
 * one for each executor. */
static time_slice_kind_t kind_of_slice(const loop_t *loop, size_t executor, uint64_t number) {
  if (loop->options->programs != NULL) return TIME_SLICE_DRAW;
  uint64_t round = number / loop->options->executor_count;
  return time_slice_kind_of_round(round, loop->options->compiling_is_dear[executor]);
}

static void on_exit_of_slice(GPid process, gint wait_status, gpointer context);

static void start_slice(loop_t *loop, size_t worker) {
  time_slice_kind_t kind = TIME_SLICE_SEARCH;
  size_t executor = 0;
  bool is_chore = find_chore(loop, &executor, &kind);
  if (kind != TIME_SLICE_CRASHES && is_time_over(loop)) return;
  if (!is_chore) {
    executor = campaign_share_pick(loop->state->items, loop->options->executor_count);
    if (executor == loop->options->executor_count) return;
  }
  uint64_t number = 0;
  if (!campaign_take_slice_number(loop, &number)) return;
  if (!is_chore) kind = kind_of_slice(loop, executor, number);
  time_slice_t *slice = &loop->slices[worker];
  *slice = (time_slice_t){
      .kind = kind,
      .worker = worker,
      .executor = executor,
      .executor_name = loop->options->executors[executor],
      .number = number,
      .seed = campaign_state_slice_seed(loop->state, number),
      .seconds = slice_seconds(loop, executor),
      .isolate = loop->state->isolated[executor],
      .recalls = loop->options->compiling_is_dear[executor] && !loop->options->has_twins};
  slice->probes = loop->options->probes != NULL && loop->options->probes[executor] &&
                  (kind == TIME_SLICE_SEARCH || kind == TIME_SLICE_DRAW);
  slice->counts_refused = slice->probes && !loop->has_begun[executor];
  loop->has_begun[executor] |= slice->probes;
  if (kind == TIME_SLICE_CRASHES) loop->has_crashes[executor] = false;
  if (kind == TIME_SLICE_MINIMISE) loop->is_oversized[executor] = false;
  bool has_thresholds =
      loop->options->thresholds != NULL && loop->options->has_thresholds[executor];
  const time_slice_options_t options = {
      .program = loop->options->program,
      .folder = loop->options->folder,
      .name = loop->state->name,
      .part_of = loop->run_uuid,
      .strata = loop->options->strata,
      .programs = loop->options->programs,
      .data_sets = loop->options->data_sets,
      .thresholds = has_thresholds ? loop->options->thresholds : NULL,
      .arguments = loop->options->arguments};
  failure_t error = {0};
  campaign_share_begin(&loop->state->items[executor], slice->seconds);
  if (time_slice_start(slice, &options, &error) == STATUS_OK) {
    g_child_watch_add(slice->process, on_exit_of_slice, loop);
    return;
  }
  campaign_tell(loop, g_strdup(error.text));
  const campaign_share_yield_t nothing = {.seconds_planned = slice->seconds};
  campaign_share_end(&loop->state->items[executor], &nothing);
  time_slice_deinit(slice);
}

size_t campaign_running_slices(const loop_t *loop) {
  size_t count = 0;
  for (size_t i = 0; i < loop->options->jobs; i++) count += loop->slices[i].process != 0;
  return count;
}

void campaign_keep_busy(loop_t *loop) {
  for (size_t i = 0; i < loop->options->jobs && loop->stops == 0; i++) {
    if (loop->slices[i].process == 0) start_slice(loop, i);
  }
  if (campaign_running_slices(loop) == 0) g_main_loop_quit(loop->main);
}

static size_t count_files(const char *folder) {
  GDir *directory = g_dir_open(folder, 0, NULL);
  size_t count = 0;
  if (directory == NULL) return 0;
  while (g_dir_read_name(directory) != NULL) count++;
  g_dir_close(directory);
  return count;
}

/* A corpus is read, and run, at the beginning of each slice. */
static void look_at_corpus(loop_t *loop, const time_slice_t *slice) {
  enum { FILES_MAX = 600, GROWTH = 2 };
  g_autofree char *corpus = campaign_folder_corpus(loop->options->folder, slice->executor_name);
  size_t size = count_files(corpus);
  if (slice->kind == TIME_SLICE_MINIMISE) loop->corpus_size[slice->executor] = size;
  loop->is_oversized[slice->executor] =
      size > FILES_MAX && size > GROWTH * loop->corpus_size[slice->executor];
}

/* A worker is told of where it did not end as it should. */
static void look_at_end(loop_t *loop, const time_slice_t *slice, int wait_status, uint64_t cases) {
  bool is_result = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
  unsigned crashes = time_slice_count_crashes(slice, loop->options->folder);
  if (crashes > slice->crashes_before && !loop->state->isolated[slice->executor]) {
    loop->has_crashes[slice->executor] = true;
    loop->state->isolated[slice->executor] = true;
    campaign_tell(loop,
                  g_strdup_printf("%s took its worker along: the case is kept in crashes/ and run "
                                  "again in a process of its own; from now on it is isolated",
                                  slice->executor_name));
    return;
  }
  bool was_stopped = loop->stops > 0 && WIFSIGNALED(wait_status);
  if (is_result || was_stopped) return;
  g_autofree char *words = time_slice_last_words(slice);
  if (WIFSIGNALED(wait_status)) {
    campaign_tell(
        loop, g_strdup_printf("the worker of %s was killed by signal %d after %" G_GUINT64_FORMAT
                              " cases; the others go on",
                              slice->executor_name, WTERMSIG(wait_status), cases));
  } else {
    campaign_tell(
        loop, g_strdup_printf("the worker of %s stopped with exit code %d after %" G_GUINT64_FORMAT
                              " cases: %s",
                              slice->executor_name, WEXITSTATUS(wait_status), cases, words));
  }
}

static void finish_slice(loop_t *loop, time_slice_t *slice, int wait_status) {
  store_merge_report_t report = {0};
  failure_t error = {0};
  uint64_t cases = campaign_collect_cases(slice->database);
  look_at_end(loop, slice, wait_status, cases);
  log_debug(LOG_CAMPAIGN,
            "worker %zu, slice %" G_GUINT64_FORMAT ": wait status %d, %" G_GUINT64_FORMAT " cases",
            slice->worker, slice->number, wait_status, cases);
  if (campaign_collect_last(loop->store, slice->database, &report, &error) != STATUS_OK) {
    campaign_tell(loop, g_strdup_printf("%s; it is tried again", error.text));
  }
  campaign_share_item_t *item = &loop->state->items[slice->executor];
  bool is_chore = slice->kind == TIME_SLICE_MINIMISE || slice->kind == TIME_SLICE_CRASHES;
  const campaign_share_yield_t yield = {
      .seconds_planned = slice->seconds,
      .seconds = (double)(g_get_monotonic_time() - slice->begin_us) / G_USEC_PER_SEC,
      .cases = is_chore ? 1 : cases, /* A chore that has none is no failure. */
      .findings_new = (uint64_t)report.findings_new,
      .counters_new = (uint64_t)report.counters_new};
  bool was_set_aside = item->set_aside;
  if (loop->stops == 0) campaign_share_end(item, &yield);
  if (item->set_aside && !was_set_aside) {
    campaign_tell(loop, g_strdup_printf("%s is set aside: %d slices in a row ran nothing",
                                        slice->executor_name, CAMPAIGN_SHARE_FAILURES_MAX));
  }
  look_at_corpus(loop, slice);
}

static void on_exit_of_slice(GPid process, gint wait_status, gpointer context) {
  loop_t *loop = context;
  g_spawn_close_pid(process);
  for (size_t i = 0; i < loop->options->jobs; i++) {
    time_slice_t *slice = &loop->slices[i];
    if (slice->process != process) continue;
    finish_slice(loop, slice, wait_status);
    time_slice_deinit(slice);
  }
  campaign_update_totals(loop);
  campaign_write_state(loop);
  campaign_keep_busy(loop);
}
