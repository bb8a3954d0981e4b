/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a run's flags into session options with defaults and consistency checks: limits, seed,
 * contract, and given programs. */
#include "harness/cli/task/read.h"

#include "harness/cli/task/programs.h"
#include "harness/cli/task/recorded.h"

/* A backend that takes one op of a hundred types is found to do so within some thousand draws; one
 * that takes nothing ends its run after as many. */
enum { CASES_DEFAULT = 10000, DRAWS_PER_CASE_DEFAULT = 10, DRAWS_DEFAULT_MIN = 20000 };

static status_t read_limits(const task_flags_t *flags, session_options_t *options,
                            failure_t *error) {
  if (flags->time != NULL) {
    STATUS_TRY(arguments_parse_limit("--time", flags->time, &options->seconds_max, error));
  }
  if (!flags->is_drawn) return STATUS_OK;
  options->cases_max = (uint64_t)flags->cases;
  options->draws_max = (uint64_t)flags->draws;
  if (task_recorded_are_all(flags)) return STATUS_OK;
  if (flags->cases == 0 && flags->time == NULL) options->cases_max = CASES_DEFAULT;
  if (flags->draws != 0 || options->cases_max == 0) return STATUS_OK;
  bool is_endless = options->cases_max > UINT64_MAX / DRAWS_PER_CASE_DEFAULT;
  uint64_t draws = is_endless ? UINT64_MAX : options->cases_max * DRAWS_PER_CASE_DEFAULT;
  options->draws_max = MAX(draws, DRAWS_DEFAULT_MIN);
  return STATUS_OK;
}

static status_t read_programs(task_t *task, failure_t *error) {
  const task_flags_t *flags = task->flags;
  stream_options_t *stream = &task->options.stream;
  if (!task_programs_are_given(flags)) {
    STATUS_TRY(find_ops(flags->ops, &task->ops, &stream->op_count, error));
    stream->ops = task->ops;
    return STATUS_OK;
  }
  if (flags->ops != NULL) {
    return status_fail(error, STATUS_INVALID,
                       "--program names its op already; leave out --op or --program");
  }
  return task_programs_read(flags, &task->arena, &stream->programs, &stream->program_count, error);
}

status_t task_check_programs(const task_t *task, failure_t *error) {
  const stream_options_t *stream = &task->options.stream;
  if (task->options.asks_invalid) return STATUS_OK;
  for (size_t i = 0; i < task->executors.count; i++) {
    if (executor_validates(task->executors.items[i])) return STATUS_OK;
  }
  for (size_t i = 0; i < stream->program_count; i++) {
    if (!op_constraint_is_forbidden(stream->programs[i].broken)) continue;
    g_autoptr(GString) line = g_string_new(NULL);
    program_print(&stream->programs[i].program, line);
    return status_fail(
        error, STATUS_INVALID,
        "the program '%.200s' (--program) breaks constraint %s, and no executor here "
        "declares that it validates; add --invalid to run it all the same",
        line->str, stream->programs[i].broken->id);
  }
  return STATUS_OK;
}

static status_t find_shrink_percent(const char *text, uint32_t *out_percent, failure_t *error) {
  uint64_t percent = 100;
  if (text != NULL && !g_ascii_string_to_unsigned(text, 10, 1, 100, &percent, NULL)) {
    return status_fail(error, STATUS_INVALID,
                       "--shrink-percent is a share of the time, 1 to 100, and not '%.40s'", text);
  }
  *out_percent = (uint32_t)percent;
  return STATUS_OK;
}

status_t task_read_flags(task_t *task, failure_t *error) {
  session_options_t *options = &task->options;
  options->stream.gen = gen_options_default();
  STATUS_TRY(find_shrink_percent(task->flags->shrink_percent, &task->shrink_percent_max, error));
  STATUS_TRY(read_limits(task->flags, options, error));
  STATUS_TRY(read_fail_on(task->flags->fail_on, task->flags->database, &task->fail_on, error));
  STATUS_TRY(arguments_parse_seed(task->flags->seed, &options->stream.seed, error));
  STATUS_TRY(find_strata(task->flags->strata, &options->stream.gen.strata, error));
  STATUS_TRY(find_data_sets(task->flags->data_sets, &options->stream.data_sets, error));
  STATUS_TRY(find_contract(task->flags->contract, &options->contract, error));
  GString *contract = g_string_new(NULL);
  contract_print(&options->contract, contract);
  task->contract_text = g_string_free(contract, FALSE);
  bool predicts =
      PERMITTED(&options->contract, bits) == BITS_IDENTIFIED && task->flags->database != NULL;
  if (predicts) STATUS_TRY(store_require(task->flags->database, error));
  options->asks_invalid = task->flags->invalid;
  options->measures_power = true;
  return read_programs(task, error);
}

status_t task_open_prediction(task_t *task, failure_t *error) {
  const task_flags_t *flags = task->flags;
  session_options_t *options = &task->options;
  STATUS_TRY(check_prediction_flags(&options->contract, flags->database, flags->reference, error));
  if (PERMITTED(&options->contract, bits) != BITS_IDENTIFIED) return STATUS_OK;
  const prediction_options_t prediction = {.database = flags->database,
                                           .executors = task->executors.items,
                                           .executor_count = task->executors.count,
                                           .reference = flags->reference};
  STATUS_TRY(prediction_open(&prediction, &task->prediction, error));
  options->predictor = prediction_predictor(task->prediction);
  if (flags->ops != NULL || task_programs_are_given(flags)) return STATUS_OK;
  options->stream.draw_program = prediction_draw_program;
  options->stream.draw_context = task->prediction;
  return STATUS_OK;
}

int task_open_capabilities(task_t *task) {
  const task_flags_t *flags = task->flags;
  const capability_flags_t *capability = &flags->capability;
  bool is_drawn = task->options.stream.ops != NULL && task->options.stream.draw_program == NULL;
  if ((!capability->probe && capability->profile == NULL) || !is_drawn) return EXIT_CODE_CLEAN;
  failure_t error = {0};
  const capabilities_request_t request = {.profile = capability->profile,
                                          .flags = &flags->executor,
                                          .only_known = flags->part_of != NULL};
  status_t status = capabilities_open(&request, &task->options, &task->capabilities, &error);
  return status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
}

void task_count_refused(const task_t *task) {
  bool counts = task->flags->part_of == NULL || task->flags->capability.counts_refused;
  if (task->capabilities == NULL || !counts) return;
  capabilities_count_refused(task->capabilities, task->session);
}
