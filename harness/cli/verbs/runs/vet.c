/* SPDX-License-Identifier: Apache-2.0 */
/* assay vet: a run reported as TAP 13; with --constraints see vet_constraints.c. */
#include "harness/cli/task/task.h"
#include "harness/cli/verbs/runs/vet_constraints.h"
#include "harness/tap/tap.h"
#include "reports/run/vet_report.h"

static int vet(task_t *task) {
  int exit_code = task_start(task);
  if (exit_code != EXIT_CODE_CLEAN) return task_close(task, exit_code);
  failure_t error = {0};
  status_t status = session_run(task->session, &error);
  if (status == STATUS_OK) status = task_settle(task, &error);
  tap_t tap; /* Not before: if the work has to be begun again, all of this is. */
  tap_begin(&tap, stdout);
  if (status != STATUS_OK) {
    tap_bail_out(&tap, error.text);
    return task_close(task, task_complain(task, status, &error));
  }
  return task_close(task, vet_report_print(&task->report, &tap));
}

int command_vet(const command_t *command, int argc, char **argv) {
  task_flags_t flags = {.runs_here = true};
  gboolean constraints = FALSE;
  const GOptionEntry entries[] = {
      {"constraints", 0, 0, G_OPTION_ARG_NONE, &constraints,
       "Draw only programs that break a constraint, 20 for each, and print a point for each "
       "constraint",
       NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  task_flags_add_drawing(&flags, &arguments);
  task_flags_add_programs(&flags, &arguments);
  task_flags_add(&flags, &arguments);
  char **words = g_strdupv(argv);
  int exit_code;
  int word_count = argc;
  if (!arguments_parse(&arguments, &argc, &argv, 0, 0)) {
    exit_code = EXIT_CODE_USAGE;
  } else if (constraints) {
    exit_code = vet_constraints(&flags);
  } else {
    task_t task;
    exit_code = task_open(&flags, word_count, words, &task);
    if (exit_code == EXIT_CODE_CLEAN) exit_code = vet(&task);
  }
  g_strfreev(words);
  task_flags_free(&flags);
  return exit_code;
}
