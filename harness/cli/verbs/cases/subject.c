/* SPDX-License-Identifier: Apache-2.0 */
/* assay subject: reads cases, runs an executor, appends what it returned (result_line.h). */
#include "harness/cli/options/flags.h"
#include "harness/cli/options/input.h"
#include "harness/cli/verbs/cases/result_line.h"

static void set_class(result_field_t *field, divergence_class_t class_) {
  field->kind = RESULT_CLASS;
  field->class_ = class_;
}

static void observe(case_runner_t *walk, executor_t *executor, const case_t *instance,
                    const op_constraint_t *broken, arena_t *arena, result_field_t *field) {
  preparation_t preparation;
  case_runner_prepare(walk, &instance->program, broken, executor, &preparation);
  field->kind = RESULT_ABSENT;
  field->outcome = preparation.outcome;
  g_strlcpy(field->reason, preparation.reason, sizeof field->reason);
  if (preparation.outcome != EXECUTOR_OK) return;
  if (case_runner_is_settled(&preparation, broken)) {
    field->kind = RESULT_ACCEPTED;
    return;
  }
  executions_t executions;
  execution_t last = execute_twice(executor, preparation.program, instance, arena, &executions);
  field->outcome = last.outcome;
  g_strlcpy(field->reason, last.reason, sizeof field->reason);
  if (last.outcome != EXECUTOR_OK) return;
  if (executions.wrote_out_of_bounds) return set_class(field, CLASS_out_of_bounds);
  switch (executions.repeat.kind) {
    case REPEAT_UNWRITTEN:
      return set_class(field, CLASS_unwritten);
    case REPEAT_DIFFERS:
      return set_class(field, CLASS_nondeterministic);
    case REPEAT_PADDING:
      field->outcome = EXECUTOR_GARBAGE;
      return;
    case REPEAT_SAME:
    default:
      field->kind = RESULT_DATA;
      memcpy(field->results, executions.results, sizeof field->results);
  }
}

static status_t answer_line(case_runner_t *walk, executor_t *executor, str_t line, arena_t *arena,
                            GString *text, failure_t *error) {
  case_t instance;
  const char *violation;
  STATUS_TRY(case_parse(line, arena, &instance, &violation, error));
  result_field_t field = {0};
  observe(walk, executor, &instance, op_constraint_find(instance.program.op, violation), arena,
          &field);
  g_string_append_len(text, line.data, (gssize)line.size);
  g_string_append_c(text, '\t');
  result_field_print(&instance.program, &field, text);
  g_string_append_c(text, '\n');
  return STATUS_OK;
}

static int answer_all(executor_t *executor) {
  input_t input = input_stdin();
  const contract_t contract = contract_backend();
  case_runner_t walk;
  case_runner_init(&walk, &contract, 1);
  arena_t arena;
  arena_init(&arena);
  GString *text = g_string_new(NULL);
  str_t line;
  while (input_next(&input, &line)) {
    arena_reset(&arena);
    g_string_truncate(text, 0);
    failure_t error = {0};
    if (answer_line(&walk, executor, line, &arena, text, &error) == STATUS_OK) {
      fwrite(text->str, 1, text->len, stdout);
      fflush(stdout); /* The other side of the pipe may wait for each answer. */
    } else {
      input_complain(&input, &error);
    }
  }
  g_string_free(text, TRUE);
  arena_deinit(&arena);
  input_close(&input);
  return input.had_bad_line ? EXIT_CODE_USAGE : EXIT_CODE_CLEAN;
}

int command_subject(const command_t *command, int argc, char **argv) {
  executor_flags_t flags = {0};
  arguments_t arguments = arguments_make(command);
  executor_flags_add(&flags, &arguments);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) {
    executor_list_t executors;
    exit_code = executor_flags_open(&flags, &executors);
    if (exit_code == EXIT_CODE_CLEAN && executors.count != 1) {
      complain("`assay subject` runs one executor; give --executor once");
      exit_code = executor_list_close(&executors, EXIT_CODE_USAGE);
    } else if (exit_code == EXIT_CODE_CLEAN) {
      exit_code = executor_list_close(&executors, answer_all(executors.items[0]));
    }
  }
  executor_flags_free(&flags);
  return exit_code;
}
