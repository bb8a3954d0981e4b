/* SPDX-License-Identifier: Apache-2.0 */
/* assay show: a case or a program in words, as a StableHLO module that any StableHLO tool reads,
 * and as arrays in C. */
#include "harness/cli/options/arguments.h"
#include "harness/cli/options/input.h"
#include "harness/cli/options/mlir_input.h"
#include "harness/cli/verbs/cases/expected.h"
#include "harness/cli/verbs/cases/result_line.h"
#include "harness/cli/verbs/evidence/standalone.h"
#include "harness/kinds/custom_call.h"
#include "reports/verdict/c_array.h"

/* A case, or a program alone, and what its results are said to be. */
typedef struct shown {
  case_t instance;
  bool is_case;
  bool has_results;
  tensor_t results[CASE_RESULTS_MAX];
  uint32_t unsaid; /* Bit i: of result i nothing is said. */
} shown_t;

typedef struct show_flags {
  gboolean mlir;
  gboolean c;
  char *python;   /* The executor whose worker writes a script; NULL: none. */
  char *executor; /* The one whose shared object writes a program in C; NULL: none. */
  gboolean with_data;
  char *dialect; /* As it was given; NULL: stablehlo. */
  gboolean is_mhlo;
  gboolean is_document;
  mlir_input_flags_t input;
  gboolean shown_one; /* Cases after the first are set off by an empty line. */
} show_flags_t;

static void print_constraint(const program_t *program, const op_constraint_t *broken) {
  if (op_constraint_is_unmodelled(broken)) {
    printf("  modelled:  only where %s (%s)\n", broken->text, broken->id);
    return;
  }
  g_autoptr(GString) clause = g_string_new(NULL);
  op_constraint_print_clause(program->op, broken, clause);
  printf("  breaks:    %s, %s\n  forbidden: %s\n", broken->id, broken->text, clause->str);
}

static void print_words(const program_t *program) {
  GString *text = g_string_new(NULL);
  program_print_words(program, text);
  printf("%s\n", text->str);
  g_string_truncate(text, 0);
  program_print(program, text);
  printf("  program:   %s\n", text->str);
  g_string_truncate(text, 0);
  program->op->print_algorithm(program, text);
  printf("  algorithm: %s\n  meaning:   %s\n", text->str, program->op->spec);
  const op_constraint_t *broken = program_broken(program);
  if (broken != NULL) print_constraint(program, broken);
  g_string_free(text, TRUE);
}

static void print_operands(const case_t *instance) {
  GString *text = g_string_new(NULL);
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    g_string_truncate(text, 0);
    type_print(&instance->operands[i].type, text);
    g_string_append_c(text, ' ');
    tensor_print_data(&instance->operands[i], text);
    printf("  operand %u: %s\n", i, text->str);
  }
  g_string_free(text, TRUE);
}

static void print_module(const show_flags_t *flags, const program_t *program) {
  GString *text = g_string_new(NULL);
  if (flags->is_document) {
    custom_call_print_document(program, text);
  } else if (flags->is_mhlo) {
    custom_call_print_module(program, "mhlo", text);
  } else {
    program->op->print_mlir(program, text);
  }
  fputs(text->str, stdout);
  if (text->len == 0 || text->str[text->len - 1] != '\n') putchar('\n');
  g_string_free(text, TRUE);
}

static void print_c(const case_t *instance) {
  GString *text = g_string_new(NULL);
  c_array_print(instance, "", NULL, text);
  fputs(text->str, stdout);
  g_string_free(text, TRUE);
}

static bool has_data(str_t line) {
  return g_strstr_len(line.data, (gssize)line.size, " : ") != NULL;
}

/* A script or program that runs the case without Assay, with what it printed here. */
static status_t print_standalone(const char *executor, const case_t *instance, failure_t *error) {
  standalone_t script;
  STATUS_TRY(standalone_make(executor, instance, &script, error));
  status_t status = STATUS_OK;
  if (script.script == NULL) {
    status = status_fail(error, STATUS_UNSUPPORTED, "%s: no script of this case: %s", executor,
                         script.refusal);
  } else {
    fputs(script.script, stdout);
    bool ran = script.results != NULL;
    printf("%s %s: %s%s\n", script.is_c ? "/*" : "#",
           ran ? "Run here, it printed" : "It does not run here",
           ran ? script.results : script.words, script.is_c ? " */" : "");
  }
  standalone_free(&script);
  return status;
}

