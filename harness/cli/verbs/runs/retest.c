/* SPDX-License-Identifier: Apache-2.0 */
/* assay retest: runs what a database keeps of findings again, on the version that is here now. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/task/interrupt.h"
#include "harness/cli/task/task.h"
#include "reports/retest/retest_report.h"

typedef struct retest_flags {
  executor_flags_t executor;
  char *database;
  char *states;
  char *contract;
  char *fail_on;
  fail_on_t fails_on;
  gint64 repeats;
  gboolean resume;
  gboolean json;
  gboolean tap;
} retest_flags_t;

enum { REPEATS_DEFAULT = 16 };

static status_t read_states(const char *text, retest_states_t *out_states, failure_t *error) {
  static const struct {
    const char *spelling;
    retest_states_t states;
  } words[] = {{"open", RETEST_OPEN},
               {"waived", RETEST_WAIVED},
               {"fixed", RETEST_FIXED},
               {"all", RETEST_ALL}};
  *out_states = RETEST_OPEN;
  if (text == NULL) return STATUS_OK;
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
    if (strcmp(words[i].spelling, text) != 0) continue;
    *out_states = words[i].states;
    return STATUS_OK;
  }
  return status_fail(error, STATUS_INVALID,
                     "bad value '%s' (--state); write open, waived, fixed or all", text);
}

static status_t read_flags(retest_flags_t *flags, contract_t *contract, retest_options_t *options,
                           failure_t *error) {
  if (flags->database == NULL) {
    return status_fail(error, STATUS_INVALID, "no database given; add --db FILE");
  }
  STATUS_TRY(store_require(flags->database, error));
  if (flags->json && flags->tap) {
    return status_fail(error, STATUS_INVALID, "give one of --json and --tap");
  }
  options->repeats = (unsigned)MIN(flags->repeats, 1000000);
  options->database = flags->database;
  options->resumes = flags->resume;
  STATUS_TRY(read_fail_on(flags->fail_on, flags->database, &flags->fails_on, error));
  STATUS_TRY(read_states(flags->states, &options->states, error));
  if (flags->contract == NULL) return STATUS_OK;
  STATUS_TRY(find_contract(flags->contract, contract, error));
  options->contract = contract;
  return STATUS_OK;
}

/* A line that counts along, where somebody looks. */
static void show_progress(void *context, const retest_row_t *row) {
  size_t *done = context;
  ++*done;
  if (!isatty(STDERR_FILENO)) return;
  fprintf(stderr, "\r\033[K%zu retested, the last one %s", *done,
          retest_result_spelling(row->result));
  fflush(stderr);
}

static void print_report(const retest_flags_t *flags, const retest_report_t *report) {
  if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
  if (flags->json) {
    retest_report_print_json(report);
  } else if (flags->tap) {
    retest_report_print_tap(report);
  } else {
    retest_report_print(report);
  }
  fflush(stdout);
}

static int complain_retest(const retest_t *retest, status_t status, const failure_t *error) {
  const char *bug_case = retest_bug_case(retest);
  if (bug_case[0] == '\0') return complain_status(status, error);
  complain("BUG IN ASSAY, not in the executor: %s\n  version: %s\n  case:    %s", error->text,
           ASSAY_VERSION, bug_case);
  return EXIT_CODE_FAILED;
}

