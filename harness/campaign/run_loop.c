/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinator of a campaign: starts worker processes for time slices, collects their databases
 * every few seconds, ends slices that overrun, handles interrupts and reports. State is written so
 * that a kill loses nothing reported. */
#include "harness/campaign/loop.h"

#include <glib-unix.h>
#include <math.h>
#include <signal.h>

#include "harness/base/plain_text.h"
#include "harness/campaign/collect.h"
#include "harness/campaign/folder.h"
#include "harness/campaign/parts.h"
#include "harness/store/campaign.h"

#define GRACE_SECONDS 60.0 /* A slice, of any kind, that takes so much longer is asked to end, */
#define KILL_SECONDS 90.0  /* and then made to. */

enum {
  TICK_MS = 1000,
  COLLECT_TICKS = 5,   /* Live databases are added every so many ticks, */
  LEFTOVER_TICKS = 60, /* and what could not be added is tried again. */
  MESSAGES_MAX = 50,
};

/* ---- Talk ------------------------------------------------------------------------------------ */

void campaign_tell(loop_t *loop, char *message) {
  char *plain = plain_text(message); /* It may hold the last words of a backend. */
  g_free(message);
  message = plain;
  g_ptr_array_add(loop->messages, message);
  if (loop->messages->len > MESSAGES_MAX) g_ptr_array_remove_index(loop->messages, 0);
  if (loop->options->on_message != NULL) {
    loop->options->on_message(loop->options->hook_context, message);
  }
}

static void tell_error(loop_t *loop, const failure_t *error) {
  campaign_tell(loop, g_strdup(error->text));
}

static const char *doing(const time_slice_t *slice) {
  switch (slice->kind) {
    case TIME_SLICE_MINIMISE:
      return "minimising the corpus";
    case TIME_SLICE_CRASHES:
      return "running crashes again";
    case TIME_SLICE_DRAW:
      return "drawing";
    case TIME_SLICE_SEARCH:
    default:
      return "searching";
  }
}

static void report_status(loop_t *loop, const char *state) {
  const campaign_loop_options_t *options = loop->options;
  g_autofree campaign_worker_status_t *workers = g_new0(campaign_worker_status_t, options->jobs);
  for (size_t i = 0; i < options->jobs; i++) {
    const time_slice_t *slice = &loop->slices[i];
    if (slice->process == 0) continue;
    workers[i] = (campaign_worker_status_t){
        slice->executor_name, doing(slice),
        (double)(g_get_monotonic_time() - slice->begin_us) / G_USEC_PER_SEC};
  }
  g_autofree campaign_executor_status_t *executors =
      g_new0(campaign_executor_status_t, options->executor_count);
  for (size_t i = 0; i < options->executor_count; i++) {
    const campaign_share_item_t *item = &loop->state->items[i];
    executors[i] = (campaign_executor_status_t){options->executors[i], fmax(item->seconds, 0),
                                                loop->state->isolated[i], item->set_aside};
  }
  g_ptr_array_add(loop->messages, NULL);
  const campaign_status_t status = {.name = loop->state->name,
                                    .state = state,
                                    .started = loop->state->started,
                                    .seed = loop->state->seed,
                                    .seconds_spent = loop->state->seconds_spent,
                                    .seconds_total = loop->state->seconds_total,
                                    .cases_per_second = loop->rate,
                                    .totals = loop->totals,
                                    .workers = workers,
                                    .worker_count = options->jobs,
                                    .executors = executors,
                                    .executor_count = options->executor_count,
                                    .messages = (const char *const *)loop->messages->pdata};
  failure_t error = {0};
  status_t written = campaign_status_write(loop->status_path, &status, &error);
  g_ptr_array_remove_index(loop->messages, loop->messages->len - 1);
  if (options->on_progress != NULL) options->on_progress(options->hook_context, &status);
  if (written != STATUS_OK) tell_error(loop, &error);
}

void campaign_write_state(loop_t *loop) {
  failure_t error = {0};
  if (campaign_state_write(loop->state_path, loop->state, &error) != STATUS_OK) {
    tell_error(loop, &error);
  }
}

