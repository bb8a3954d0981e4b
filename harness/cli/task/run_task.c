/* SPDX-License-Identifier: Apache-2.0 */
/* Life of a run, from flags to exit code: opens executors, database, prediction and session in
 * order, reports bugs in Assay apart from findings, and closes everything in reverse. */
#include "harness/cli/task/task.h"

#include <math.h>
#include <stdio.h>

#include "harness/cli/options/declared_ops.h"
#include "harness/cli/task/interrupt.h"
#include "harness/cli/task/programs.h"
#include "harness/cli/task/read.h"
#include "harness/cli/task/recorded.h"
#include "harness/cli/task/thresholds.h"
#include "harness/gen/found_thresholds.h"
#include "reports/run/summary.h"

void task_flags_add(task_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"time", 't', 0, G_OPTION_ARG_STRING, &flags->time, "Stop after a time: 30s, 5m, 8h", "TIME"},
      {"seed", 's', 0, G_OPTION_ARG_STRING, &flags->seed,
       "Same seed, same cases, same findings (default 1; random draws one)", "SEED"},
      {"contract", 'c', 0, G_OPTION_ARG_STRING, &flags->contract,
       "spec, backend (default), wide, identified, KEY=VALUE,... or @FILE; `assay help` explains",
       "CONTRACT"},
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &flags->database,
       "Keep counters and findings in this database", "FILE"},
      {"reference", 0, 0, G_OPTION_ARG_STRING, &flags->reference,
       "With contract identified: the version to predict with, or own (default: the last other "
       "one)",
       "VERSION"},
      {"fail-on", 0, 0, G_OPTION_ARG_STRING, &flags->fail_on, FAIL_ON_HELP " (default any)",
       "WHICH"},
      {"campaign", 0, 0, G_OPTION_ARG_STRING, &flags->name,
       "With --db: record there that this run is a part of that campaign", "NAME"},
      {"part-of", 0, 0, G_OPTION_ARG_STRING, &flags->part_of,
       "With --db: record there that the run with this uuid started this one, and will absorb it",
       "UUID"},
      {"shrink", 0, 0, G_OPTION_ARG_NONE, &flags->shrink,
       "Make the first case of each finding small", NULL},
      {"shrink-percent", 0, 0, G_OPTION_ARG_STRING, &flags->shrink_percent,
       "With --shrink: while it has taken no more of the time, 1 to 100 (default: 100)", "PERCENT"},
      {"known", 0, 0, G_OPTION_ARG_FILENAME, &flags->known,
       "With --shrink: leave out findings that have a small case in this database", "FILE"},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
  executor_flags_add(&flags->executor, arguments);
  capability_flags_add(&flags->capability, arguments);
}

void task_flags_add_drawing(task_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"op", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &flags->ops,
       "An op to draw cases of; may be given several times (default: all)", "OP"},
      {"cases", 'n', 0, G_OPTION_ARG_INT64, &flags->cases,
       "Stop once N cases of each executor have been judged (default 10000 without --time)", "N"},
      {"draws", 0, 0, G_OPTION_ARG_INT64, &flags->draws,
       "Stop after drawing N cases, judged or not (default with --cases: ten times as many, at "
       "least 20000)",
       "N"},
      {"strata", 0, 0, G_OPTION_ARG_STRING, &flags->strata, strata_help, "SHARES"},
      {"thresholds", 0, 0, G_OPTION_ARG_FILENAME, &flags->thresholds,
       "Draw programs of stratum thresholds around the sizes in this file of `assay thresholds`",
       "FILE"},
      {"data-sets", 0, 0, G_OPTION_ARG_STRING, &flags->data_sets, data_sets_help, "N"},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
  task_flags_add_invalid(flags, arguments);
  flags->is_drawn = TRUE;
}

void task_flags_add_invalid(task_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"invalid", 0, 0, G_OPTION_ARG_NONE, &flags->invalid,
       "Programs that break a constraint go to every executor, also to those that do not declare "
       "that they validate",
       NULL},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
}

void task_flags_add_json(task_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"json", 0, 0, G_OPTION_ARG_NONE, &flags->json, "Print one JSON document", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
}