/* The module with constants and checks: of the results that are given, or of a model's. */
static status_t print_checked(shown_t *shown, arena_t *arena, failure_t *error) {
  checked_result_t checked[CASE_RESULTS_MAX];
  if (!shown->has_results) {
    STATUS_TRY(expected_of_model(&shown->instance, arena, shown->results, error));
  }
  STATUS_TRY(
      expected_measure(&shown->instance, shown->results, shown->unsaid, arena, checked, error));
  g_autoptr(GString) text = g_string_new(NULL);
  STATUS_TRY(checked_module_print(&shown->instance, checked, text, error));
  fputs(text->str, stdout);
  return STATUS_OK;
}

static status_t check_form(const show_flags_t *flags, const shown_t *shown, failure_t *error) {
  if ((flags->c || flags->with_data || flags->python != NULL) && !shown->is_case) {
    return status_fail(error, STATUS_INVALID,
                       "a program without data has no arrays (%s); add ' : ' and its operands",
                       flags->c                ? "--c"
                       : flags->python != NULL ? "--python"
                                               : "--with-data");
  }
  const op_t *op = shown->instance.program.op;
  if ((flags->is_mhlo || flags->is_document) && !custom_call_is_of(op)) {
    return status_fail(error, STATUS_INVALID, "no spelling of %s in %s, only in stablehlo",
                       op->name, flags->dialect);
  }
  return STATUS_OK;
}

static status_t show_case(show_flags_t *flags, shown_t *shown, arena_t *arena, failure_t *error) {
  STATUS_TRY(check_form(flags, shown, error));
  if (flags->shown_one) putchar('\n');
  flags->shown_one = TRUE;
  if (flags->python != NULL) return print_standalone(flags->python, &shown->instance, error);
  if (flags->executor != NULL) return print_standalone(flags->executor, &shown->instance, error);
  if (flags->with_data) return print_checked(shown, arena, error);
  if (flags->c) {
    print_c(&shown->instance);
    return STATUS_OK;
  }
  if (!flags->mlir) {
    print_words(&shown->instance.program);
    if (shown->is_case) print_operands(&shown->instance);
    putchar('\n');
  }
  print_module(flags, &shown->instance.program);
  return STATUS_OK;
}

/* The field behind a case's tab, as `assay judge` reads it. */
static status_t read_results(str_t text, arena_t *arena, shown_t *shown, failure_t *error) {
  result_field_t field;
  STATUS_TRY(result_field_parse(text, &shown->instance.program, arena, &field, error));
  shown->has_results = field.kind == RESULT_DATA;
  if (!shown->has_results) {
    return status_fail(error, STATUS_INVALID, "there are no results to show; leave out the tab");
  }
  memcpy(shown->results, field.results, sizeof shown->results);
  shown->unsaid = field.unjudged;
  return STATUS_OK;
}

static status_t show_line(show_flags_t *flags, str_t line, arena_t *arena, failure_t *error) {
  shown_t shown = {.is_case = has_data(line)};
  const char *violation;
  const char *tab = memchr(line.data, '\t', line.size);
  str_t case_line = line;
  if (tab != NULL) case_line.size = (size_t)(tab - line.data);
  if (shown.is_case) {
    STATUS_TRY(case_parse(case_line, arena, &shown.instance, &violation, error));
  } else {
    STATUS_TRY(program_parse(case_line, arena, &shown.instance.program, &violation, error));
  }
  if (tab != NULL && shown.is_case) {
    const str_t field = {.data = tab + 1, .size = line.size - case_line.size - 1};
    status_t status = read_results(field, arena, &shown, error);
    if (error->column > 0) error->column += case_line.size + 1;
    STATUS_TRY(status);
  }
  return show_case(flags, &shown, arena, error);
}

static status_t show_file(show_flags_t *flags, const char *path, arena_t *arena, failure_t *error) {
  mlir_input_t input;
  STATUS_TRY(mlir_input_read(&flags->input, path, arena, &input, error));
  shown_t shown = {.instance = input.instance,
                   .is_case = input.unknown == 0 || flags->with_data,
                   .has_results = mlir_input_is_checked(&input),
                   .unsaid = mlir_input_is_checked(&input) ? input.unchecked : 0};
  memcpy(shown.results, input.expected, sizeof shown.results);
  return show_case(flags, &shown, arena, error);
}

