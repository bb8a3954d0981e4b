/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the campaign verb: checks them, opens every executor once in a separate process, and
 * compares them with the state in the folder to begin, resume or refuse. */
#include "harness/cli/verbs/search/campaign_request.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/plain_text.h"
#include "harness/base/rng.h"
#include "harness/campaign/clean.h"
#include "harness/campaign/folder.h"
#include "harness/cli/task/capabilities.h"
#include "harness/cli/task/programs.h"
#include "harness/cli/task/thresholds.h"
#include "harness/gen/found_thresholds.h"

enum { JOBS_MAX = 1024 };

/* A search has small programs, so most of the rest are larger ones. */
#define STRATA_DEFAULT \
  "tiles=4,turns=2,lanes=1,swept=10,long=1,deployment=1,slender=1,thresholds=1,extremes=1"

void campaign_request_add(campaign_request_t *request, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"out", 0, 0, G_OPTION_ARG_FILENAME, &request->folder,
       "The folder of the campaign: database, corpora, status.json; an existing one is resumed",
       "FOLDER"},
      {"time", 't', 0, G_OPTION_ARG_STRING, &request->time,
       "Stop after a time: 30s, 5m, 8h (default 1h)", "TIME"},
      {"jobs", 'j', 0, G_OPTION_ARG_INT, &request->jobs,
       "Worker processes (default: one per processor)", "N"},
      {"op", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &request->ops,
       "An op to search; may be given several times (default: all)", "OP"},
      {"programs", 0, 0, G_OPTION_ARG_FILENAME, &request->programs,
       "Draw data for the program lines of this file alone, as `assay module --harvest` writes "
       "them: "
       "every slice draws, and none searches for programs",
       "FILE"},
      {"seed", 's', 0, G_OPTION_ARG_STRING, &request->seed,
       "The seed of all drawing (default: random; it is printed)", "SEED"},
      {"strata", 0, 0, G_OPTION_ARG_STRING, &request->strata,
       "NAME=SHARE,...: where the programs come from that are drawn at random, which every fourth "
       "slice does, and every other one where compiling is dear (default: " STRATA_DEFAULT ")",
       "SHARES"},
      {"data-sets", 0, 0, G_OPTION_ARG_STRING, &request->data_sets, data_sets_help, "N"},
      {"thresholds", 0, 0, G_OPTION_ARG_FILENAME, &request->thresholds,
       "Draw programs of stratum thresholds around the sizes in this file of `assay thresholds`",
       "FILE"},
      {"contract", 'c', 0, G_OPTION_ARG_STRING, &request->contract,
       "spec, backend (default), wide, KEY=VALUE,... or @FILE; `assay help` explains", "CONTRACT"},
      {"name", 0, 0, G_OPTION_ARG_STRING, &request->name,
       "What the database calls the campaign (default: its date)", "NAME"},
      {"shard", 0, 0, G_OPTION_ARG_STRING, &request->shard,
       "One of several machines that share a seed, from 0 (default: what a Slurm array says)",
       "I/N"},
      {"fail-on", 0, 0, G_OPTION_ARG_STRING, &request->fail_on, FAIL_ON_HELP " (default any)",
       "WHICH"},
      {"invalid", 0, 0, G_OPTION_ARG_NONE, &request->invalid,
       "Programs that break a constraint go to every executor, also to those that do not declare "
       "that they validate",
       NULL},
      {"probe", 0, 0, G_OPTION_ARG_NONE, &request->probe,
       "Ask first, once for each version of an executor, which ops and types it takes (default "
       "with "
       "--time of 10m and more)",
       NULL},
      {"fresh", 0, 0, G_OPTION_ARG_NONE, &request->fresh,
       "Refuse a folder that holds a campaign already", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
  executor_flags_add(&request->executor, arguments);
  executor_flags_add_twins(&request->executor, arguments);
}

void campaign_request_free(campaign_request_t *request) {
  executor_flags_free(&request->executor);
  g_strfreev(request->ops);
  g_free(request->programs);
  g_free(request->time);
  g_free(request->seed);
  g_free(request->strata);
  g_free(request->data_sets);
  g_free(request->thresholds);
  g_free(request->has_thresholds);
  g_free(request->contract);
  g_free(request->folder);
  g_free(request->name);
  g_free(request->shard);
  g_free(request->fail_on);
  g_free(request->compiling_is_dear);
  g_free(request->probes);
  g_free(request->contract_text);
  if (request->arguments != NULL) g_ptr_array_unref(request->arguments);
}

