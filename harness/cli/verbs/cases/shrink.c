/* SPDX-License-Identifier: Apache-2.0 */
/* assay shrink: makes a case on which an executor diverges as small as it goes, and prints what a
 * bug report needs: the line that replays it, a StableHLO module, and arrays in C. */
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/cli/options/flags.h"
#include "harness/cli/options/input.h"
#include "harness/cli/task/interrupt.h"
#include "harness/cli/verbs/cases/shrink_finding.h"
#include "harness/predict/prediction.h"
#include "harness/shrink/divergence.h"
#include "reports/verdict/describe.h"
#include "reports/verdict/reproducer.h"

enum { PROGRESS_NANOSECONDS = 1000000000 };

typedef struct shrink_flags {
  executor_flags_t executor;
  char *contract;
  char *database;
  char *reference;
  char *finding;
  gint64 steps;
  gboolean json;
} shrink_flags_t;

typedef struct shrink {
  const shrink_flags_t *flags;
  executor_list_t executors;
  case_runner_t walk;
  prediction_t *prediction; /* NULL unless the contract is `identified`. */
  arena_t arena;            /* Of the present case. */
  json_t *documents;        /* NULL: print words. */
  const volatile sig_atomic_t *stop;
  uint64_t next_progress; /* Nanoseconds on the monotonic clock. */
  bool shown_one;         /* Cases after the first are set off by an empty line. */
  bool diverged;
  bool failed;
} shrink_command_t;

/* A case before and after, with its texts. */
typedef struct outcome_text {
  const executor_t *executor;
  const case_t *before;
  const verdict_t *verdict; /* On the case before. */
  shrink_report_t report;
  reproducer_t after;
  GString *line_before;
  GString *line;
  GString *replay;
  GString *module;
  GString *arrays;
} shrunk_t;

/* ---- Output ---------------------------------------------------------------------------------- */

static void show_progress(void *context, const case_t *best, const shrink_report_t *report) {
  shrink_command_t *shrink = (shrink_command_t *)context;
  uint64_t now = clock_nanoseconds();
  if (now < shrink->next_progress) return;
  shrink->next_progress = now + PROGRESS_NANOSECONDS;
  fprintf(stderr, "assay: shrinking: %u cases run, %zu operand elements left\n", report->calls,
          reproducer_operand_elements(best));
}

static void print_replay(const shrink_command_t *shrink, const shrunk_t *shrunk,
                         GString *out_text) {
  const shrink_flags_t *flags = shrink->flags;
  g_autofree char *line = g_shell_quote(shrunk->line->str);
  g_autofree char *name = g_shell_quote(executor_name(shrunk->executor));
  g_string_append_printf(out_text, "assay replay %s --executor %s", line, name);
  if (flags->contract != NULL) {
    g_autofree char *contract = g_shell_quote(flags->contract);
    g_string_append_printf(out_text, " --contract %s", contract);
  }
  if (shrink->prediction != NULL) {
    g_autofree char *database = g_shell_quote(flags->database);
    g_string_append_printf(out_text, " --db %s", database);
    g_autofree char *reference = flags->reference == NULL ? NULL : g_shell_quote(flags->reference);
    if (reference != NULL) g_string_append_printf(out_text, " --reference %s", reference);
  }
  executor_flags_print(&flags->executor, out_text);
}

static shrunk_t make_texts(const shrink_command_t *shrink, shrunk_t shrunk) {
  const case_t *after = &shrunk.after.instance;
  shrunk.line_before = g_string_new(NULL);
  case_print(shrunk.before, shrunk.line_before);
  shrunk.line = g_string_new(NULL);
  case_print(after, shrunk.line);
  shrunk.replay = g_string_new(NULL);
  print_replay(shrink, &shrunk, shrunk.replay);
  shrunk.module = g_string_new(NULL);
  after->program.op->print_mlir(&after->program, shrunk.module);
  shrunk.arrays = g_string_new(NULL);
  reproducer_print_c(&shrunk.after, shrunk.executor, shrunk.replay->str, shrunk.arrays);
  return shrunk;
}

