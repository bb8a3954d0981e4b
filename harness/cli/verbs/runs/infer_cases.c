/* SPDX-License-Identifier: Apache-2.0 */
/* Draws cases as a run does, runs them on one executor and keeps those that conform. */
#include "harness/cli/verbs/runs/infer_cases.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/run/case_runner.h"

enum {
  DRAWS_PER_CASE = 100, /* Drawn at most for each case that is wanted. */
  TICK_ONE_IN = 16,
};

typedef struct drawing {
  const infer_request_t *request;
  infer_t *infer;
  infer_counts_t *counts;
  case_runner_t walk;
  stream_t stream;
  preparation_t preparation;
  bool is_prepared;
  arena_t arena; /* Of a case. */
  uint64_t begin;
  uint64_t wanted; /* Kept cases, when this seed has given its own. */
} drawing_t;

static bool has_element(const type_t *types, uint32_t count, const char *name) {
  for (uint32_t i = 0; i < count; i++) {
    const type_t *type = &types[i];
    if (strcmp(type->element->name, name) == 0) return true;
  }
  return false;
}

static bool is_wanted(const infer_request_t *request, const program_t *program) {
  if (request->types == NULL) return true;
  if (has_element(program->operands, program->operand_count, request->types) ||
      has_element(program->results, program->result_count, request->types))
    return true;
  g_autoptr(GString) types = g_string_new(NULL);
  program_print_types(program, types);
  return strcmp(types->str, request->types) == 0;
}

static bool is_over(const drawing_t *drawing) {
  const infer_request_t *request = drawing->request;
  if (request->stop != NULL && *request->stop != 0) return true;
  double seconds = (double)(clock_nanoseconds() - drawing->begin) * 1e-9;
  if (request->seconds_max > 0 && seconds >= request->seconds_max) return true;
  return drawing->counts->kept >= drawing->wanted || stream_is_over(&drawing->stream);
}

/* Whether the present program is run; the executor is asked once. */
static bool prepare(drawing_t *drawing) {
  stream_t *stream = &drawing->stream;
  const program_t *program = &stream->instance.program;
  if (!stream->is_new_program && drawing->is_prepared) return true;
  bool is_valid = program_broken_under(program, stream->broken, drawing->request->contract) == NULL;
  bool is_of_types = is_wanted(drawing->request, program);
  drawing->is_prepared = false;
  /* As if the executor had refused them: others are drawn then. */
  if (is_valid && !is_of_types) stream_learn(stream, 0, false);
  if (is_valid && is_of_types) {
    case_runner_prepare(&drawing->walk, program, NULL, drawing->request->executor,
                        &drawing->preparation);
    drawing->is_prepared = drawing->preparation.outcome == EXECUTOR_OK;
    if (!drawing->is_prepared) stream_learn(stream, 0, false);
    drawing->counts->refused += !drawing->is_prepared;
  }
  if (!drawing->is_prepared) stream_skip_program(stream);
  return drawing->is_prepared;
}

static void count(drawing_t *drawing, const case_t *instance, const verdict_t *verdict) {
  infer_counts_t *counts = drawing->counts;
  switch (verdict->outcome) {
    case OUTCOME_conforms:
    case OUTCOME_weak: /* Under a tighter contract it may well tell. */
      counts->kept++;
      infer_keep(drawing->infer, instance, drawing->walk.evidence.results);
      break;
    case OUTCOME_no_oracle:
      counts->without_oracle++;
      break;
    case OUTCOME_diverges:
      counts->diverged++;
      break;
    case OUTCOME_refused:
    case OUTCOME_failed:
    case OUTCOME_COUNT:
    default:
      counts->failed++;
      drawing->is_prepared = false; /* After a failure a program is prepared again. */
      break;
  }
}

static status_t run_case(drawing_t *drawing, const case_t *instance, failure_t *error) {
  arena_reset(&drawing->arena);
  expectation_t expectation;
  verdict_t verdict;
  STATUS_TRY(
      case_runner_expect(&drawing->walk, instance, NULL, &drawing->arena, &expectation, error));
  STATUS_TRY(case_runner_run_prepared(&drawing->walk, &expectation, &drawing->preparation, &verdict,
                                      NULL, error));
  count(drawing, instance, &verdict);
  return STATUS_OK;
}