static bool read_number(const char *text, const char *end, uint64_t *out_number) {
  g_autofree char *digits = g_strndup(text, (gsize)(end - text));
  return g_ascii_string_to_unsigned(digits, 10, 0, G_MAXINT32, out_number, NULL);
}

static status_t read_shard(campaign_request_t *request, failure_t *error) {
  g_autofree char *of_slurm = NULL;
  const char *task = g_getenv("SLURM_ARRAY_TASK_ID");
  const char *count = g_getenv("SLURM_ARRAY_TASK_COUNT");
  const char *text = request->shard;
  if (text == NULL && task != NULL && count != NULL) {
    text = of_slurm = g_strdup_printf("%s/%s", task, count);
  }
  request->shard_index = 0;
  request->shard_count = 1;
  if (text == NULL) return STATUS_OK;
  const char *slash = strchr(text, '/');
  if (slash != NULL && read_number(text, slash, &request->shard_index) &&
      read_number(slash + 1, slash + strlen(slash), &request->shard_count) &&
      request->shard_index < request->shard_count) {
    return STATUS_OK;
  }
  return status_fail(error, STATUS_INVALID,
                     "bad value '%s' (--shard); write I/N with I from 0 to N - 1: 0/4", text);
}

static status_t read_values(campaign_request_t *request, failure_t *error) {
  if (request->folder == NULL) {
    return status_fail(error, STATUS_INVALID, "no folder given; add --out FOLDER");
  }
  if (request->name != NULL && request->name[0] == '\0') {
    return status_fail(error, STATUS_INVALID,
                       "the name of the campaign is empty; write --name NAME, or leave it out");
  }
  if (request->name != NULL && !plain_text_is(request->name)) {
    return status_fail(error, STATUS_INVALID,
                       "bad value '%s' (--name); write one line of printable UTF-8", request->name);
  }
  request->fails_on = FAIL_ON_ANY;
  STATUS_TRY(read_fail_on(request->fail_on, request->folder, &request->fails_on, error));
  STATUS_TRY(arguments_parse_seconds("--time", request->time == NULL ? "1h" : request->time,
                                     &request->seconds, error));
  STATUS_TRY(arguments_parse_seed(request->seed == NULL ? "random" : request->seed,
                                  &request->seed_number, error));
  STATUS_TRY(read_shard(request, error));
  if (request->jobs == 0) request->jobs = (gint)g_get_num_processors();
  if (request->jobs >= 1 && request->jobs <= JOBS_MAX) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "bad value %d (--jobs); write 1 to %d", request->jobs,
                     JOBS_MAX);
}

/* Told now, and not in the log of a worker. */
static status_t check_programs(const campaign_request_t *request, failure_t *error) {
  if (request->programs == NULL) return STATUS_OK;
  if (request->ops != NULL) {
    return status_fail(error, STATUS_INVALID,
                       "--programs names its ops already; leave out --op or --programs");
  }
  const task_flags_t flags = {.program_file = request->programs};
  arena_t arena;
  arena_init(&arena);
  const stream_program_t *programs;
  size_t count;
  status_t status = task_programs_read(&flags, &arena, &programs, &count, error);
  arena_deinit(&arena);
  return status;
}

/* Ops, strata and contract are looked up for their errors; workers get the words. */
static status_t check_words(campaign_request_t *request, failure_t *error) {
  const op_t *const *ops;
  size_t op_count;
  contract_t contract;
  strata_t strata;
  STATUS_TRY(find_strata(campaign_request_strata(request), &strata, error));
  STATUS_TRY(thresholds_check(request->thresholds, &strata, request->programs != NULL, error));
  data_sets_t sets;
  STATUS_TRY(find_data_sets(request->data_sets, &sets, error));
  STATUS_TRY(check_programs(request, error));
  STATUS_TRY(find_ops(request->ops, &ops, &op_count, error));
  g_free((gpointer)(uintptr_t)ops);
  STATUS_TRY(find_contract(request->contract, &contract, error));
  GString *text = g_string_new(NULL);
  contract_print(&contract, text);
  request->contract_text = g_string_free(text, FALSE);
  if (PERMITTED(&contract, bits) != BITS_IDENTIFIED) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "contract identified needs profiles, which a campaign does not look for; use "
                     "`assay run --contract identified`");
}

static void add_word(GPtrArray *words, const char *option, const char *value) {
  if (value == NULL) return;
  g_ptr_array_add(words, g_strdup(option));
  g_ptr_array_add(words, g_strdup(value));
}

