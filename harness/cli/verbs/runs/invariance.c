/* SPDX-License-Identifier: Apache-2.0 */
/* assay invariance: does an executor give the same bits whatever the size of the batch, the place
 * in it, the layout of the operands, and from run to run? */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/options/flags.h"
#include "harness/cli/options/suggest.h"
#include "harness/cli/task/interrupt.h"
#include "reports/invariance/invariance_report.h"

enum {
  CASES_DEFAULT = 1000,
  EXECUTIONS_DEFAULT = 8,
  EXECUTIONS_MAX = 1000000,
  CHECKS_MAX = 4000,     /* To make one instance small ... */
  CHECKS_MAX_DEAR = 600, /* ... and where a program takes milliseconds to compile. */
};

typedef struct invariance_flags {
  executor_flags_t executor;
  char **ops;
  char **properties;
  char *type;
  gint64 cases;
  gint64 executions;
  char *time;
  char *seed;
  char *database;
  gboolean json;
  gboolean tap;
} invariance_flags_t;

static void flags_free(invariance_flags_t *flags) {
  executor_flags_free(&flags->executor);
  g_strfreev(flags->ops);
  g_strfreev(flags->properties);
  g_free(flags->type);
  g_free(flags->time);
  g_free(flags->seed);
  g_free(flags->database);
}

static status_t reject_property(const char *name, failure_t *error) {
  suggestion_t suggestion = suggestion_make(name);
  GString *all = g_string_new("write one of");
  for (int i = 0; i < INVARIANCE_COUNT; i++) {
    suggestion_offer(&suggestion, invariance_table[i].spelling);
    g_string_append_printf(all, "%s %s", i == 0 ? "" : ",", invariance_table[i].spelling);
  }
  char advice[SUGGESTION_BYTES];
  status_t status = status_fail(error, STATUS_INVALID, "unknown property '%s' (--property); %s",
                                name, suggestion_print(&suggestion, all->str, advice));
  g_string_free(all, TRUE);
  return status;
}

static status_t read_properties(char *const *names, bool out_properties[INVARIANCE_COUNT],
                                failure_t *error) {
  bool is_any = names == NULL || names[0] == NULL;
  for (int i = 0; i < INVARIANCE_COUNT; i++) out_properties[i] = is_any;
  for (size_t i = 0; !is_any && names[i] != NULL; i++) {
    int property = 0;
    while (property < INVARIANCE_COUNT &&
           strcmp(invariance_table[property].spelling, names[i]) != 0) {
      property++;
    }
    if (property == INVARIANCE_COUNT) return reject_property(names[i], error);
    out_properties[property] = true;
  }
  return STATUS_OK;
}

static status_t read_flags(const invariance_flags_t *flags, invariance_options_t *options,
                           failure_t *error) {
  if (flags->json && flags->tap) {
    return status_fail(error, STATUS_INVALID, "--json and --tap exclude each other");
  }
  if (flags->executions < 2 || flags->executions > EXECUTIONS_MAX) {
    return status_fail(error, STATUS_INVALID,
                       "bad value %" G_GINT64_FORMAT " (--executions); write 2 to %d",
                       flags->executions, (int)EXECUTIONS_MAX);
  }
  options->executions = (uint32_t)flags->executions;
  options->cases_max = (uint64_t)flags->cases;
  if (flags->time != NULL) {
    STATUS_TRY(arguments_parse_limit("--time", flags->time, &options->seconds_max, error));
  } else if (flags->cases == 0) {
    options->cases_max = CASES_DEFAULT;
  }
  options->types = flags->type;
  STATUS_TRY(arguments_parse_seed(flags->seed, &options->seed, error));
  STATUS_TRY(read_properties(flags->properties, options->properties, error));
  const op_t *const *ops = NULL;
  STATUS_TRY(find_ops(flags->ops, &ops, &options->op_count, error));
  options->ops = ops;
  return STATUS_OK;
}

static void report(const invariance_flags_t *flags, const invariance_options_t *options,
                   const invariance_t *invariance) {
  g_autoptr(GString) replay_options = g_string_new(NULL);
  executor_flags_print(&flags->executor, replay_options);
  const invariance_report_t what = {invariance, options, replay_options->str};
  if (flags->json) {
    invariance_report_print_json(&what);
  } else if (flags->tap) {
    invariance_report_print_tap(&what);
  } else {
    invariance_report_print(&what);
  }
  fflush(stdout);
}