static int show_stdin(show_flags_t *flags, arena_t *arena) {
  input_t input = input_stdin();
  str_t line;
  while (input_next(&input, &line)) {
    if (line.size == 0 || line.data[0] == '#' || line.data[0] == '=') continue;
    arena_reset(arena);
    failure_t error = {0};
    if (show_line(flags, line, arena, &error) != STATUS_OK) input_complain(&input, &error);
  }
  input_close(&input);
  return input.had_bad_line ? EXIT_CODE_USAGE : EXIT_CODE_CLEAN;
}

static void complain_of_argument(const failure_t *error) {
  if (error->column == 0) {
    complain("%s", error->text);
  } else {
    complain("%s (neither a file of MLIR nor a case line, column %zu)", failure_reason(error),
             error->column);
  }
}

static int show(show_flags_t *flags, const char *argument) {
  arena_t arena;
  arena_init(&arena);
  int exit_code = EXIT_CODE_CLEAN;
  failure_t error = {0};
  if (strcmp(argument, "-") == 0) {
    exit_code = show_stdin(flags, &arena);
  } else if (mlir_input_is(argument)) {
    status_t status = show_file(flags, argument, &arena, &error);
    if (status != STATUS_OK) exit_code = complain_status(status, &error);
  } else {
    status_t status = show_line(flags, str_from(argument), &arena, &error);
    if (status != STATUS_OK) complain_of_argument(&error);
    bool is_ours = status == STATUS_UNSUPPORTED || status == STATUS_IO;
    if (status != STATUS_OK) exit_code = is_ours ? EXIT_CODE_FAILED : EXIT_CODE_USAGE;
  }
  arena_deinit(&arena);
  return exit_code;
}

/* False after a complaint. */
static bool choose_form(show_flags_t *flags) {
  if (flags->python != NULL && (flags->c || flags->mlir || flags->dialect != NULL)) {
    complain("--python prints a script alone; leave out --c, --mlir and --dialect");
    return false;
  }
  if (flags->executor != NULL && !flags->c) {
    complain("--executor goes with --c; --python NAME prints the script of a worker");
    return false;
  }
  if (flags->with_data && (!flags->mlir || flags->dialect != NULL)) {
    complain("--with-data is for --mlir, in StableHLO alone; write --mlir --with-data");
    return false;
  }
  if (flags->c && (flags->mlir || flags->dialect != NULL)) {
    complain("--c prints no module; leave out --mlir and --dialect");
    return false;
  }
  if (flags->dialect == NULL || strcmp(flags->dialect, "stablehlo") == 0) return true;
  flags->is_mhlo = strcmp(flags->dialect, "mhlo") == 0;
  flags->is_document = strcmp(flags->dialect, "byteir") == 0;
  if (!flags->is_mhlo && !flags->is_document) {
    complain("bad value '%s' (--dialect); write stablehlo, mhlo or byteir", flags->dialect);
  }
  return flags->is_mhlo || flags->is_document;
}

int command_show(const command_t *command, int argc, char **argv) {
  show_flags_t flags = {0};
  const GOptionEntry entries[] = {
      {"mlir", 0, 0, G_OPTION_ARG_NONE, &flags.mlir, "Print the module alone", NULL},
      {"c", 0, 0, G_OPTION_ARG_NONE, &flags.c, "Print the operands alone, as arrays in C", NULL},
      {"python", 0, 0, G_OPTION_ARG_STRING, &flags.python,
       "Print a script in Python that runs the case on this executor's backend, without Assay",
       "NAME"},
      {"executor", 'e', 0, G_OPTION_ARG_STRING, &flags.executor,
       "With --c: print a program in C that runs the case on this executor's library, without "
       "Assay",
       "NAME"},
      {"with-data", 0, 0, G_OPTION_ARG_NONE, &flags.with_data,
       "With --mlir: operands are constants, and checks say what the results are: those behind a "
       "tab, as `assay judge` reads them, else a model's",
       NULL},
      {"dialect", 0, 0, G_OPTION_ARG_STRING, &flags.dialect,
       "How a ByteIR op's module spells its custom_call: stablehlo (default), mhlo, or byteir, as "
       "its document has it",
       "DIALECT"},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  mlir_input_flags_add(&flags.input, &arguments);
  bool is_good = arguments_parse(&arguments, &argc, &argv, 1, 1) && choose_form(&flags);
  int exit_code = is_good ? show(&flags, argv[1]) : EXIT_CODE_USAGE;
  g_free(flags.dialect);
  g_free(flags.python);
  g_free(flags.executor);
  mlir_input_flags_free(&flags.input);
  return exit_code;
}