static GPtrArray *make_arguments(const campaign_request_t *request) {
  GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
  for (char **op = request->ops; op != NULL && *op != NULL; op++) add_word(words, "--op", *op);
  add_word(words, "--contract", request->contract);
  add_word(words, "--timeout", request->executor.timeout);
  add_word(words, "--memory", request->executor.memory);
  if (request->executor.isolate) g_ptr_array_add(words, g_strdup("--isolate"));
  if (request->executor.twins) g_ptr_array_add(words, g_strdup("--twins"));
  add_word(words, "--twin", request->executor.twin);
  if (request->invalid) g_ptr_array_add(words, g_strdup("--invalid"));
  g_ptr_array_add(words, NULL);
  return words;
}

/* Whether answers of the executor can be kept: what is behind a command nobody knows, and builtin
 * ones take everything. */
static bool is_worth_asking(const char *name) {
  static const char *const prefixes[] = {"proc:", "model:", "canary:"};
  for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++) {
    if (g_str_has_prefix(name, prefixes[i])) return false;
  }
  return true;
}

/* Asks each executor what it takes, before the time of the campaign begins: slices then know. */
static status_t ask_executors(campaign_request_t *request, const executor_list_t *executors,
                              failure_t *error) {
  static const double seconds_worth_asking = 4 * 3600; /* Asking may take minutes. */
  request->probes = g_new0(bool, executors->count);    /* Of twins none is asked: they get what the
                                                        * others do. */
  if (!request->probe && request->seconds < seconds_worth_asking) return STATUS_OK;
  const op_t *const *ops = NULL;
  session_options_t options = {.executor_count = 1};
  STATUS_TRY(find_contract(request->contract, &options.contract, error));
  STATUS_TRY(find_ops(request->ops, &ops, &options.stream.op_count, error));
  status_t status = STATUS_OK;
  size_t count = g_strv_length(request->executor.names);
  for (size_t i = 0; i < count && status == STATUS_OK; i++) {
    if (!is_worth_asking(request->executor.names[i])) continue;
    executor_flags_t flags = request->executor;
    flags.names = &request->executor.names[i];
    options.executors = &executors->items[i];
    session_options_t present = options;
    present.stream.ops = ops;
    const capabilities_request_t asked = {.flags = &flags};
    capabilities_t *capabilities = NULL;
    status = capabilities_open(&asked, &present, &capabilities, error);
    capabilities_close(capabilities);
    request->probes[i] = status == STATUS_OK;
  }
  g_free((gpointer)(uintptr_t)ops);
  return status;
}

/* Which executors the file has sizes of, as they are now; that it has none is told at once. */
static status_t find_thresholds(campaign_request_t *request, const executor_list_t *executors,
                                failure_t *error) {
  if (request->thresholds == NULL) return STATUS_OK;
  size_t count = g_strv_length(request->executor.names);
  request->has_thresholds = g_new0(bool, count);
  found_thresholds_t *found = NULL;
  STATUS_TRY(thresholds_select(request->thresholds, executors->items, count, &found,
                               request->has_thresholds, error));
  found_thresholds_free(found);
  return STATUS_OK;
}

/* Each executor is opened once, in a process of its own: a name that is wrong, or a backend that
 * does not start, is told now and not in a log. */
static int try_executors(campaign_request_t *request) {
  executor_flags_t flags = request->executor;
  flags.isolate = TRUE;
  executor_list_t executors = {0};
  int exit_code = executor_flags_open(&flags, &executors);
  if (exit_code != EXIT_CODE_CLEAN) return exit_code;
  request->compiling_is_dear = g_new0(bool, executors.count);
  for (size_t i = 0; i < executors.count; i++) {
    request->compiling_is_dear[i] = executor_compiling_is_dear(executors.items[i]);
  }
  failure_t error = {0};
  status_t status = find_thresholds(request, &executors, &error);
  if (status == STATUS_OK) status = ask_executors(request, &executors, &error);
  /* What goes wrong at its end is a finding of the workers. */
  executor_list_close(&executors, EXIT_CODE_CLEAN);
  return status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
}

