/* SPDX-License-Identifier: Apache-2.0 */
/* assay vet: a run reported as TAP 13; with --profile a page of it, too; with --constraints see
 * vet_constraints.c. */
#include "harness/cli/task/recorded.h"
#include "harness/cli/task/task.h"
#include "harness/cli/verbs/runs/vet_constraints.h"
#include "harness/tap/tap.h"
#include "reports/profile/profile_report.h"
#include "reports/run/vet_report.h"

/* Writes the page, if one is wanted. */
static int write_page(const task_t *task, const char *page, int exit_code) {
  if (page == NULL) return exit_code;
  const profile_report_t report = {.run = &task->report,
                                   .profile = task->flags->capability.profile,
                                   .tables = task->capabilities->tables};
  failure_t error = {0};
  status_t status = profile_report_write(&report, page, &error);
  return status == STATUS_OK ? exit_code : complain_status(status, &error);
}

/* As TAP, or as one JSON document. */
static int print_points(task_t *task, bool as_json, status_t status, failure_t *error) {
  tap_t tap; /* Not before: if the work has to be begun again, all of this is. */
  if (!as_json) tap_begin(&tap, stdout);
  vet_points_t points = as_json ? vet_points_of_json() : vet_points_of_tap(&tap);
  int exit_code;
  if (status == STATUS_OK) {
    exit_code = vet_report_print(&task->report, &points);
  } else {
    vet_points_bail_out(&points, error->text);
    exit_code = task_complain(task, status, error);
  }
  vet_points_end(&points);
  return exit_code;
}

static int vet(task_t *task, const char *page, bool as_json) {
  int exit_code = task_start(task);
  if (exit_code != EXIT_CODE_CLEAN) return task_close(task, exit_code);
  failure_t error = {0};
  status_t status = STATUS_OK;
  if (task->flags->capability.profile != NULL) {
    status = capabilities_walk_pairs(task->capabilities, task->session, &error);
    if (status == STATUS_OK) {
      status = capabilities_walk_constraints(task->capabilities, task->session, &error);
    }
  }
  if (status == STATUS_OK) status = task_recorded_walk(task, &error);
  if (status == STATUS_OK && !task_recorded_are_all(task->flags)) {
    status = session_run(task->session, &error);
  }
  if (status == STATUS_OK) status = task_settle(task, &error);
  int printed = print_points(task, as_json, status, &error);
  if (status == STATUS_OK) printed = write_page(task, page, printed);
  return task_close(task, printed);
}

static bool check_profile_flags(const task_flags_t *flags, bool constraints, bool as_json,
                                const char *page) {
  failure_t error = {0};
  status_t status = STATUS_OK;
  if (page != NULL && flags->capability.profile == NULL) {
    status = status_fail(&error, STATUS_INVALID, "--page needs --profile");
  } else if (constraints && (flags->capability.profile != NULL || flags->capability.probe)) {
    status = status_fail(&error, STATUS_INVALID,
                         "--constraints draws by constraint; leave out --profile and --probe");
  } else if (constraints && (flags->executor.twins || flags->executor.twin != NULL)) {
    status = status_fail(&error, STATUS_INVALID,
                         "--constraints draws programs that are to be rejected; leave out --twins "
                         "and --twin");
  } else if (constraints && as_json) {
    status = status_fail(&error, STATUS_INVALID, "--constraints prints TAP; leave out --json");
  } else if (page != NULL) {
    status = profile_report_check_path(page, &error);
  }
  if (status != STATUS_OK) complain_status(status, &error);
  return status == STATUS_OK;
}

int command_vet(const command_t *command, int argc, char **argv) {
  task_flags_t flags = {.runs_here = true};
  gboolean constraints = FALSE, as_json = FALSE;
  g_autofree char *page = NULL;
  const GOptionEntry entries[] = {
      {"constraints", 0, 0, G_OPTION_ARG_NONE, &constraints,
       "Draw only programs that break a constraint, 20 for each, and print a point for each "
       "constraint",
       NULL},
      {"json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print one JSON document in place of TAP", NULL},
      {"profile", 0, 0, G_OPTION_ARG_FILENAME, &flags.capability.profile,
       "Ask for all ops and types of a profile, and report on these: stablehlo, byteir, or a file",
       "PROFILE"},
      {"page", 0, 0, G_OPTION_ARG_FILENAME, &page,
       "With --profile: write the report as one page, too; a file that ends in .html or .md",
       "FILE"},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  task_flags_add_drawing(&flags, &arguments);
  task_flags_add_programs(&flags, &arguments);
  task_flags_add_recorded(&flags, &arguments);
  task_flags_add(&flags, &arguments);
  executor_flags_add_twins(&flags.executor, &arguments);
  char **words = g_strdupv(argv);
  int exit_code;
  int word_count = argc;
  if (!arguments_parse(&arguments, &argc, &argv, 0, 0)) {
    exit_code = EXIT_CODE_USAGE;
  } else if (!check_profile_flags(&flags, constraints, as_json, page)) {
    exit_code = EXIT_CODE_USAGE;
  } else if (constraints) {
    exit_code = vet_constraints(&flags);
  } else {
    task_t task;
    /* Some of thousands of programs may end a backend: that shall not cost all the others. */
    if (flags.capability.profile != NULL) flags.executor.isolate = TRUE;
    exit_code = task_open(&flags, word_count, words, &task);
    if (exit_code == EXIT_CODE_CLEAN) exit_code = vet(&task, page, as_json);
  }
  g_strfreev(words);
  task_flags_free(&flags);
  return exit_code;
}