static void free_texts(const shrunk_t *shrunk) {
  g_string_free(shrunk->line_before, TRUE);
  g_string_free(shrunk->line, TRUE);
  g_string_free(shrunk->replay, TRUE);
  g_string_free(shrunk->module, TRUE);
  g_string_free(shrunk->arrays, TRUE);
}

static void print_size(const char *what, const case_t *instance, const GString *line) {
  GString *program = g_string_new(NULL);
  program_print(&instance->program, program);
  printf("  %s %s; %zu operand elements, %zu bytes of case line\n", what, program->str,
         reproducer_operand_elements(instance), line->len);
  g_string_free(program, TRUE);
}

static void print_words(const shrunk_t *shrunk) {
  GString *verdict = g_string_new(NULL);
  describe_verdict(&shrunk->after.instance.program, &shrunk->after.verdict, verdict);
  printf("%s: %s\n", executor_name(shrunk->executor), verdict->str);
  print_size("before: ", shrunk->before, shrunk->line_before);
  print_size("after:  ", &shrunk->after.instance, shrunk->line);
  printf("  effort:  %u cases run, %u other programs compiled, %u steps taken; %s\n",
         shrunk->report.calls, shrunk->report.program_changes, shrunk->report.accepted,
         shrunk->report.is_complete ? "nothing is left to take away"
                                    : "stopped early, more may be left to take away (--steps)");
  printf("\n  %s\n\n%s", shrunk->replay->str, shrunk->module->str);
  bool ends_line = g_str_has_suffix(shrunk->module->str, "\n");
  printf("%s\n%s", ends_line ? "" : "\n", shrunk->arrays->str);
  g_string_free(verdict, TRUE);
}

static json_t *json_side(const case_t *instance, const GString *line, const verdict_t *verdict) {
  return json_pack("{s:s, s:I, s:o}", "case", line->str, "operand_elements",
                   (json_int_t)reproducer_operand_elements(instance), "verdict",
                   json_verdict(verdict));
}

static json_t *json_shrunk(const shrunk_t *shrunk) {
  return json_pack("{s:s, s:s, s:o, s:o, s:s, s:s, s:s, s:I, s:I, s:I, s:b}", "executor",
                   executor_name(shrunk->executor), "version", executor_version(shrunk->executor),
                   "before", json_side(shrunk->before, shrunk->line_before, shrunk->verdict),
                   "after",
                   json_side(&shrunk->after.instance, shrunk->line, &shrunk->after.verdict),
                   "replay", shrunk->replay->str, "mlir", shrunk->module->str, "c",
                   shrunk->arrays->str, "cases_run", (json_int_t)shrunk->report.calls,
                   "programs_compiled", (json_int_t)shrunk->report.program_changes, "steps_taken",
                   (json_int_t)shrunk->report.accepted, "complete", shrunk->report.is_complete);
}

static void print_shrunk(shrink_command_t *shrink, const shrunk_t *shrunk) {
  if (shrink->documents != NULL) {
    json_array_append_new(shrink->documents, json_shrunk(shrunk));
    return;
  }
  if (shrink->shown_one) putchar('\n');
  shrink->shown_one = true;
  print_words(shrunk);
  fflush(stdout);
}

/* ---- Shrinking ------------------------------------------------------------------------------- */