bool campaign_take_slice_number(loop_t *loop, uint64_t *out_number) {
  failure_t error = {0};
  if (store_take_slice_number(loop->store, loop->state->slices, out_number, &error) != STATUS_OK) {
    tell_error(loop, &error);
    return false;
  }
  loop->state->slices = *out_number + 1;
  return true;
}

/* ---- What workers wrote ---------------------------------------------------------------------- */

void campaign_update_totals(loop_t *loop) {
  failure_t error = {0};
  status_t status = campaign_totals_read(loop->database, loop->state->name, &loop->totals, &error);
  if (status == STATUS_OK) {
    status = campaign_news_tell(loop->news, loop->options->on_finding, loop->options->hook_context,
                                &error);
  }
  if (status != STATUS_OK) tell_error(loop, &error);
}

/* A worker that has just begun, or is writing, is tried again soon: no reason to talk. */
static void collect_live(loop_t *loop) {
  for (size_t i = 0; i < loop->options->jobs; i++) {
    const time_slice_t *slice = &loop->slices[i];
    store_merge_report_t report;
    failure_t error = {0};
    if (slice->process == 0) continue;
    status_t status = campaign_collect(loop->store, slice->database, &report, &error);
    if (status == STATUS_IO) tell_error(loop, &error);
  }
}

static void collect_leftovers(loop_t *loop) {
  GPtrArray *present = g_ptr_array_new();
  for (size_t i = 0; i < loop->options->jobs; i++) {
    if (loop->slices[i].process != 0) g_ptr_array_add(present, loop->slices[i].database);
  }
  g_ptr_array_add(present, NULL);
  GPtrArray *messages = g_ptr_array_new();
  campaign_collect_leftovers(loop->store, loop->options->folder,
                             (const char *const *)present->pdata, messages);
  for (guint i = 0; i < messages->len; i++) campaign_tell(loop, g_ptr_array_index(messages, i));
  g_ptr_array_unref(messages);
  g_ptr_array_unref(present);
}

/* ---- Time and signals ------------------------------------------------------------------------ */

static void watch_over_slices(loop_t *loop) {
  for (size_t i = 0; i < loop->options->jobs; i++) {
    const time_slice_t *slice = &loop->slices[i];
    if (slice->process == 0) continue;
    double late =
        (double)(g_get_monotonic_time() - slice->begin_us) / G_USEC_PER_SEC - slice->seconds;
    if (late > KILL_SECONDS) {
      time_slice_signal(slice, SIGKILL);
    } else if (late > GRACE_SECONDS) {
      time_slice_signal(slice, SIGINT);
    }
  }
}

static gboolean on_tick(gpointer context) {
  loop_t *loop = context;
  int64_t now = g_get_monotonic_time();
  double passed = (double)(now - loop->last_us) / G_USEC_PER_SEC;
  loop->last_us = now;
  loop->state->seconds_spent += passed;
  loop->ticks++;
  if (loop->ticks % LEFTOVER_TICKS == 0) collect_leftovers(loop);
  if (loop->ticks % COLLECT_TICKS == 0) {
    uint64_t before = loop->totals.cases;
    collect_live(loop);
    campaign_update_totals(loop);
    double rate = (double)(loop->totals.cases - before) / (COLLECT_TICKS * TICK_MS / 1000.0);
    loop->rate = loop->rate > 0 ? 0.7 * loop->rate + 0.3 * rate : rate;
    campaign_write_state(loop);
  }
  watch_over_slices(loop);
  report_status(loop, loop->stops > 0 ? "stopping" : "running");
  return G_SOURCE_CONTINUE;
}

static gboolean on_signal(gpointer context) {
  loop_t *loop = context;
  loop->stops++;
  if (loop->stops == 1) {
    campaign_tell(loop,
                  g_strdup("stopping: workers finish their case and are summed up; once more stops "
                           "them now"));
  }
  for (size_t i = 0; i < loop->options->jobs; i++) {
    time_slice_signal(&loop->slices[i], loop->stops == 1 ? SIGINT : SIGKILL);
  }
  return G_SOURCE_CONTINUE;
}

/* ---- The loop -------------------------------------------------------------------------------- */

