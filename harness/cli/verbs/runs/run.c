/* SPDX-License-Identifier: Apache-2.0 */
/* assay run: draws cases, walks them over executors, tells what diverged. */
#include "harness/cli/task/recorded.h"
#include "harness/cli/task/task.h"
#include "reports/run/summary.h"

/* Runs an open campaign to its end and closes it. */
static int run_campaign(task_t *task) {
  task->options.on_finding = task_tell_finding;
  task->options.on_tick = task_show_progress;
  task->options.hook_context = task;
  int exit_code = task_start(task);
  if (exit_code != EXIT_CODE_CLEAN) return task_close(task, exit_code);
  failure_t error = {0};
  status_t status = task_recorded_walk(task, &error);
  if (status == STATUS_OK && !task_recorded_are_all(task->flags)) {
    status = session_run(task->session, &error);
  }
  if (status == STATUS_OK) status = task_settle(task, &error);
  if (task->flags->json) {
    summary_print_json(&task->report);
  } else {
    summary_print(&task->report);
  }
  exit_code = status == STATUS_OK ? run_report_exit_code(&task->report)
                                  : task_complain(task, status, &error);
  return task_close(task, exit_code);
}

int command_run(const command_t *command, int argc, char **argv) {
  task_flags_t flags = {.runs_here = true};
  arguments_t arguments = arguments_make(command);
  task_flags_add_drawing(&flags, &arguments);
  task_flags_add_programs(&flags, &arguments);
  task_flags_add_recorded(&flags, &arguments);
  task_flags_add(&flags, &arguments);
  executor_flags_add_twins(&flags.executor, &arguments);
  task_flags_add_json(&flags, &arguments);
  char **words = g_strdupv(argv);
  int exit_code = EXIT_CODE_USAGE;
  int word_count = argc;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) {
    task_t task;
    exit_code = task_open(&flags, word_count, words, &task);
    if (exit_code == EXIT_CODE_CLEAN) exit_code = run_campaign(&task);
  }
  g_strfreev(words);
  task_flags_free(&flags);
  return exit_code;
}
