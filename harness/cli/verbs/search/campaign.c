/* SPDX-License-Identifier: Apache-2.0 */
/* assay campaign: hours of search on many processes, kept in a folder, begun again after anything.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/plain_text.h"
#include "harness/campaign/folder.h"
#include "harness/campaign/loop.h"
#include "harness/cli/task/task.h"
#include "harness/cli/verbs/search/campaign_request.h"
#include "reports/campaign/campaign_progress.h"
#include "reports/overview/report_overview.h"
#include "reports/power/power_stored.h"
#include "reports/report.h"

/* The outcome in words: first what is not known, then what was found. */
static void print_totals(const campaign_state_t *state, const campaign_totals_t *totals) {
  printf("campaign %s, seed %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT " cases in %.0f s\n",
         state->name, state->seed, totals->cases, state->seconds_spent);
  printf("not judged: %" G_GUINT64_FORMAT
         " cases refused, weak or without an oracle; %" G_GUINT64_FORMAT " failed\n",
         totals->unjudged, totals->failed);
  printf("diverging: %" G_GUINT64_FORMAT " cases, %" G_GUINT64_FORMAT
         " findings, %" G_GUINT64_FORMAT " of them new\n",
         totals->diverging, totals->findings, totals->findings_new);
  double all = totals->seconds > 0 ? totals->seconds : 1;
  printf("time of workers: oracle %.0f%%, executors %.0f%%, compiling %.0f%%, judge %.0f%%\n",
         100 * totals->oracle_seconds / all, 100 * totals->executor_seconds / all,
         100 * totals->compile_seconds / all, 100 * totals->judge_seconds / all);
}

/* Root causes, the gravest first, as `assay report` has them. */
static status_t print_causes(const char *database, const char *name, failure_t *error) {
  const report_source_t source = {.path = database, .campaign = name};
  overview_t overview;
  STATUS_TRY(overview_read(&source, overview_format_detail(OVERVIEW_TEXT), &overview, error));
  report_print_causes(&overview, stdout);
  overview_free(&overview);
  return STATUS_OK;
}

/* Nothing without twins. */
static status_t print_twins(const campaign_request_t *request, const char *database,
                            const char *name, failure_t *error) {
  if (!request->executor.twins && request->executor.twin == NULL) return STATUS_OK;
  printf("\nTwins: how often bits differ, and who is wrong\n");
  const report_source_t source = {.path = database, .campaign = name};
  return report_query(&source, report_find_query("twin-verdicts"), REPORT_TABLE, NULL, stdout,
                      error);
}

