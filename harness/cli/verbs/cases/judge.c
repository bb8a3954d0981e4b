/* SPDX-License-Identifier: Apache-2.0 */
/* assay judge: reads cases with results (result_line.h) and answers each line with a verdict, or
 * with what is wrong with the line; or a module of one op whose checks say what its results are. */
#include "harness/cli/options/flags.h"
#include "harness/cli/options/input.h"
#include "harness/cli/options/mlir_input.h"
#include "harness/cli/verbs/cases/result_line.h"
#include "harness/diagnose/cause.h"
#include "reports/verdict/describe.h"

/* A case and what a line tells of its result. */
typedef struct reported_result {
  const case_t *instance;
  const op_constraint_t *broken; /* NULL, or what the case breaks. */
  result_field_t field;
} reported_result_t;

static void tell_unjudged(const program_t *program, uint32_t unjudged, verdict_t *verdict) {
  for (uint32_t i = 0; i < program->result_count && verdict->reason[0] == '\0'; i++) {
    if ((unjudged >> i & 1) == 0) continue;
    snprintf(verdict->reason, sizeof verdict->reason, "result %u is not judged", i);
  }
}

/* STATUS_IO where an audit finds Assay itself wrong: that is not the line's fault. */
static status_t judge_field(case_runner_t *walk, const reported_result_t *reported, arena_t *arena,
                            verdict_t *verdict, failure_t *error) {
  const op_constraint_t *broken = reported->broken;
  const result_field_t *field = &reported->field;
  *verdict = (verdict_t){0};
  if (field->kind == RESULT_ABSENT) {
    case_runner_judge_absence(field->outcome, EXECUTOR_PROMISE_NONE, broken, field->reason,
                              verdict);
    return STATUS_OK;
  }
  if (field->kind == RESULT_CLASS && field->class_ == CLASS_nondeterministic &&
      PERMITTED(&walk->contract, repeat) == RUNS_MAY_DIFFER) {
    verdict->outcome = OUTCOME_no_oracle;
    g_strlcpy(verdict->reason, "two runs differed, as repeat=any permits, and neither is given",
              sizeof verdict->reason);
    return STATUS_OK;
  }
  if (field->kind == RESULT_CLASS) {
    verdict->outcome = OUTCOME_diverges;
    verdict->class_ = field->class_;
    g_strlcpy(verdict->reason, field->reason, sizeof verdict->reason);
    return STATUS_OK;
  }
  bool is_accepted = field->kind == RESULT_ACCEPTED && !op_constraint_is_unmodelled(broken);
  if (is_accepted || op_constraint_is_forbidden(broken)) {
    case_runner_judge_accepted(broken, verdict);
    return STATUS_OK;
  }
  if (field->unjudged == (1U << reported->instance->program.result_count) - 1) {
    verdict->outcome = OUTCOME_no_oracle;
    g_strlcpy(verdict->reason, "no result is to be judged", sizeof verdict->reason);
    return STATUS_OK;
  }
  expectation_t expectation;
  status_t status =
      case_runner_expect(walk, reported->instance, broken, arena, &expectation, error);
  if (status != STATUS_OK) return STATUS_IO;
  walk->unjudged = field->unjudged;
  STATUS_TRY(case_runner_judge(walk, &expectation, field->results, verdict, error));
  STATUS_TRY(cause_explain(walk, &expectation, arena, verdict, error));
  tell_unjudged(&reported->instance->program, field->unjudged, verdict);
  return STATUS_OK;
}