static status_t shrink_on(shrink_command_t *shrink, const case_t *instance, executor_t *executor,
                          failure_t *error) {
  reproducer_t before;
  STATUS_TRY(reproducer_make(&shrink->walk, executor, instance, &shrink->arena, &before, error));
  const verdict_t *verdict = &before.verdict;
  bool is_finding = verdict->outcome == OUTCOME_diverges || verdict->outcome == OUTCOME_failed;
  if (!is_finding) {
    complain("%s: %s on this case; there is nothing to shrink", executor_name(executor),
             outcome_spelling(verdict->outcome));
    return STATUS_OK;
  }
  shrink->diverged |= verdict->outcome == OUTCOME_diverges;
  shrink->failed |= verdict->outcome == OUTCOME_failed;
  const shrink_divergence_options_t options = {.walk = &shrink->walk,
                                               .executor = executor,
                                               .calls_max = (uint32_t)shrink->flags->steps,
                                               .seed = 1,
                                               .stop = shrink->stop,
                                               .on_accepted = show_progress,
                                               .hook_context = shrink};
  shrink->next_progress = clock_nanoseconds() + PROGRESS_NANOSECONDS;
  shrink_divergence_t smallest;
  STATUS_TRY(shrink_divergence(&options, instance, verdict, &shrink->arena, &smallest, error));
  if (!smallest.report.is_reproduced) {
    complain("%s: %s (%s), but not again on the same case; it stays as it is",
             executor_name(executor), outcome_spelling(verdict->outcome),
             class_spelling(verdict->class_));
  }
  shrunk_t shrunk = {
      .executor = executor, .before = instance, .verdict = verdict, .report = smallest.report};
  STATUS_TRY(reproducer_make(&shrink->walk, executor, &smallest.instance, &shrink->arena,
                             &shrunk.after, error));
  shrunk = make_texts(shrink, shrunk);
  print_shrunk(shrink, &shrunk);
  free_texts(&shrunk);
  return STATUS_OK;
}

/* A bad line is STATUS_INVALID and the caller's; all else is ours. */
static status_t shrink_line(void *context, str_t line, failure_t *error) {
  shrink_command_t *shrink = (shrink_command_t *)context;
  arena_reset(&shrink->arena);
  case_t instance;
  const char *broken;
  STATUS_TRY(case_parse(line, &shrink->arena, &instance, &broken, error));
  status_t status = STATUS_OK;
  for (size_t i = 0; i < shrink->executors.count && status == STATUS_OK; i++) {
    if (*shrink->stop != 0) break;
    status = shrink_on(shrink, &instance, shrink->executors.items[i], error);
  }
  return status == STATUS_INVALID ? STATUS_IO : status;
}

/* ---- Options --------------------------------------------------------------------------------- */

static status_t open_prediction(shrink_command_t *shrink, failure_t *error) {
  const shrink_flags_t *flags = shrink->flags;
  if (PERMITTED(&shrink->walk.contract, bits) != BITS_IDENTIFIED) return STATUS_OK;
  const prediction_options_t options = {.database = flags->database,
                                        .executors = shrink->executors.items,
                                        .executor_count = shrink->executors.count,
                                        .reference = flags->reference};
  STATUS_TRY(prediction_open(&options, &shrink->prediction, error));
  shrink->walk.predictor = prediction_predictor(shrink->prediction);
  return STATUS_OK;
}

/* The database is also that of a finding, so that it may be given without contract `identified`. */
static status_t find_shrink_contract(const shrink_flags_t *flags, contract_t *out_contract,
                                     failure_t *error) {
  STATUS_TRY(find_contract(flags->contract, out_contract, error));
  bool is_of_finding = flags->finding != NULL && PERMITTED(out_contract, bits) != BITS_IDENTIFIED;
  return check_prediction_flags(out_contract, is_of_finding ? NULL : flags->database,
                                flags->reference, error);
}

