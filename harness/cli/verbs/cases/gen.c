/* SPDX-License-Identifier: Apache-2.0 */
/* assay gen: prints the cases that `assay run` would draw, one line each. */
#include <stdio.h>

#include "harness/cli/options/flags.h"
#include "harness/run/stream.h"

typedef struct gen_flags {
  char **ops;
  gint64 cases;
  char *seed;
  char *strata;
  char *data_sets;
  char *case_seed;
  char *program;
  char *contract;
  gboolean invalid;
} gen_flags_t;

static void print_case(const case_t *instance, GString *line) {
  g_string_truncate(line, 0);
  case_print(instance, line);
  g_string_append_c(line, '\n');
  fwrite(line->str, 1, line->len, stdout);
}

/* The one case whose data come from `case_seed`. */
static status_t print_case_of_seed(const program_t *program, const char *text, arena_t *arena,
                                   failure_t *error) {
  uint64_t case_seed;
  STATUS_TRY(arguments_parse_seed(text, &case_seed, error));
  case_t instance = case_make(arena, program);
  stream_draw_data(case_seed, &instance);
  GString *line = g_string_new(NULL);
  print_case(&instance, line);
  g_string_free(line, TRUE);
  return STATUS_OK;
}

static void print_cases(const stream_options_t *options, gint64 cases) {
  stream_t stream;
  stream_init(&stream, options);
  GString *line = g_string_new(NULL);
  for (gint64 i = 0; i < cases && !ferror(stdout); i++) {
    stream_next(&stream);
    print_case(&stream.instance, line);
  }
  g_string_free(line, TRUE);
  stream_deinit(&stream);
}

static status_t generate(const gen_flags_t *flags, arena_t *arena, failure_t *error) {
  stream_options_t options = {.gen = gen_options_default(), .leaves_out_invalid = !flags->invalid};
  contract_t contract;
  STATUS_TRY(find_contract(flags->contract, &contract, error));
  options.gen.contract = &contract;
  STATUS_TRY(arguments_parse_seed(flags->seed, &options.seed, error));
  STATUS_TRY(find_strata(flags->strata, &options.gen.strata, error));
  STATUS_TRY(find_data_sets(flags->data_sets, &options.data_sets, error));
  stream_program_t given;
  if (flags->program != NULL) {
    STATUS_TRY(stream_program_parse(str_from(flags->program), arena, &given, error));
    options.programs = &given;
    options.program_count = 1;
    if (flags->case_seed != NULL) {
      return print_case_of_seed(&given.program, flags->case_seed, arena, error);
    }
  } else if (flags->case_seed != NULL) {
    return status_fail(error, STATUS_INVALID, "--case-seed needs a program; add --program LINE");
  }
  const op_t *const *ops = NULL;
  STATUS_TRY(find_ops(flags->ops, &ops, &options.op_count, error));
  options.ops = ops;
  print_cases(&options, flags->cases);
  g_free((gpointer)(uintptr_t)ops);
  return STATUS_OK;
}

int command_gen(const command_t *command, int argc, char **argv) {
  gen_flags_t flags = {.cases = 1};
  const GOptionEntry entries[] = {
      {"op", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &flags.ops,
       "An op to draw cases of; may be given several times (default: all)", "OP"},
      {"cases", 'n', 0, G_OPTION_ARG_INT64, &flags.cases, "How many (default 1)", "N"},
      {"seed", 's', 0, G_OPTION_ARG_STRING, &flags.seed,
       "Same seed, same cases (default 1; random draws one)", "SEED"},
      {"program", 'p', 0, G_OPTION_ARG_STRING, &flags.program,
       "Draw data for this one program line", "LINE"},
      {"case-seed", 0, 0, G_OPTION_ARG_STRING, &flags.case_seed,
       "With --program: the one case whose data come from this seed", "SEED"},
      {"contract", 'c', 0, G_OPTION_ARG_STRING, &flags.contract,
       "Draw what is valid under it: spec, backend (default), wide, KEY=VALUE,... or @FILE",
       "CONTRACT"},
      {"strata", 0, 0, G_OPTION_ARG_STRING, &flags.strata, strata_help, "SHARES"},
      {"data-sets", 0, 0, G_OPTION_ARG_STRING, &flags.data_sets, data_sets_help, "N"},
      {"invalid", 0, 0, G_OPTION_ARG_NONE, &flags.invalid,
       "Now and then a program that breaks a constraint, as `assay run` has", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) {
    arena_t arena;
    arena_init(&arena);
    failure_t error = {0};
    status_t status = generate(&flags, &arena, &error);
    exit_code = status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
    arena_deinit(&arena);
  }
  g_strfreev(flags.ops);
  g_free(flags.seed);
  g_free(flags.strata);
  g_free(flags.data_sets);
  g_free(flags.case_seed);
  g_free(flags.program);
  g_free(flags.contract);
  return exit_code;
}
