/* SPDX-License-Identifier: Apache-2.0 */
/* assay ledger: records the bits of cases that are the same for every version of an executor, for
 * `assay compare`. */
#include <inttypes.h>
#include <stdio.h>

#include "harness/cli/task/task.h"
#include "harness/session/bit_history.h"
#include "reports/run/summary.h"

typedef struct ledger_flags {
  task_flags_t task;
  gint64 cases; /* For each op. */
} ledger_flags_t;

enum { CASES_DEFAULT = 100, DATA_SETS = 4 };

static status_t record_answer(void *context, const session_t *session,
                              const session_answer_t *answer, failure_t *error) {
  const task_t *task = context;
  bit_history_add(task->store, session, answer);
  return store_tick(task->store, error);
}

static status_t print_row(void *context, int column_count, const char *const *names,
                          const store_value_t *values, failure_t *error) {
  (void)context, (void)column_count, (void)names, (void)error;
  if (values == NULL) return STATUS_OK;
  printf("%s, version \"%s\": %" PRId64 " cases recorded, %" PRId64
         " with results; the bits of %" PRId64 " are not always the same within the version\n",
         values[0].text, values[1].text, values[2].integer, values[3].integer, values[4].integer);
  return STATUS_OK;
}

/* What the ledger has of this run. */
static status_t print_recorded(const task_t *task, failure_t *error) {
  g_autofree char *sql = g_strdup_printf(
      "SELECT name, version, count(*), sum(bits <> ''), sum(changes > 0) "
      "FROM result_bits JOIN executor USING (executor_id) WHERE run_id = %" PRId64
      " GROUP BY executor_id ORDER BY executor_id",
      session_run_id(task->session));
  STATUS_TRY(store_flush(task->store, error));
  return store_query(task->flags->database, sql, print_row, NULL, error);
}

static int record(const ledger_flags_t *flags, task_t *task) {
  task->options.on_finding = task_tell_finding;
  task->options.on_tick = task_show_progress;
  task->options.on_answer = record_answer;
  task->options.hook_context = task;
  int exit_code = task_start(task);
  if (exit_code != EXIT_CODE_CLEAN) return task_close(task, exit_code);
  const bit_history_options_t options = {
      .ops = task->options.stream.ops,
      .op_count = task->options.stream.op_count,
      .seed = task->options.stream.seed,
      .programs = ((uint64_t)flags->cases + DATA_SETS - 1) / DATA_SETS,
      .data_sets = DATA_SETS,
      .stop = task->options.stop};
  failure_t error = {0};
  status_t status = bit_history_run(task->session, &options, &error);
  if (task->flags->json) {
    summary_print_json(&task->report);
  } else {
    summary_print(&task->report);
    if (status == STATUS_OK) status = print_recorded(task, &error);
  }
  exit_code = status == STATUS_OK ? run_report_exit_code(&task->report)
                                  : task_complain(task, status, &error);
  return task_close(task, exit_code);
}

static int open_and_record(const ledger_flags_t *flags, int argc, char **argv) {
  if (flags->task.database == NULL) {
    complain("no database given; add --db FILE");
    return EXIT_CODE_USAGE;
  }
  contract_t contract;
  failure_t error = {0};
  if (find_contract(flags->task.contract, &contract, &error) == STATUS_OK &&
      PERMITTED(&contract, repeat) == RUNS_MAY_DIFFER) {
    complain(
        "the ledger holds versions against each other bit by bit, and repeat=any says that bits "
        "may differ from run to run; leave it out of --contract");
    return EXIT_CODE_USAGE;
  }
  task_t task;
  int exit_code = task_open(&flags->task, argc, argv, &task);
  return exit_code == EXIT_CODE_CLEAN ? record(flags, &task) : exit_code;
}

int command_ledger(const command_t *command, int argc, char **argv) {
  ledger_flags_t flags = {.cases = CASES_DEFAULT};
  task_flags_t *shared = &flags.task;
  const GOptionEntry entries[] = {
      {"op", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &shared->ops,
       "An op to draw cases of; may be given several times (default: all)", "OP"},
      {"cases", 'n', 0, G_OPTION_ARG_INT64, &flags.cases, "Cases for each op (default 100)", "N"},
      {"seed", 's', 0, G_OPTION_ARG_STRING, &shared->seed,
       "Same seed, same cases: keep it from version to version (default 1)", "SEED"},
      {"contract", 'c', 0, G_OPTION_ARG_STRING, &shared->contract,
       "spec, backend (default), wide, KEY=VALUE,... or @FILE; `assay help` explains", "CONTRACT"},
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &shared->database, "Record in this database", "FILE"},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  executor_flags_add(&shared->executor, &arguments);
  task_flags_add_json(shared, &arguments);
  char **words = g_strdupv(argv);
  int word_count = argc;
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) {
    exit_code = open_and_record(&flags, word_count, words);
  }
  g_strfreev(words);
  task_flags_free(&flags.task);
  return exit_code;
}