/* Runs an open retest; returns the exit code. */
static int run_retest(const retest_flags_t *flags, const retest_options_t *options,
                      retest_t *retest) {
  failure_t error = {0};
  status_t status = retest_run(retest, &error);
  if (status != STATUS_OK) return complain_retest(retest, status, &error);
  retest_report_t report;
  g_autoptr(GString) replay_options = g_string_new(NULL);
  executor_flags_print(&flags->executor, replay_options);
  status =
      retest_report_open(retest, options, flags->database, replay_options->str, &report, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  report.fail_on = flags->fails_on;
  report.is_interrupted = *options->stop != 0 && retest_done(retest) < retest_count(retest);
  print_report(flags, &report);
  int exit_code = retest_report_exit_code(&report);
  retest_report_close(&report);
  return exit_code;
}

/* A misspelt name would look as if all were well. */
static void note_nothing(const retest_flags_t *flags, const retest_t *retest) {
  if (retest_count(retest) + retest_skipped(retest) > 0) return;
  g_autofree char *names = g_strjoinv(", ", flags->executor.names);
  complain("%s has no finding of %s in state %s; `assay query states --db %s` lists all",
           flags->database, names, flags->states == NULL ? "open" : flags->states, flags->database);
}

static int open_retest(const retest_flags_t *flags, const executor_list_t *executors,
                       retest_options_t *options) {
  failure_t error = {0};
  size_t progress = 0;
  options->executors = executors->items;
  options->executor_count = executors->count;
  options->assay_version = ASSAY_VERSION;
  options->on_row = show_progress;
  options->context = &progress;
  options->stop = interrupt_catch();
  status_t status = store_open(flags->database, &options->store, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  retest_t *retest = NULL;
  int exit_code = EXIT_CODE_FAILED;
  status = retest_open(options, &retest, &error);
  if (status != STATUS_OK) {
    exit_code = complain_status(status, &error);
  } else {
    note_nothing(flags, retest);
    exit_code = run_retest(flags, options, retest);
  }
  status = retest_close(retest, exit_code, &error);
  if (status != STATUS_OK) exit_code = complain_status(status, &error);
  status = store_close(options->store, &error);
  return status == STATUS_OK ? exit_code : complain_status(status, &error);
}

static int retest_all(retest_flags_t *flags, int argc, char **argv) {
  failure_t error = {0};
  contract_t contract;
  retest_options_t options = {0};
  status_t status = read_flags(flags, &contract, &options, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  executor_list_t executors;
  int exit_code = executor_flags_open(&flags->executor, &executors);
  if (exit_code != EXIT_CODE_CLEAN) return exit_code;
  g_autofree char *command = task_join_command_line(argc, argv);
  options.command = command;
  exit_code = open_retest(flags, &executors, &options);
  return executor_list_close(&executors, exit_code);
}

int command_retest(const command_t *command, int argc, char **argv) {
  retest_flags_t flags = {.repeats = REPEATS_DEFAULT, .fails_on = FAIL_ON_UNWAIVED};
  const GOptionEntry entries[] = {
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &flags.database,
       "The database with the findings; results are written to it", "FILE"},
      {"state", 's', 0, G_OPTION_ARG_STRING, &flags.states,
       "open (default; waived ones too), waived, fixed or all", "STATE"},
      {"contract", 'c', 0, G_OPTION_ARG_STRING, &flags.contract,
       "Judge under this contract (default: that of the run which kept the case)", "CONTRACT"},
      {"repeat", 0, 0, G_OPTION_ARG_INT64, &flags.repeats,
       "Run a nondeterministic case N times before it counts as gone (default 16)", "N"},
      {"resume", 0, 0, G_OPTION_ARG_NONE, &flags.resume,
       "Skip what an interrupted or killed retest of this version has done already", NULL},
      {"fail-on", 0, 0, G_OPTION_ARG_STRING, &flags.fail_on,
       FAIL_ON_HELP " (default unwaived); new are those that this retest opens", "WHICH"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &flags.json, "Print one JSON document", NULL},
      {"tap", 0, 0, G_OPTION_ARG_NONE, &flags.tap, "Print TAP 13, for prove", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  executor_flags_add(&flags.executor, &arguments);
  char **words = g_strdupv(argv);
  int word_count = argc;
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) {
    exit_code = retest_all(&flags, word_count, words);
  }
  g_strfreev(words);
  executor_flags_free(&flags.executor);
  g_free(flags.database);
  g_free(flags.states);
  g_free(flags.contract);
  g_free(flags.fail_on);
  return exit_code;
}