static status_t open_loop(const campaign_loop_options_t *options, campaign_state_t *state,
                          loop_t *loop, failure_t *error) {
  *loop = (loop_t){.options = options, .state = state};
  loop->database = campaign_folder_database(options->folder);
  loop->state_path = campaign_folder_state(options->folder);
  loop->status_path = campaign_folder_status(options->folder);
  loop->messages = g_ptr_array_new_with_free_func(g_free);
  loop->slices = g_new0(time_slice_t, options->jobs);
  loop->has_begun = g_new0(bool, options->executor_count);
  loop->has_crashes = g_new0(bool, options->executor_count);
  loop->is_oversized = g_new0(bool, options->executor_count);
  loop->corpus_size = g_new0(size_t, options->executor_count);
  loop->main = g_main_loop_new(NULL, FALSE);
  loop->last_us = g_get_monotonic_time();
  STATUS_TRY(store_open(loop->database, &loop->store, error));
  STATUS_TRY(campaign_news_open(loop->store, loop->database, &loop->news, error));
  const store_run_t run = {.command = options->command,
                           .seed = state->seed,
                           .contract = options->contract,
                           .assay_version = options->assay_version,
                           .campaign = state->name};
  STATUS_TRY(store_begin_run(loop->store, &run, &loop->run_id, error));
  STATUS_TRY(store_run_uuid(loop->store, loop->run_id, &loop->run_uuid, error));
  return campaign_state_write(loop->state_path, state, error);
}

static status_t close_loop(loop_t *loop, failure_t *error) {
  campaign_news_close(loop->news);
  status_t status = store_close(loop->store, error);
  g_free(loop->run_uuid);
  g_main_loop_unref(loop->main);
  g_ptr_array_unref(loop->messages);
  g_free(loop->slices);
  g_free(loop->has_begun);
  g_free(loop->has_crashes);
  g_free(loop->is_oversized);
  g_free(loop->corpus_size);
  g_free(loop->database);
  g_free(loop->state_path);
  g_free(loop->status_path);
  return status;
}

static void run_loop(loop_t *loop) {
  guint sources[] = {g_timeout_add(TICK_MS, on_tick, loop),
                     g_unix_signal_add(SIGINT, on_signal, loop),
                     g_unix_signal_add(SIGTERM, on_signal, loop)};
  collect_leftovers(loop);
  campaign_update_totals(loop);
  campaign_keep_busy(loop);
  if (campaign_running_slices(loop) > 0) g_main_loop_run(loop->main);
  for (size_t i = 0; i < G_N_ELEMENTS(sources); i++) g_source_remove(sources[i]);
  loop->state->seconds_spent += (double)(g_get_monotonic_time() - loop->last_us) / G_USEC_PER_SEC;
  collect_leftovers(loop);
  campaign_update_totals(loop);
}

status_t campaign_loop_run(const campaign_loop_options_t *options, campaign_state_t *state,
                           campaign_outcome_t *out_outcome, failure_t *error) {
  loop_t loop;
  status_t status = open_loop(options, state, &loop, error);
  if (status == STATUS_OK) {
    run_loop(&loop);
    bool interrupted = loop.stops > 0;
    size_t pick = campaign_share_pick(state->items, options->executor_count);
    state->is_finished = !interrupted;
    campaign_write_state(&loop);
    report_status(&loop, interrupted ? "interrupted" : "finished");
    status = campaign_news_end(loop.news, error);
    *out_outcome = (campaign_outcome_t){.run_id = loop.run_id,
                                        .totals = loop.totals,
                                        .interrupted = interrupted,
                                        .all_set_aside = pick == options->executor_count};
  }
  failure_t ignored;
  status_t closed = close_loop(&loop, status == STATUS_OK ? error : &ignored);
  return status == STATUS_OK ? closed : status;
}

status_t campaign_loop_end_run(const char *folder, int64_t run_id, int exit_code,
                               failure_t *error) {
  g_autofree char *database = campaign_folder_database(folder);
  store_t *store = NULL;
  STATUS_TRY(store_open(database, &store, error));
  status_t status = store_end_run(store, run_id, exit_code, error);
  failure_t ignored;
  status_t closed = store_close(store, status == STATUS_OK ? error : &ignored);
  return status == STATUS_OK ? closed : status;
}
