/* SPDX-License-Identifier: Apache-2.0 */
/* Executes exported steps in order on one executor; each is judged by its op's oracle and checked
 * against its enclosure. Where the executor gives no result, a model's result takes its place. */
#include "harness/quant_run/quant_run.h"

#include <math.h>
#include <string.h>

typedef struct running {
  const quant_run_request_t *request;
  arena_t *arena;
  quant_run_t *run;
  GString *op;
  GString *algorithm;
} running_t;

status_t quant_model_step(const case_t *instance, const contract_t *contract, arena_t *arena,
                          tensor_t *out_results, failure_t *error) {
  const program_t *program = &instance->program;
  const oracle_t *oracle = oracle_find(program->op);
  if (oracle == NULL) {
    return status_fail(error, STATUS_UNSUPPORTED, "there is no model of %s", program->op->name);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_results[i] = tensor_make(arena, &program->results[i]);
    memset(out_results[i].data, 0, type_bytes(&program->results[i]));
  }
  implementation_model_t schedule = schedule_plain();
  schedule.native = PERMITTED(contract, intermediate) == INTERMEDIATE_NATIVE;
  const oracle_call_t call = {.instance = instance, .arena = arena, .error = error};
  return oracle->simulate(&call, &schedule, out_results);
}

static case_t step_case(const running_t *running, const quant_step_t *step) {
  case_t instance = {.program = step->program};
  for (uint32_t i = 0; i < step->program.operand_count; i++) {
    instance.operands[i] = running->run->tensors[step->operands[i]];
    instance.operands[i].type = step->program.operands[i]; /* Bits seen as the step wants. */
  }
  return instance;
}

static void name_step(running_t *running, const quant_step_t *step) {
  const quant_run_request_t *request = running->request;
  const quant_graph_t *graph = request->steps->graph;
  g_string_printf(running->op, "quant.%s",
                  step->region == QUANT_NONE ? "boundary" : graph->regions[step->region].kernel);
  g_string_printf(running->algorithm, "%s/%s", request->table,
                  quant_lowering_spelling(request->steps->lowering));
}

/* Where the oracles have accepted every step so far, the results must lie in the enclosure: the two
 * rest on different mathematics, so that each audits the other.  Nobody has judged what the model
 * put in place of an executor's results. */
static status_t audit_step(const running_t *running, uint32_t index, failure_t *error) {
  const quant_run_t *run = running->run;
  if (run->outcomes[OUTCOME_diverges] > 0 || run->substituted > 0) return STATUS_OK;
  const quant_steps_t *steps = running->request->steps;
  const quant_step_t *step = &steps->steps[index];
  for (uint32_t i = 0; i < step->program.result_count; i++) {
    uint32_t tensor = step->results[i];
    const box_t *boxes = running->request->enclosure->tensors[tensor];
    size_t count = type_element_count(&step->program.results[i]);
    for (size_t k = 0; k < count; k++) {
      const box_t got = quant_point(&run->tensors[tensor], k);
      if (boxes[k].low <= got.low && got.high <= boxes[k].high) continue;
      return status_fail(error, STATUS_INVALID,
                         "Assay is wrong: element %zu of %s is %.17g, which its oracle accepts "
                         "and which lies outside the enclosure [%.17g, %.17g]",
                         k, steps->tensors[tensor].name, got.low, boxes[k].low, boxes[k].high);
    }
  }
  return STATUS_OK;
}

/* Whether the verdict speaks about results. */
static bool has_results(const verdict_t *verdict, const tensor_t *results, uint32_t count) {
  if (verdict->outcome == OUTCOME_refused || verdict->outcome == OUTCOME_failed) return false;
  for (uint32_t i = 0; i < count; i++) {
    if (results[i].data == NULL) return false;
  }
  return true;
}

static status_t run_step(running_t *running, uint32_t index, failure_t *error) {
  const quant_step_t *step = &running->request->steps->steps[index];
  quant_step_run_t *step_run = &running->run->steps[index];
  case_t instance = step_case(running, step);
  name_step(running, step);
  tensor_t results[CASE_RESULTS_MAX] = {0};
  const session_part_t part = {.executor = running->request->executor,
                               .op = running->op->str,
                               .algorithm = running->algorithm->str,
                               .arena = running->arena,
                               .results = results};
  STATUS_TRY(
      session_walk_part(running->request->session, &instance, &part, &step_run->verdict, error));
  running->run->outcomes[step_run->verdict.outcome]++;
  if (!has_results(&step_run->verdict, results, step->program.result_count)) {
    failure_t reason = {0};
    const contract_t *contract = &session_options(running->request->session)->contract;
    if (quant_model_step(&instance, contract, running->arena, results, &reason) != STATUS_OK) {
      running->run->unfinished = (int32_t)index;
      return STATUS_OK;
    }
    step_run->is_substituted = true;
    running->run->substituted++;
  }
  for (uint32_t i = 0; i < step->program.result_count; i++) {
    running->run->tensors[step->results[i]] = results[i];
  }
  return audit_step(running, index, error);
}

status_t quant_run(const quant_run_request_t *request, arena_t *arena, quant_run_t *out_run,
                   failure_t *error) {
  const quant_steps_t *steps = request->steps;
  quant_run_t run = {.tensors = ARENA_NEW_ARRAY(arena, tensor_t, steps->tensor_count + 1),
                     .steps = ARENA_NEW_ARRAY(arena, quant_step_run_t, steps->step_count + 1),
                     .unfinished = QUANT_NONE};
  memset(run.tensors, 0, steps->tensor_count * sizeof *run.tensors);
  memset(run.steps, 0, steps->step_count * sizeof *run.steps);
  for (uint32_t i = 0; i < steps->tensor_count; i++) {
    if (steps->tensors[i].constant != NULL) run.tensors[i] = *steps->tensors[i].constant;
  }
  for (uint32_t i = 0; i < steps->graph->input_count; i++) {
    run.tensors[steps->inputs[i]] = request->inputs[i];
  }
  running_t running = {.request = request,
                       .arena = arena,
                       .run = &run,
                       .op = g_string_new(NULL),
                       .algorithm = g_string_new(NULL)};
  status_t status = STATUS_OK;
  for (uint32_t i = 0; i < steps->step_count && status == STATUS_OK; i++) {
    status = run_step(&running, i, error);
    if (run.unfinished != QUANT_NONE) break;
  }
  g_string_free(running.op, TRUE);
  g_string_free(running.algorithm, TRUE);
  if (status == STATUS_OK) *out_run = run;
  return status;
}

/* A component of a tensor: its number, or a part of a complex one. */
static double component_of(const tensor_t *tensor, size_t index) {
  const element_t *element = tensor->type.element;
  if (element->components == 1) return quant_number(&tensor->type, tensor, index);
  return format_to_double(element->format, element_load(element, tensor->data, index));
}

double quant_run_difference(const quant_steps_t *a_steps, const quant_run_t *a,
                            const quant_steps_t *b_steps, const quant_run_t *b, uint32_t output) {
  const tensor_t *first = &a->tensors[a_steps->outputs[output]];
  const tensor_t *second = &b->tensors[b_steps->outputs[output]];
  size_t count = type_element_count(&first->type) * first->type.element->components;
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    double x = component_of(first, i), y = component_of(second, i);
    largest = fmax(largest, fabs(x - y));
  }
  return largest;
}