void task_flags_free(task_flags_t *flags) {
  executor_flags_free(&flags->executor);
  g_strfreev(flags->ops);
  g_free(flags->time);
  g_free(flags->seed);
  g_free(flags->strata);
  g_free(flags->thresholds);
  g_strfreev(flags->recorded);
  g_free(flags->data_sets);
  g_free(flags->contract);
  g_free(flags->database);
  g_free(flags->reference);
  g_free(flags->name);
  g_free(flags->part_of);
  g_free(flags->known);
  g_free(flags->shrink_percent);
  g_free(flags->capability.profile);
  task_programs_free(flags);
  g_free(flags->fail_on);
}

char *task_join_command_line(int argc, char *const *argv) {
  GString *line = g_string_new("assay");
  for (int i = 0; i < argc; i++) {
    char *quoted = g_shell_quote(argv[i]);
    g_string_append_printf(line, " %s", quoted);
    g_free(quoted);
  }
  declared_ops_print(line); /* Which main() has taken from the arguments. */
  return g_string_free(line, FALSE);
}

/* What the first attempt of the work has stored is no older for it. */
static void restore_states(const task_t *task) {
  uint32_t count;
  const reported_t *reported = supervisor_reported(task->supervisor, &count);
  for (uint32_t i = 0; i < count; i++) {
    const char *executor = executor_name(task->executors.items[reported[i].executor]);
    finding_lives_set_before(task->report.lives, executor, &reported[i].signature,
                             reported[i].state);
  }
}

/* The second attempt has the time that is left, and more if it is needed to get as far as the
 * first: in processes of their own executors are slower. */
static void take_up_again(task_t *task) {
  session_options_t *options = &task->options;
  if (options->seconds_max <= 0) return;
  options->seconds_end = options->seconds_max;
  options->cases_min = supervisor_cases_before(task->supervisor);
  options->seconds_max =
      fmax(options->seconds_max - supervisor_seconds_before(task->supervisor), 1e-3);
}

static int open_executors(task_t *task) {
  const task_flags_t *task_flags = task->flags;
  executor_flags_t flags = task_flags->executor;
  if (!task_flags->runs_here) return executor_flags_open(&flags, &task->executors);
  if (task_flags->keeps_inputs || supervisor_is_needed(&flags)) {
    const supervisor_options_t options = {.executor = &task_flags->executor,
                                          .contract = task_flags->contract,
                                          .artifacts = task_flags->artifacts};
    failure_t error = {0};
    status_t status = supervisor_begin(&options, &task->supervisor, &error);
    if (status != STATUS_OK) return complain_status(status, &error);
  }
  if (supervisor_incident(task->supervisor) != NULL) {
    flags.isolate = TRUE;
    take_up_again(task);
  }
  return executor_flags_open_here(&flags, supervisor_memory(task->supervisor), &task->executors);
}

/* Where the profiles of contract `identified` are. */
static void print_profiles(const task_flags_t *flags, GString *out_text) {
  contract_t contract;
  bool is_identified = find_contract(flags->contract, &contract, NULL) == STATUS_OK &&
                       PERMITTED(&contract, bits) == BITS_IDENTIFIED;
  if (!is_identified) return;
  g_autofree char *database = g_shell_quote(flags->database);
  g_string_append_printf(out_text, " --db %s", database);
  if (flags->reference == NULL) return;
  g_autofree char *reference = g_shell_quote(flags->reference);
  g_string_append_printf(out_text, " --reference %s", reference);
}

static char *print_replay_options(const task_flags_t *flags) {
  GString *text = g_string_new(NULL);
  if (flags->contract != NULL) {
    g_autofree char *contract = g_shell_quote(flags->contract);
    g_string_append_printf(text, " --contract %s", contract);
  }
  print_profiles(flags, text);
  executor_flags_print(&flags->executor, text);
  return g_string_free(text, FALSE);
}

static char *print_drawing_options(void) {
  GString *text = g_string_new(NULL);
  declared_ops_print(text);
  return g_string_free(text, FALSE);
}