static void show_progress(void *context, const invariance_t *invariance) {
  (void)context;
  size_t findings = 0;
  for (size_t i = 0; i < invariance_count_rows(invariance); i++) {
    findings += invariance_row_at(invariance, i)->finding != NULL;
  }
  fprintf(stderr, "\r\033[K%" PRIu64 " cases, %zu findings", invariance_cases(invariance),
          findings);
  fflush(stderr);
}

static int run_open(const invariance_flags_t *flags, const invariance_options_t *options) {
  failure_t error = {0};
  invariance_t *invariance = NULL;
  status_t status = invariance_open(options, &invariance, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  invariance_run_all(invariance);
  if (options->on_tick != NULL) fputs("\r\033[K", stderr);
  report(flags, options, invariance);
  int exit_code = invariance_exit_code(invariance);
  status = invariance_close(invariance, exit_code, &error);
  return status == STATUS_OK ? exit_code : complain_status(status, &error);
}

static int run(const invariance_flags_t *flags, invariance_options_t *options) {
  executor_list_t executors = {0};
  int exit_code = executor_flags_open(&flags->executor, &executors);
  if (exit_code != EXIT_CODE_CLEAN) return exit_code;
  options->executors = executors.items;
  options->executor_count = executors.count;
  options->checks_max = CHECKS_MAX;
  if (isatty(STDERR_FILENO)) options->on_tick = show_progress;
  for (size_t i = 0; i < executors.count; i++) {
    if (executor_is_process(executors.items[i])) options->checks_max = CHECKS_MAX_DEAR;
  }
  failure_t error = {0};
  status_t status = STATUS_OK;
  if (flags->database != NULL) status = store_open(flags->database, &options->store, &error);
  exit_code = status == STATUS_OK ? run_open(flags, options) : complain_status(status, &error);
  status = store_close(options->store, &error);
  if (status != STATUS_OK) exit_code = complain_status(status, &error);
  return executor_list_close(&executors, exit_code);
}

static void add_arguments(invariance_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"op", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &flags->ops,
       "An op to draw cases of; may be given several times (default: all)", "OP"},
      {"property", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &flags->properties,
       "batch-size, batch-position, row-count, row-position, column-count, column-position, "
       "layout, "
       "run-to-run, recompile, size or replica; may be given several times (default: all)",
       "NAME"},
      {"type", 0, 0, G_OPTION_ARG_STRING, &flags->type,
       "Only programs of this element type (f32), or of these types (bf16,bf16->f32)", "TYPE"},
      {"cases", 'n', 0, G_OPTION_ARG_INT64, &flags->cases,
       "Stop after N cases (default 1000 without --time)", "N"},
      {"executions", 0, 0, G_OPTION_ARG_INT64, &flags->executions,
       "How often run-to-run executes each program (default 8)", "N"},
      {"time", 't', 0, G_OPTION_ARG_STRING, &flags->time, "Stop after a time: 30s, 5m, 8h", "TIME"},
      {"seed", 's', 0, G_OPTION_ARG_STRING, &flags->seed,
       "Same seed, same cases (default 1; random draws one)", "SEED"},
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &flags->database, "Keep findings in this database",
       "FILE"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &flags->json, "Print one JSON document", NULL},
      {"tap", 0, 0, G_OPTION_ARG_NONE, &flags->tap, "Print TAP 13, for prove", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
  executor_flags_add(&flags->executor, arguments);
}

static char *join_words(int argc, char *const *argv) {
  GString *line = g_string_new("assay");
  for (int i = 0; i < argc; i++) {
    char *quoted = g_shell_quote(argv[i]);
    g_string_append_printf(line, " %s", quoted);
    g_free(quoted);
  }
  return g_string_free(line, FALSE);
}

int command_invariance(const command_t *command, int argc, char **argv) {
  invariance_flags_t flags = {.executions = EXECUTIONS_DEFAULT};
  arguments_t arguments = arguments_make(command);
  add_arguments(&flags, &arguments);
  char *command_line = join_words(argc, argv);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) {
    invariance_options_t options = {
        .command = command_line, .assay_version = ASSAY_VERSION, .stop = interrupt_catch()};
    failure_t error = {0};
    status_t status = read_flags(&flags, &options, &error);
    exit_code = status == STATUS_OK ? run(&flags, &options) : complain_status(status, &error);
    g_free((gpointer)(uintptr_t)options.ops);
  }
  g_free(command_line);
  flags_free(&flags);
  return exit_code;
}