static void print_shortfall(void *context, const campaign_share_judged_t *share) {
  (void)context;
  printf("judged %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, share->judged, share->cases);
  if (share->op != NULL) printf(" of %s", share->op);
  printf(": %s refused %" G_GUINT64_FORMAT, share->executor, share->refused);
  if (share->weak > 0) printf(", %" G_GUINT64_FORMAT " weak", share->weak);
  if (share->no_oracle > 0) printf(", %" G_GUINT64_FORMAT " without an oracle", share->no_oracle);
  if (share->op != NULL && share->judged > 0) printf(", try --op %s", share->op);
  printf("\n");
}

/* A campaign that judged nothing has failed, whatever is to fail. */
static int find_exit_code(const campaign_request_t *request, const campaign_state_t *state,
                          const campaign_outcome_t *outcome, failure_t *error) {
  g_autofree char *database = campaign_folder_database(request->folder);
  campaign_failures_t failures = {.diverged = outcome->totals.diverging > 0,
                                  .failed = outcome->totals.failed > 0};
  if (request->fails_on != FAIL_ON_ANY) {
    status_t status =
        campaign_failures_read(database, state->name, request->fails_on, &failures, error);
    if (status != STATUS_OK) return complain_status(status, error);
  }
  if (failures.diverged) return EXIT_CODE_DIVERGES;
  const campaign_totals_t *totals = &outcome->totals;
  bool judged_nothing = totals->cases == totals->unjudged && !outcome->interrupted;
  return failures.failed || outcome->all_set_aside || judged_nothing ? EXIT_CODE_FAILED
                                                                     : EXIT_CODE_CLEAN;
}

static int summarise(const campaign_request_t *request, const campaign_state_t *state,
                     const campaign_outcome_t *outcome) {
  g_autofree char *database = campaign_folder_database(request->folder);
  failure_t error = {0};
  print_totals(state, &outcome->totals);
  if (outcome->totals.findings > 0) {
    status_t status = print_causes(database, state->name, &error);
    if (status != STATUS_OK) return complain_status(status, &error);
  }
  status_t twins = print_twins(request, database, state->name, &error);
  if (twins != STATUS_OK) return complain_status(twins, &error);
  printf("\n%s\nAll of it: assay report --db %s, assay query --list\n",
         outcome->interrupted ? "Interrupted: the same command resumes it."
                              : "Finished: the same command, with another --name, adds another.",
         request->folder);
  status_t status = campaign_shortfalls_read(database, state->name, print_shortfall, NULL, &error);
  g_autoptr(GString) power = g_string_new(NULL);
  if (status == STATUS_OK) status = power_stored_print(database, state->name, power, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  if (power->len > 0) printf("%s\n", power->str);
  return find_exit_code(request, state, outcome, &error);
}

/* The database remembers the exit code of the program, as for any other run. */
static int end_run(const campaign_request_t *request, const campaign_outcome_t *outcome,
                   int exit_code) {
  failure_t error = {0};
  status_t status = campaign_loop_end_run(request->folder, outcome->run_id, exit_code, &error);
  return status == STATUS_OK ? exit_code : complain_status(status, &error);
}

static int run_campaign(campaign_request_t *request, const char *command) {
  campaign_state_t state = {0};
  failure_t error = {0};
  bool is_resumed = false;
  status_t status = campaign_request_open(request, &state, &is_resumed, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  char *name = plain_text(state.name); /* The folder may come from anybody. */
  g_free(state.name);
  state.name = name;
  fprintf(stderr,
          is_resumed ? "assay: going on with campaign %s in %s: %.0f of %.0f s are done\n"
                     : "assay: campaign %s in %s: %.0f of %.0f s are done\n",
          state.name, request->folder, state.seconds_spent, state.seconds_total);
  g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
  campaign_progress_t progress = campaign_progress_make();
  const campaign_loop_options_t options = {
      .program = program == NULL ? "assay" : program,
      .folder = request->folder,
      .command = command,
      .contract = request->contract_text,
      .assay_version = ASSAY_VERSION,
      .executors = (const char *const *)request->executor.names,
      .compiling_is_dear = request->compiling_is_dear,
      .has_twins = request->executor.twins || request->executor.twin != NULL,
      .probes = request->probes,
      .executor_count = g_strv_length(request->executor.names),
      .jobs = (size_t)request->jobs,
      .strata = campaign_request_strata(request),
      .programs = request->programs,
      .data_sets = request->data_sets,
      .thresholds = request->thresholds,
      .has_thresholds = request->has_thresholds,
      .arguments = (const char *const *)request->arguments->pdata,
      .on_progress = campaign_progress_show,
      .on_message = campaign_progress_tell,
      .on_finding = campaign_progress_tell_finding,
      .hook_context = &progress};
  campaign_outcome_t outcome = {0};
  status = campaign_loop_run(&options, &state, &outcome, &error);
  campaign_progress_end(&progress);
  int exit_code = status == STATUS_OK
                      ? end_run(request, &outcome, summarise(request, &state, &outcome))
                      : complain_status(status, &error);
  campaign_state_deinit(&state);
  return exit_code;
}

int command_campaign(const command_t *command, int argc, char **argv) {
  campaign_request_t request = {0};
  arguments_t arguments = arguments_make(command);
  campaign_request_add(&request, &arguments);
  g_autofree char *words = task_join_command_line(argc, argv);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) {
    exit_code = campaign_request_check(&request);
    if (exit_code == EXIT_CODE_CLEAN) exit_code = run_campaign(&request, words);
  }
  campaign_request_free(&request);
  return exit_code;
}
