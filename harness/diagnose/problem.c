/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a case into one problem per result element, and derives changed problems (terms removed,
 * operands mapped, neighbours read). */
#include "harness/diagnose/problem.h"

#include <glib.h>
#include <string.h>

#include "harness/model/op.h"

/* ---- Where things are ------------------------------------------------------------------------ */

/* Sets the indices of axes of terms to those of term `term`, the last axis running fastest. */
static void set_term(const axes_t *axes, size_t term, size_t inout_indices[AXES_MAX]) {
  for (uint32_t axis = axes->count; axis-- > 0;) {
    if (axes->items[axis].role != AXIS_TERM) continue;
    size_t size = (size_t)axes->items[axis].size;
    if (size == 0) continue; /* Without terms only operands that have none are read. */
    inout_indices[axis] = term % size;
    term /= size;
  }
}

static size_t find_offset(const axes_t *axes, const axis_list_t *list, const size_t *indices,
                          bool transposes) {
  size_t offset = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    uint32_t place = i;
    if (transposes && i + 2 >= list->count) place = 2 * list->count - 3 - i;
    offset = offset * (size_t)axes->items[list->axes[i]].size + indices[list->axes[place]];
  }
  return offset;
}

/* The neighbour along all axes of a role, numbered together; where there is none, the same place.
 */
static void step_along(const axes_t *axes, axis_role_t role, int step,
                       size_t inout_indices[AXES_MAX]) {
  size_t number = 0;
  size_t count = 1;
  for (uint32_t axis = 0; axis < axes->count; axis++) {
    if (axes->items[axis].role != role) continue;
    number = number * (size_t)axes->items[axis].size + inout_indices[axis];
    count *= (size_t)axes->items[axis].size;
  }
  if ((step < 0 && number == 0) || (step > 0 && number + 1 == count)) return;
  number = step < 0 ? number - 1 : number + 1;
  for (uint32_t axis = axes->count; axis-- > 0;) {
    if (axes->items[axis].role != role) continue;
    inout_indices[axis] = number % (size_t)axes->items[axis].size;
    number /= (size_t)axes->items[axis].size;
  }
}

/* ---- Problems -------------------------------------------------------------------------------- */

/* A program with one result element and so many terms. */
static bool make_program(const solver_t *solver, const program_t *program, size_t terms,
                         program_t *out_program) {
  axes_t view = solver->axes;
  for (uint32_t axis = 0; axis < view.count; axis++) {
    view.items[axis].size = (int)axis == solver->term_axis ? (int64_t)terms : 1;
  }
  if (!axes_program(program, &view, solver->arena, out_program)) return false;
  for (uint32_t i = 0; i < out_program->result_count; i++) {
    if (type_element_count(&out_program->results[i]) != 1) return false;
  }
  return true;
}

static void copy_element(const tensor_t *from, size_t element, tensor_t *to, size_t place) {
  size_t bytes = element_bytes(from->type.element);
  memcpy(to->data + place * bytes, from->data + element * bytes, bytes);
}

bool problem_misread(solver_t *solver, const examined_t *examined, const misread_t *misread,
                     problem_t *out_problem) {
  const case_t *instance = solver->question->instance;
  const axes_t *axes = &solver->axes;
  if (!solver->is_split) return false;
  program_t program;
  if (!make_program(solver, &instance->program, solver->term_count, &program)) return false;
  out_problem->instance = case_make(solver->arena, &program);
  for (uint32_t operand = 0; operand < program.operand_count; operand++) {
    size_t indices[AXES_MAX];
    memcpy(indices, examined->indices, sizeof indices);
    if ((misread->operands >> operand & 1) != 0) {
      step_along(axes, misread->role, misread->step, indices);
    }
    const axis_list_t *list = &axes->operands[operand];
    tensor_t *to = &out_problem->instance.operands[operand];
    size_t count = type_element_count(&to->type);
    for (size_t term = 0; term < count; term++) {
      set_term(axes, term, indices);
      bool transposes = misread->transposes && operand == 1;
      copy_element(&instance->operands[operand], find_offset(axes, list, indices, transposes), to,
                   term);
    }
  }
  const evidence_t *evidence = solver->question->evidence;
  for (uint32_t i = 0; i < program.result_count; i++) {
    out_problem->results[i] = tensor_make(solver->arena, &program.results[i]);
    size_t place = find_offset(axes, &axes->results[i], examined->indices, false);
    copy_element(&evidence->results[i], place, &out_problem->results[i], 0);
  }
  out_problem->result = solver->verdict->result;
  out_problem->component = examined->component % examined->element->components;
  return true;
}