int task_open(const task_flags_t *flags, int argc, char *const *argv, task_t *out_task) {
  task_t *task = out_task;
  *task = (task_t){.flags = flags};
  arena_init(&task->arena);
  task->command_line = task_join_command_line(argc, argv);
  failure_t error = {0};
  status_t status = task_read_flags(task, &error);
  if (status == STATUS_OK) status = task_recorded_open(task, &error);
  int exit_code = status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
  if (exit_code == EXIT_CODE_CLEAN) exit_code = open_executors(task);
  if (exit_code == EXIT_CODE_CLEAN) {
    status = task_open_thresholds(task, &error);
    if (status != STATUS_OK) exit_code = complain_status(status, &error);
  }
  if (exit_code == EXIT_CODE_CLEAN) {
    status = task_check_programs(task, &error);
    if (status != STATUS_OK) exit_code = complain_status(status, &error);
  }
  if (exit_code == EXIT_CODE_CLEAN && flags->database != NULL) {
    status = store_open(flags->database, &task->store, &error);
    if (status == STATUS_OK) {
      status = finding_lives_open(flags->database, task->store, &task->report.lives, &error);
    }
    if (status == STATUS_OK) restore_states(task);
    if (status != STATUS_OK) exit_code = complain_status(status, &error);
  }
  if (exit_code == EXIT_CODE_CLEAN && flags->known != NULL) {
    status = known_findings_open(flags->known, &task->known, &error);
    if (status != STATUS_OK) exit_code = complain_status(status, &error);
  }
  if (exit_code == EXIT_CODE_CLEAN) {
    status = task_open_prediction(task, &error);
    if (status != STATUS_OK) exit_code = complain_status(status, &error);
  }
  if (exit_code != EXIT_CODE_CLEAN) return task_close(task, exit_code);
  task->replay_options = print_replay_options(flags);
  task->report.prediction = task->prediction;
  task->report.replay_options = task->replay_options;
  task->drawing_options = print_drawing_options();
  task->report.drawing_options = task->drawing_options;
  task->report.fail_on = task->fail_on;
  task->report.names_ops = flags->ops != NULL;
  session_options_t *options = &task->options;
  options->executors = task->executors.items;
  options->executor_count = task->executors.count;
  options->twins = task->executors.twins;
  for (size_t i = 0; i < options->executor_count; i++) {
    options->stream.compiling_is_dear |= executor_compiling_is_dear(options->executors[i]);
  }
  options->store = task->store;
  options->command = task->command_line;
  options->assay_version = ASSAY_VERSION;
  options->campaign = flags->name;
  options->part_of = flags->part_of;
  options->stop = task->supervisor == NULL ? interrupt_catch() : supervisor_stop(task->supervisor);
  options->shrinker = known_findings_shrinker(task->known, flags->shrink, task->shrink_percent_max);
  options->shrinker.seed = options->stream.seed;
  options->shrinker.stop = options->stop;
  exit_code = task_open_capabilities(task);
  return exit_code == EXIT_CODE_CLEAN ? exit_code : task_close(task, exit_code);
}

/* How the work would end if it did now, as far as that is known. */
static int present_exit_code(const task_t *task) {
  return task->fail_on == FAIL_ON_ANY ? session_exit_code(task->session) : EXIT_CODE_CLEAN;
}

void task_tell_finding(void *context, const session_t *session, const finding_t *finding) {
  (void)session;
  const task_t *task = context;
  if (!task->flags->json) summary_print_finding(&task->report, finding);
}

void task_show_progress(void *context, const session_t *session) {
  (void)context;
  summary_show_progress(session);
}

static void on_tick(void *context, const session_t *session) {
  task_t *task = context;
  supervisor_note(task->supervisor, session_cases(session), present_exit_code(task));
  if (task->on_tick != NULL) task->on_tick(task, session);
}

static void on_finding(void *context, const session_t *session, const finding_t *finding) {
  task_t *task = context;
  supervisor_note(task->supervisor, session_cases(session), present_exit_code(task));
  reported_t reported = {.executor = finding->executor, .signature = finding->signature};
  const char *executor = executor_name(task->executors.items[finding->executor]);
  g_strlcpy(reported.state, finding_lives_before(task->report.lives, executor, &finding->signature),
            sizeof reported.state);
  if (supervisor_has_reported(task->supervisor, &reported)) return;
  if (task->on_finding != NULL) task->on_finding(task, session, finding);
}