/* Columns of errors count from the start of the line, also behind the tab. */
static status_t judge_line(case_runner_t *walk, str_t line, arena_t *arena, case_t *out_instance,
                           verdict_t *out_verdict, failure_t *error) {
  scan_t scan = scan_make(line);
  str_t case_line = scan_until(&scan, "\t");
  const char *violation;
  STATUS_TRY(case_parse(case_line, arena, out_instance, &violation, error));
  const program_t *program = &out_instance->program;
  reported_result_t reported = {.instance = out_instance};
  reported.broken =
      program_broken_under(program, op_constraint_find(program->op, violation), &walk->contract);
  if (!scan_accept(&scan, "\t")) {
    return status_fail_at(error, STATUS_INVALID, (size_t)(scan.cursor - scan.begin) + 1,
                          "expected a tab and the results of the case, found the end of the line");
  }
  size_t before = (size_t)(scan.cursor - scan.begin);
  const str_t rest = {.data = scan.cursor, .size = line.size - before};
  status_t status = result_field_parse(rest, &out_instance->program, arena, &reported.field, error);
  if (status != STATUS_OK) {
    error->column += before;
    return status;
  }
  return judge_field(walk, &reported, arena, out_verdict, error);
}

/* Where the answers are, each with the number of the line that it is to. */
typedef struct answers {
  const input_t *input;
  bool are_json;
  int exit_code;
} answers_t;

static void answer_verdict(answers_t *answers, const case_t *instance, const verdict_t *verdict) {
  if (verdict->outcome == OUTCOME_diverges) answers->exit_code = EXIT_CODE_DIVERGES;
  if (verdict->outcome == OUTCOME_failed && answers->exit_code == EXIT_CODE_CLEAN) {
    answers->exit_code = EXIT_CODE_FAILED;
  }
  if (answers->are_json) {
    json_t *document = json_verdict(verdict);
    json_object_set_new(document, "line", json_integer((json_int_t)answers->input->line_number));
    json_print(document, true);
    return;
  }
  g_autoptr(GString) text = g_string_new(NULL);
  describe_verdict(&instance->program, verdict, text);
  puts(text->str);
}

/* A line that is wrong has its answer too, so that answers and lines can be joined. */
static void answer_error(const answers_t *answers, const failure_t *error) {
  const size_t line = answers->input->line_number;
  const char *text = failure_reason(error); /* Its column is that of the field, not of the line. */
  if (answers->are_json) {
    json_print(json_pack("{s:s, s:I, s:I, s:s%}", "outcome", "error", "line", (json_int_t)line,
                         "column", (json_int_t)error->column, "reason", text, strlen(text)),
               true);
  } else if (error->column > 0) {
    printf("error: line %zu, column %zu: %s\n", line, error->column, text);
  } else {
    printf("error: line %zu: %s\n", line, text);
  }
}

/* Of the whole input. */
typedef struct judge_options {
  contract_t contract;
  bool as_json;
  bool all_elements;
  mlir_input_flags_t input;
} judge_options_t;

/* What a module says its results are. */
static status_t judge_expected(const judge_options_t *options, const mlir_input_t *input,
                               const char *path, arena_t *arena, verdict_t *out_verdict,
                               failure_t *error) {
  const program_t *program = &input->instance.program;
  if (!mlir_input_is_checked(input)) {
    return status_fail(
        error, STATUS_INVALID,
        "%.200s: no check.expect_eq or the like says what a result is, so nothing is "
        "to be judged; `assay replay` runs it",
        path);
  }
  if (input->unknown != 0) {
    return status_fail(
        error, STATUS_INVALID,
        "%.200s: operand %d of %s is no constant: what is expected of it is not known", path,
        g_bit_nth_lsf(input->unknown, -1), program->op->name);
  }
  case_runner_t walk;
  case_runner_init(&walk, &options->contract, 1);
  walk.judges_all = options->all_elements;
  reported_result_t reported = {
      .instance = &input->instance,
      .broken = program_broken_under(program, program_broken(program), &options->contract),
      .field = {.kind = RESULT_DATA, .unjudged = input->unchecked}};
  for (uint32_t i = 0; i < program->result_count; i++) {
    tensor_t *result = &reported.field.results[i];
    *result = input->expected[i];
    if ((input->unchecked >> i & 1) == 0) continue;
    *result = tensor_make(arena, &program->results[i]);
    memset(result->data, 0, type_bytes(&result->type));
  }
  return judge_field(&walk, &reported, arena, out_verdict, error);
}