bool problem_select(solver_t *solver, const problem_t *problem, const size_t *terms, size_t count,
                    problem_t *out_problem) {
  if (!solver->is_split || solver->term_axis < 0) return false;
  program_t program;
  if (!make_program(solver, &solver->question->instance->program, count, &program)) return false;
  *out_problem = *problem;
  out_problem->instance = case_make(solver->arena, &program);
  for (uint32_t operand = 0; operand < program.operand_count; operand++) {
    const tensor_t *from = &problem->instance.operands[operand];
    tensor_t *to = &out_problem->instance.operands[operand];
    if ((solver->operands_with_terms >> operand & 1) == 0) {
      memcpy(to->data, from->data, type_bytes(&to->type));
      continue;
    }
    for (size_t i = 0; i < count; i++) copy_element(from, terms[i], to, i);
  }
  return true;
}

problem_t problem_map(solver_t *solver, const problem_t *problem, value_map_t map,
                      const void *context) {
  problem_t mapped = *problem;
  mapped.instance = case_copy(solver->arena, &problem->instance);
  const program_t *program = &mapped.instance.program;
  for (uint32_t operand = 0; operand < program->operand_count; operand++) {
    const tensor_t *tensor = &mapped.instance.operands[operand];
    const element_t *element = tensor->type.element;
    size_t count = type_component_count(&tensor->type);
    for (size_t i = 0; i < count; i++) {
      uint64_t bits = element_load(element, tensor->data, i);
      element_store(element, tensor->data, i, map(context, program, operand, i, bits));
    }
  }
  return mapped;
}

bool problem_holds(solver_t *solver, const problem_t *problem, uint64_t bits,
                   answer_t *out_answer) {
  return problem_holds_under(solver, solver->question->contract, problem, bits, out_answer);
}

bool problem_holds_under(solver_t *solver, const contract_t *contract, const problem_t *problem,
                         uint64_t bits, answer_t *out_answer) {
  *out_answer = (answer_t){.conforms = false};
  if (solver->status != STATUS_OK || solver->asks >= solver->asks_max) return false;
  solver->asks++;
  const cause_question_t *question = solver->question;
  const tensor_t *result = &problem->results[problem->result];
  const element_t *element = result->type.element;
  arena_mark_t mark = arena_mark(solver->arena);
  uint64_t kept = element_load(element, result->data, problem->component);
  element_store(element, result->data, problem->component, bits);
  failure_t failure = {0};
  const oracle_call_t call = {.instance = &problem->instance,
                              .contract = contract,
                              .results = problem->results,
                              .arena = solver->arena,
                              .error = &failure};
  status_t status =
      question->oracle->decide(&call, problem->result, problem->component, out_answer);
  element_store(element, result->data, problem->component, kept);
  arena_rewind(solver->arena, mark);
  if (status == STATUS_OK) return out_answer->conforms && !out_answer->is_vacuous;
  out_answer->conforms = false;
  if (status == STATUS_UNSUPPORTED || status == STATUS_UNDECIDED) return false;
  solver->status = status;
  solver->failure = failure;
  return false;
}

bool case_simulate(solver_t *solver, const case_t *instance, fault_t fault,
                   tensor_t out_results[CASE_RESULTS_MAX]) {
  const oracle_t *oracle = solver->question->oracle;
  if (oracle->simulate == NULL) return false;
  implementation_model_t schedule = schedule_plain();
  schedule.fault = fault;
  const program_t *program = &instance->program;
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_results[i] = tensor_make(solver->arena, &program->results[i]);
    memset(out_results[i].data, 0, type_bytes(&program->results[i]));
  }
  failure_t failure;
  const oracle_call_t call = {.instance = instance, .arena = solver->arena, .error = &failure};
  return oracle->simulate(&call, &schedule, out_results) == STATUS_OK;
}

bool problem_simulate(solver_t *solver, const problem_t *problem, fault_t fault,
                      uint64_t *out_bits) {
  arena_mark_t mark = arena_mark(solver->arena);
  tensor_t results[CASE_RESULTS_MAX];
  bool is_known = case_simulate(solver, &problem->instance, fault, results);
  if (is_known) {
    const tensor_t *result = &results[problem->result];
    *out_bits = element_load(result->type.element, result->data, problem->component);
  }
  arena_rewind(solver->arena, mark);
  return is_known;
}