static status_t run_drawn(drawing_t *drawing, failure_t *error) {
  uint64_t kept = drawing->counts->kept;
  STATUS_TRY(run_case(drawing, &drawing->stream.instance, error));
  const infer_counts_t *counts = drawing->counts;
  stream_learn(&drawing->stream, 0, counts->kept > kept);
  if (!drawing->is_prepared) stream_skip_program(&drawing->stream);
  return STATUS_OK;
}

static void show_progress(const drawing_t *drawing, uint64_t drawn) {
  if (!isatty(STDERR_FILENO) || drawn % TICK_ONE_IN != 0) return;
  fprintf(stderr, "\r\033[K%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " cases",
          drawing->counts->kept, drawing->request->cases_max);
}

static status_t draw_from(drawing_t *drawing, uint64_t seed, failure_t *error) {
  const infer_request_t *request = drawing->request;
  stream_options_t options = {.ops = request->ops,
                              .op_count = request->op_count,
                              .gen = gen_options_default(),
                              .leaves_out_invalid = true,
                              .seed = seed,
                              .executor_count = 1};
  options.gen.strata = request->strata;
  options.gen.contract = request->contract;
  stream_init(&drawing->stream, &options);
  case_runner_init(&drawing->walk, request->contract, seed);
  drawing->is_prepared = false;
  status_t status = STATUS_OK;
  uint64_t drawn_max = DRAWS_PER_CASE * (drawing->wanted - drawing->counts->kept);
  for (uint64_t drawn = 0; drawn < drawn_max && status == STATUS_OK && !is_over(drawing); drawn++) {
    stream_next(&drawing->stream);
    show_progress(drawing, drawn);
    if (prepare(drawing)) status = run_drawn(drawing, error);
  }
  stream_deinit(&drawing->stream);
  return status;
}

static drawing_t drawing_make(const infer_request_t *request, infer_t *infer,
                              infer_counts_t *counts) {
  return (drawing_t){
      .request = request, .infer = infer, .counts = counts, .begin = clock_nanoseconds()};
}

status_t infer_cases_draw(const infer_request_t *request, infer_t *infer,
                          infer_counts_t *inout_counts, failure_t *error) {
  drawing_t drawing = drawing_make(request, infer, inout_counts);
  arena_init(&drawing.arena);
  status_t status = STATUS_OK;
  uint64_t before = inout_counts->kept;
  for (size_t i = 0; i < request->seed_count && status == STATUS_OK; i++) {
    drawing.wanted = before + request->cases_max * (i + 1) / request->seed_count;
    if (drawing.wanted > inout_counts->kept) status = draw_from(&drawing, request->seeds[i], error);
  }
  if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
  arena_deinit(&drawing.arena);
  return status;
}

status_t infer_cases_rerun(const infer_request_t *request, const char *case_line, infer_t *infer,
                           infer_counts_t *inout_counts, failure_t *error) {
  drawing_t drawing = drawing_make(request, infer, inout_counts);
  arena_t arena; /* Of the program. */
  arena_init(&arena);
  arena_init(&drawing.arena);
  case_t instance;
  const char *violation;
  status_t status = case_parse(str_from(case_line), &arena, &instance, &violation, error);
  bool is_run = status == STATUS_OK && violation == NULL && is_wanted(request, &instance.program) &&
                program_broken_under(&instance.program, NULL, request->contract) == NULL;
  if (is_run) {
    case_runner_init(&drawing.walk, request->contract, 1);
    case_runner_prepare(&drawing.walk, &instance.program, NULL, request->executor,
                        &drawing.preparation);
    is_run = drawing.preparation.outcome == EXECUTOR_OK;
    inout_counts->refused += !is_run;
  }
  if (is_run) status = run_case(&drawing, &instance, error);
  arena_deinit(&drawing.arena);
  arena_deinit(&arena);
  return status;
}