static int judge_module(const judge_options_t *options, const char *path) {
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  mlir_input_t input;
  verdict_t verdict;
  const input_t place = {.name = path, .line_number = 1};
  answers_t answers = {&place, options->as_json, EXIT_CODE_CLEAN};
  status_t status = mlir_input_read(&options->input, path, &arena, &input, &error);
  if (status == STATUS_OK) {
    status = judge_expected(options, &input, path, &arena, &verdict, &error);
  }
  if (status == STATUS_OK) {
    if (!options->as_json) printf("the expected result: ");
    answer_verdict(&answers, &input.instance, &verdict);
  }
  arena_deinit(&arena);
  return status == STATUS_OK ? answers.exit_code : complain_status(status, &error);
}

static int judge_all(const judge_options_t *options, input_t *input) {
  answers_t answers = {input, options->as_json, EXIT_CODE_CLEAN};
  case_runner_t walk;
  case_runner_init(&walk, &options->contract, 1);
  walk.judges_all = options->all_elements;
  arena_t arena;
  arena_init(&arena);
  bool is_sound = true;
  str_t line;
  while (is_sound && input_next(input, &line)) {
    arena_reset(&arena);
    failure_t error = {0};
    case_t instance;
    verdict_t verdict;
    status_t status = judge_line(&walk, line, &arena, &instance, &verdict, &error);
    if (status == STATUS_OK) {
      answer_verdict(&answers, &instance, &verdict);
      continue;
    }
    fflush(stdout);
    input_complain(input, &error);
    is_sound = status != STATUS_IO;
    if (is_sound) answer_error(&answers, &error);
  }
  arena_deinit(&arena);
  if (!is_sound) return EXIT_CODE_FAILED;
  int exit_code = input_end(input, input->line_number > 0);
  return exit_code != EXIT_CODE_CLEAN ? exit_code : answers.exit_code;
}

/* `path` is NULL or "-" for standard input. */
static int judge_file(const judge_options_t *options, const char *path) {
  input_t input = input_stdin();
  if (path != NULL && !g_str_equal(path, "-")) {
    failure_t error = {0};
    status_t status = input_open(path, &input, &error);
    if (status != STATUS_OK) {
      complain_status(status, &error);
      return EXIT_CODE_USAGE;
    }
  }
  int exit_code = judge_all(options, &input);
  input_close(&input);
  return exit_code;
}

int command_judge(const command_t *command, int argc, char **argv) {
  char *contract_text = NULL;
  gboolean as_json = FALSE, all_elements = FALSE;
  const GOptionEntry entries[] = {
      {"contract", 'c', 0, G_OPTION_ARG_STRING, &contract_text,
       "spec, backend (default), wide, KEY=VALUE,... or @FILE; `assay help` explains", "CONTRACT"},
      {"all-elements", 0, 0, G_OPTION_ARG_NONE, &all_elements,
       "Judge all elements of large results, where `assay run` judges a sample", NULL},
      {"json", 0, 0, G_OPTION_ARG_NONE, &as_json, "One JSON object a line", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  judge_options_t options = {0};
  mlir_input_flags_add(&options.input, &arguments);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 1)) {
    failure_t error = {0};
    options.as_json = as_json != 0;
    options.all_elements = all_elements != 0;
    status_t status = find_contract(contract_text, &options.contract, &error);
    if (status == STATUS_OK && PERMITTED(&options.contract, bits) == BITS_IDENTIFIED) {
      status = status_fail(&error, STATUS_INVALID,
                           "contract identified is about an executor; use `assay replay`");
    }
    if (status != STATUS_OK) {
      exit_code = complain_status(status, &error);
    } else if (argc > 1 && mlir_input_is(argv[1])) {
      exit_code = judge_module(&options, argv[1]);
    } else {
      exit_code = judge_file(&options, argc > 1 ? argv[1] : NULL);
    }
  }
  mlir_input_flags_free(&options.input);
  g_free(contract_text);
  return exit_code;
}