int campaign_request_check(campaign_request_t *request) {
  failure_t error = {0};
  status_t status = read_values(request, &error);
  if (status == STATUS_OK) status = check_words(request, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  request->arguments = make_arguments(request);
  return try_executors(request);
}

const char *campaign_request_strata(const campaign_request_t *request) {
  return request->strata == NULL ? STRATA_DEFAULT : request->strata;
}

static void print_word(GString *text, const char *option, const char *value) {
  if (value == NULL) return;
  g_autofree char *quoted = g_shell_quote(value);
  g_string_append_printf(text, "%s %s ", option, quoted);
}

/* The words that must be the same to go on with a campaign. */
static char *print_request(const campaign_request_t *request) {
  GString *text = g_string_new(NULL);
  for (char **name = request->executor.names; *name != NULL; name++) {
    g_autofree char *quoted = g_shell_quote(*name);
    g_string_append_printf(text, "--executor %s ", quoted);
  }
  for (guint i = 0; i + 1 < request->arguments->len; i++) {
    g_autofree char *quoted = g_shell_quote(g_ptr_array_index(request->arguments, i));
    g_string_append_printf(text, "%s ", quoted);
  }
  print_word(text, "--programs", request->programs);
  print_word(text, "--strata", request->strata);
  print_word(text, "--data-sets", request->data_sets);
  print_word(text, "--thresholds", request->thresholds);
  g_string_append_printf(text, "--shard %" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT,
                         request->shard_index, request->shard_count);
  return g_string_free(text, FALSE);
}

/* Shards with one seed draw other cases. */
static uint64_t shard_seed(const campaign_request_t *request) {
  uint64_t state = request->seed_number;
  if (request->shard_count == 1) return state;
  uint64_t mixed = rng_splitmix(&state) ^ request->shard_index;
  return rng_splitmix(&mixed);
}

static void begin_state(const campaign_request_t *request, campaign_state_t *out_state) {
  size_t count = g_strv_length(request->executor.names);
  g_autoptr(GDateTime) now = g_date_time_new_now_utc();
  *out_state = (campaign_state_t){.request = print_request(request),
                                  .seed = shard_seed(request),
                                  .seconds_total = request->seconds,
                                  .started = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ"),
                                  .items = g_new0(campaign_share_item_t, count),
                                  .isolated = g_new0(bool, count),
                                  .item_count = count};
  out_state->name = g_strdup(request->name == NULL ? out_state->started : request->name);
}

static status_t check_same(const campaign_request_t *request, const campaign_state_t *state,
                           failure_t *error) {
  g_autofree char *asked = print_request(request);
  bool same_name = request->name == NULL || strcmp(request->name, state->name) == 0;
  if (same_name && strcmp(asked, state->request) == 0 &&
      state->item_count == g_strv_length(request->executor.names)) {
    return STATUS_OK;
  }
  return status_fail(error, STATUS_INVALID,
                     "campaign %s in \"%s\" is not finished and was asked for %s: ask for the same "
                     "to go on, or name another folder",
                     state->name, request->folder, state->request);
}

status_t campaign_request_open(const campaign_request_t *request, campaign_state_t *out_state,
                               bool *out_is_resumed, failure_t *error) {
  g_autofree char *path = campaign_folder_state(request->folder);
  g_autofree char *database = campaign_folder_database(request->folder);
  if (request->fresh &&
      (g_file_test(path, G_FILE_TEST_EXISTS) || g_file_test(database, G_FILE_TEST_EXISTS))) {
    return status_fail(error, STATUS_INVALID,
                       "\"%s\" holds a campaign already; name another folder or leave out --fresh",
                       request->folder);
  }
  STATUS_TRY(campaign_folder_make(request->folder, error));
  STATUS_TRY(campaign_folder_lock(request->folder, error));
  campaign_clean(request->folder);
  bool found = false;
  campaign_state_t state = {0};
  STATUS_TRY(campaign_state_read(path, &state, &found, error));
  *out_is_resumed = found && !state.is_finished;
  if (found && state.is_finished && g_strcmp0(request->name, state.name) == 0) {
    campaign_state_deinit(&state);
    return status_fail(
        error, STATUS_INVALID,
        "campaign %s in \"%s\" is finished; give the next one another --name, so that "
        "the database can tell them apart",
        request->name, request->folder);
  }
  if (!*out_is_resumed) {
    campaign_folder_forget_outcomes(request->folder);
    campaign_state_deinit(&state);
    begin_state(request, &state);
    *out_state = state;
    return STATUS_OK;
  }
  status_t status = check_same(request, &state, error);
  if (status != STATUS_OK) {
    campaign_state_deinit(&state);
    return status;
  }
  state.seconds_total = request->seconds;
  *out_state = state;
  return STATUS_OK;
}
