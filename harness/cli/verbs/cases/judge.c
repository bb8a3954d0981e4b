/* SPDX-License-Identifier: Apache-2.0 */
/* assay judge: reads cases with results (result_line.h) and prints a verdict for each. */
#include "harness/cli/options/flags.h"
#include "harness/cli/options/input.h"
#include "harness/cli/verbs/cases/result_line.h"
#include "reports/verdict/describe.h"

/* A case and what a line tells of its result. */
typedef struct reported_result {
  const case_t *instance;
  const op_constraint_t *broken; /* NULL, or what the case breaks. */
  result_field_t field;
} reported_result_t;

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
  expectation_t expectation;
  status_t status =
      case_runner_expect(walk, reported->instance, broken, arena, &expectation, error);
  if (status != STATUS_OK) return STATUS_IO;
  return case_runner_judge(walk, &expectation, field->results, verdict, error);
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
  STATUS_TRY(scan_expect(&scan, "\t", error));
  size_t before = (size_t)(scan.cursor - scan.begin);
  const str_t rest = {.data = scan.cursor, .size = line.size - before};
  status_t status = result_field_parse(rest, &out_instance->program, arena, &reported.field, error);
  if (status != STATUS_OK) {
    error->column += before;
    return status;
  }
  return judge_field(walk, &reported, arena, out_verdict, error);
}

static void print_verdict(const case_t *instance, const verdict_t *verdict, bool as_json) {
  if (as_json) {
    json_print(json_verdict(verdict), true);
    return;
  }
  GString *text = g_string_new(NULL);
  describe_verdict(&instance->program, verdict, text);
  puts(text->str);
  g_string_free(text, TRUE);
}

static int judge_all(const contract_t *contract, bool as_json, bool all_elements) {
  input_t input = input_stdin();
  case_runner_t walk;
  case_runner_init(&walk, contract, 1);
  walk.judges_all = all_elements;
  arena_t arena;
  arena_init(&arena);
  int exit_code = EXIT_CODE_CLEAN;
  bool is_sound = true;
  str_t line;
  while (is_sound && input_next(&input, &line)) {
    arena_reset(&arena);
    failure_t error = {0};
    case_t instance;
    verdict_t verdict;
    status_t status = judge_line(&walk, line, &arena, &instance, &verdict, &error);
    if (status != STATUS_OK) {
      input_complain(&input, &error);
      is_sound = status != STATUS_IO;
      continue;
    }
    print_verdict(&instance, &verdict, as_json);
    if (verdict.outcome == OUTCOME_diverges) exit_code = EXIT_CODE_DIVERGES;
    if (verdict.outcome == OUTCOME_failed && exit_code == EXIT_CODE_CLEAN) {
      exit_code = EXIT_CODE_FAILED;
    }
  }
  arena_deinit(&arena);
  input_close(&input);
  if (!is_sound) return EXIT_CODE_FAILED;
  return input.had_bad_line ? EXIT_CODE_USAGE : exit_code;
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
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) {
    failure_t error = {0};
    contract_t contract;
    status_t status = find_contract(contract_text, &contract, &error);
    if (status == STATUS_OK && PERMITTED(&contract, bits) == BITS_IDENTIFIED) {
      status = status_fail(&error, STATUS_INVALID,
                           "contract identified is about an executor; use `assay replay`");
    }
    exit_code = status == STATUS_OK ? judge_all(&contract, as_json, all_elements != 0)
                                    : complain_status(status, &error);
  }
  g_free(contract_text);
  return exit_code;
}