int task_start(task_t *task) {
  failure_t error = {0};
  if (task->supervisor != NULL) {
    session_options_t *options = &task->options;
    task->on_finding = options->on_finding;
    task->on_tick = options->on_tick;
    options->on_finding = on_finding;
    options->on_tick = on_tick;
    options->hook_context = task;
  }
  status_t status = session_open(&task->options, &task->session, &error);
  task->report.session = task->session;
  if (status == STATUS_OK) task_count_refused(task);
  return status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
}

/* ---- What ended the process before ----------------------------------------------------------- */

static bool has_finding(const task_t *task, const incident_t *incident) {
  for (size_t i = 0; i < session_finding_count(task->session); i++) {
    const finding_t *finding = session_finding(task->session, i);
    bool is_it = finding->executor == incident->executor &&
                 finding->verdict.outcome == OUTCOME_failed &&
                 finding->verdict.class_ == incident_class(incident);
    if (is_it) return true;
  }
  return false;
}

/* Its case, if somebody is blamed for it and no finding tells of it yet. */
static const char *open_case(const task_t *task) {
  const incident_t *incident = supervisor_incident(task->supervisor);
  bool is_open = incident != NULL && incident->is_blamed && !has_finding(task, incident);
  return is_open ? incident->case_line : NULL;
}

status_t task_walk_incident(task_t *task, failure_t *error) {
  const char *line = open_case(task);
  if (line == NULL) return STATUS_OK;
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  const char *broken;
  status_t status = case_parse(str_from(line), &arena, &instance, &broken, error);
  if (status == STATUS_OK) {
    const op_constraint_t *constraint = op_constraint_find(instance.program.op, broken);
    status = session_walk(task->session, &instance, constraint, NULL, error);
  }
  arena_deinit(&arena);
  return status == STATUS_OK ? session_tell(task->session, error) : status;
}

static status_t recall_incident(task_t *task, failure_t *error) {
  const char *line = open_case(task);
  if (line == NULL) return STATUS_OK;
  const incident_t *incident = supervisor_incident(task->supervisor);
  g_autofree char *reason =
      g_strdup_printf("%s; it did not happen again in a process of its own", incident->reason);
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  const char *broken;
  status_t status = case_parse(str_from(line), &arena, &instance, &broken, error);
  if (status == STATUS_OK) {
    const session_failure_t failure = {.executor = incident->executor,
                                       .outcome = incident->outcome,
                                       .reason = reason,
                                       .when = incident_when(incident)};
    session_note_failure(task->session, &failure, &instance);
  }
  arena_deinit(&arena);
  return status;
}

status_t task_settle(task_t *task, failure_t *error) {
  STATUS_TRY(session_shut_executors(task->session, error));
  STATUS_TRY(recall_incident(task, error));
  return session_tell(task->session, error);
}

int task_complain(const task_t *task, status_t status, const failure_t *error) {
  const char *bug_case = session_bug_case(task->session);
  if (bug_case[0] == '\0') return complain_status(status, error);
  complain("BUG IN ASSAY, not in the executor: %s", error->text);
  fprintf(stderr,
          "  version:  %s\n  command:  %s\n  contract: %s\n  case:     %s\n"
          "The run has been stopped; please report these lines.\n",
          ASSAY_VERSION, task->command_line, task->contract_text, bug_case);
  return EXIT_CODE_FAILED;
}

int task_close(task_t *task, int exit_code) {
  failure_t error = {0};
  status_t status = session_close(task->session, exit_code, &error);
  if (status != STATUS_OK) exit_code = complain_status(status, &error);
  status = store_close(task->store, &error);
  if (status != STATUS_OK) exit_code = complain_status(status, &error);
  prediction_close(task->prediction);
  capabilities_close(task->capabilities);
  finding_lives_close(task->report.lives);
  known_findings_close(task->known);
  found_thresholds_free(task->thresholds);
  task_recorded_close(task);
  exit_code = settle_output(executor_list_close(&task->executors, exit_code));
  arena_deinit(&task->arena);
  g_free((gpointer)(uintptr_t)task->ops);
  g_free(task->command_line);
  g_free(task->contract_text);
  g_free(task->replay_options);
  g_free(task->drawing_options);
  task->session = NULL;
  supervisor_end(task->supervisor, exit_code);
  task->supervisor = NULL;
  return exit_code;
}