static int open_command(const shrink_flags_t *flags, shrink_command_t *shrink) {
  *shrink = (shrink_command_t){.flags = flags, .stop = interrupt_catch()};
  contract_t contract;
  failure_t error = {0};
  status_t status = find_shrink_contract(flags, &contract, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  int exit_code = executor_flags_open(&flags->executor, &shrink->executors);
  if (exit_code != EXIT_CODE_CLEAN) return exit_code;
  case_runner_init(&shrink->walk, &contract, 1);
  status = open_prediction(shrink, &error);
  if (status != STATUS_OK) {
    return executor_list_close(&shrink->executors, complain_status(status, &error));
  }
  arena_init(&shrink->arena);
  if (flags->json) shrink->documents = json_array();
  return EXIT_CODE_CLEAN;
}

static int close_command(shrink_command_t *shrink, int exit_code) {
  if (shrink->documents != NULL) json_print(shrink->documents, false);
  prediction_close(shrink->prediction);
  arena_deinit(&shrink->arena);
  if (exit_code == EXIT_CODE_CLEAN && shrink->diverged) exit_code = EXIT_CODE_DIVERGES;
  if (exit_code == EXIT_CODE_CLEAN && shrink->failed) exit_code = EXIT_CODE_FAILED;
  return executor_list_close(&shrink->executors, exit_code);
}

static int shrink_argument(const shrink_flags_t *flags, const char *argument) {
  shrink_command_t shrink;
  int exit_code = open_command(flags, &shrink);
  if (exit_code != EXIT_CODE_CLEAN) return exit_code;
  return close_command(&shrink, input_walk(argument, shrink_line, &shrink));
}

static status_t parse_id(const char *text, int64_t *out_id, failure_t *error) {
  guint64 id;
  if (g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT64, &id, NULL)) {
    *out_id = (int64_t)id;
    return STATUS_OK;
  }
  return status_fail(error, STATUS_INVALID, "bad value '%s' (--finding); write a number from 1",
                     text);
}

/* The executor and the contract of the finding, unless others are given. */
static int shrink_stored(shrink_flags_t *flags) {
  failure_t error = {0};
  int64_t id = 0;
  stored_finding_t finding = {0};
  status_t status = parse_id(flags->finding, &id, &error);
  if (status == STATUS_OK && flags->database == NULL) {
    status = status_fail(&error, STATUS_INVALID, "no database given (--finding); add --db FILE");
  }
  if (status == STATUS_OK) status = stored_finding_read(flags->database, id, &finding, &error);
  int exit_code;
  if (status == STATUS_OK) {
    if (flags->executor.names == NULL) {
      flags->executor.names = g_new0(char *, 2);
      flags->executor.names[0] = g_strdup(finding.executor);
    }
    if (flags->contract == NULL) flags->contract = g_strdup(finding.contract);
    exit_code = shrink_argument(flags, finding.case_line);
  } else {
    exit_code = complain_status(status, &error);
  }
  stored_finding_free(&finding);
  return exit_code;
}

static int shrink_command(shrink_flags_t *flags, const char *argument) {
  if (flags->steps > G_MAXUINT32) {
    complain("bad value %" G_GINT64_FORMAT " (--steps); write a number of cases from 1",
             flags->steps);
    return EXIT_CODE_USAGE;
  }
  if ((flags->finding != NULL) == (argument != NULL)) {
    complain("give one thing to shrink: a case LINE, a FILE of them, or --db FILE --finding ID");
    return EXIT_CODE_USAGE;
  }
  return flags->finding != NULL ? shrink_stored(flags) : shrink_argument(flags, argument);
}

int command_shrink(const command_t *command, int argc, char **argv) {
  shrink_flags_t flags = {0};
  const GOptionEntry entries[] = {
      {"contract", 'c', 0, G_OPTION_ARG_STRING, &flags.contract,
       "spec, backend (default), wide, identified, KEY=VALUE,... or @FILE; `assay help` explains",
       "CONTRACT"},
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &flags.database,
       "The database that has the finding, or with contract identified the profiles", "FILE"},
      {"finding", 0, 0, G_OPTION_ARG_STRING, &flags.finding,
       "Shrink this finding of the database, on its executor and under its contract", "ID"},
      {"reference", 0, 0, G_OPTION_ARG_STRING, &flags.reference,
       "With contract identified: the version to predict with, or own", "VERSION"},
      {"steps", 0, 0, G_OPTION_ARG_INT64, &flags.steps,
       "Run at most N cases (default: 400, and 48 or 16 where each costs a crash or a hang)", "N"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &flags.json, "Print one JSON document", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  executor_flags_add(&flags.executor, &arguments);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 1)) {
    exit_code = shrink_command(&flags, argc > 1 ? argv[1] : NULL);
  }
  executor_flags_free(&flags.executor);
  g_free(flags.contract);
  g_free(flags.database);
  g_free(flags.reference);
  g_free(flags.finding);
  return exit_code;
}
