/* SPDX-License-Identifier: Apache-2.0 */
/* assay power: how wrong could results be without being noticed?  Asks the oracle alone. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/cli/options/flags.h"
#include "reports/power/power_report.h"

enum {
  PROGRAMS_DEFAULT = 20,
  PROGRAMS_MAX = 1000000,
  ELEMENTS_OF_CASE = 4,
  EXAMINED_MAX = 8,
  TICK_NANOSECONDS = 500000000
};

typedef struct power_flags {
  char **ops;
  char *types;
  char *program;
  char *contract;
  gint64 cases;
  char *seed;
  char *strata;
  gboolean json;
} power_flags_t;

static void flags_free(power_flags_t *flags) {
  g_strfreev(flags->ops);
  g_free(flags->types);
  g_free(flags->program);
  g_free(flags->contract);
  g_free(flags->seed);
  g_free(flags->strata);
}

/* ---- Progress -------------------------------------------------------------------------------- */

typedef struct progress {
  const char *op;
  uint64_t next;
} progress_t;

static void show_progress(void *context, const power_table_t *table) {
  progress_t *progress = (progress_t *)context;
  uint64_t now = clock_nanoseconds();
  if (now < progress->next) return;
  progress->next = now + TICK_NANOSECONDS;
  fprintf(stderr, "\r\033[K%s, %" PRIu64 " cases", progress->op, table->cases);
  fflush(stderr);
}

/* ---- Measuring ------------------------------------------------------------------------------- */

static status_t measure_ops(const power_flags_t *flags, const power_options_t *options,
                            progress_t *progress, power_table_t *table, failure_t *error) {
  const op_t *const *ops = NULL;
  size_t op_count;
  STATUS_TRY(find_ops(flags->ops, &ops, &op_count, error));
  bool has_any = false;
  status_t status = STATUS_OK;
  for (size_t i = 0; i < op_count && status == STATUS_OK; i++) {
    bool has_types;
    progress->op = ops[i]->name;
    status = power_measure_op(options, ops[i], table, &has_types, error);
    has_any |= has_types;
  }
  g_free((gpointer)(uintptr_t)ops);
  STATUS_TRY(status);
  if (has_any) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "no program has the types '%.100s' (--types); write an element type (f32), or "
                     "all types as reports have them (bf16,bf16->f32)",
                     options->types);
}

static status_t measure_program(const power_flags_t *flags, const power_options_t *options,
                                progress_t *progress, power_table_t *table, failure_t *error) {
  if (flags->ops != NULL || flags->types != NULL) {
    return status_fail(error, STATUS_INVALID,
                       "--program excludes --op and --types: a program has its own");
  }
  arena_t arena;
  arena_init(&arena);
  program_t program;
  status_t status = program_parse(str_from(flags->program), &arena, &program, NULL, error);
  if (status == STATUS_OK) {
    const op_constraint_t *broken = program_broken_under(&program, NULL, options->contract);
    progress->op = program.op->name;
    if (broken != NULL) {
      status = status_fail(error, STATUS_INVALID, "the program breaks %s under the contract: %s",
                           broken->id, broken->text);
    } else {
      status = power_measure_program(options, &program, table, error);
    }
  }
  arena_deinit(&arena);
  return status;
}

static status_t measure(const power_flags_t *flags, failure_t *error) {
  if (flags->cases < 1 || flags->cases > PROGRAMS_MAX) {
    return status_fail(error, STATUS_INVALID,
                       "bad value %" G_GINT64_FORMAT " (--cases); write 1 to %d", flags->cases,
                       (int)PROGRAMS_MAX);
  }
  contract_t contract;
  STATUS_TRY(find_contract(flags->contract, &contract, error));
  progress_t progress = {.op = ""};
  power_options_t options = {.contract = &contract,
                             .strata = power_strata(),
                             .programs = (uint64_t)flags->cases,
                             .elements = ELEMENTS_OF_CASE,
                             .examined_max = EXAMINED_MAX,
                             .types = flags->types,
                             .on_case = isatty(STDERR_FILENO) ? show_progress : NULL,
                             .context = &progress};
  STATUS_TRY(arguments_parse_seed(flags->seed, &options.seed, error));
  if (flags->strata != NULL) STATUS_TRY(find_strata(flags->strata, &options.strata, error));
  power_table_t table;
  power_table_init(&table);
  status_t status = flags->program != NULL
                        ? measure_program(flags, &options, &progress, &table, error)
                        : measure_ops(flags, &options, &progress, &table, error);
  if (options.on_case != NULL) fputs("\r\033[K", stderr);
  if (status == STATUS_OK) {
    power_table_sort(&table);
    (flags->json ? power_report_print_json : power_report_print)(&options, &table);
  }
  power_table_deinit(&table);
  return status;
}

int command_power(const command_t *command, int argc, char **argv) {
  power_flags_t flags = {.cases = PROGRAMS_DEFAULT};
  const GOptionEntry entries[] = {
      {"op", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &flags.ops,
       "An op to measure; may be given several times (default: all)", "OP"},
      {"types", 't', 0, G_OPTION_ARG_STRING, &flags.types,
       "Only programs of this element type (f32), or of these types (bf16,bf16->f32)", "TYPES"},
      {"program", 'p', 0, G_OPTION_ARG_STRING, &flags.program, "Measure this one program line",
       "LINE"},
      {"contract", 'c', 0, G_OPTION_ARG_STRING, &flags.contract,
       "Whose power: spec, backend (default), KEY=VALUE,... or @FILE", "CONTRACT"},
      {"cases", 'n', 0, G_OPTION_ARG_INT64, &flags.cases,
       "Programs to draw of each op, with data of either kind for each; of --program, how many "
       "data sets of each kind (default 20)",
       "N"},
      {"seed", 's', 0, G_OPTION_ARG_STRING, &flags.seed,
       "Same seed, same numbers (default 1; random draws one)", "SEED"},
      {"strata", 0, 0, G_OPTION_ARG_STRING, &flags.strata,
       "NAME=SHARE,...: where programs and drawn data come from (default: corner=2, tiles=1, "
       "long=1, deployment=1)",
       "SHARES"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &flags.json, "Print one JSON document", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) {
    failure_t error = {0};
    status_t status = measure(&flags, &error);
    exit_code = status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
  }
  flags_free(&flags);
  return exit_code;
}
