/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a case into one problem per result element, and derives changed problems (terms removed,
 * operands mapped, neighbours read). */
#include "harness/diagnose/problem.h"

#include <glib.h>
#include <string.h>

#include "harness/model/op.h"

/* ---- Where things are ------------------------------------------------------------------------ */

/* Whether no result has an axis of terms, so that each result element is a problem of its own. */
static bool can_split(const axes_t *axes, const program_t *program) {
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (axes->results[i].count != program->results[i].rank) return false;
    for (uint32_t dim = 0; dim < axes->results[i].count; dim++) {
      if (axes->items[axes->results[i].axes[dim]].role == AXIS_TERM) return false;
    }
  }
  return true;
}

static void find_terms(solver_t *solver, const program_t *program) {
  const axes_t *axes = &solver->axes;
  solver->term_axis = -1;
  solver->term_count = 1;
  for (uint32_t axis = 0; axis < axes->count; axis++) {
    if (axes->items[axis].role != AXIS_TERM) continue;
    solver->term_axis = (int)axis;
    solver->term_count *= (size_t)axes->items[axis].size;
  }
  if (solver->term_axis < 0) return;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    bool has_terms = axis_list_find(&axes->operands[i], (uint32_t)solver->term_axis) >= 0;
    if (has_terms) solver->operands_with_terms |= 1u << i;
  }
}

/* The place of an element along each axis of a list. */
static void find_indices(const axes_t *axes, const axis_list_t *list, size_t element,
                         size_t out_indices[AXES_MAX]) {
  memset(out_indices, 0, AXES_MAX * sizeof *out_indices);
  for (uint32_t i = list->count; i-- > 0;) {
    size_t size = (size_t)axes->items[list->axes[i]].size;
    out_indices[list->axes[i]] = element % size;
    element /= size;
  }
}

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
                              .contract = question->contract,
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

static uint64_t load_result(const tensor_t *result, size_t component) {
  return element_load(result->type.element, result->data, component);
}

bool problem_simulate(solver_t *solver, const problem_t *problem, fault_t fault,
                      uint64_t *out_bits) {
  arena_mark_t mark = arena_mark(solver->arena);
  tensor_t results[CASE_RESULTS_MAX];
  bool is_known = case_simulate(solver, &problem->instance, fault, results);
  if (is_known) *out_bits = load_result(&results[problem->result], problem->component);
  arena_rewind(solver->arena, mark);
  return is_known;
}

/* ---- What is examined ------------------------------------------------------------------------ */

/* What a plain implementation gives, of the whole case once for all its components. */
static void simulate_examined(solver_t *solver, examined_t *inout_examined) {
  const problem_t *problem = &inout_examined->problem;
  uint64_t *right = &inout_examined->right;
  if (solver->is_split) {
    inout_examined->has_right = problem_simulate(solver, problem, FAULT_NONE, right);
    return;
  }
  inout_examined->has_right = solver->plain != NULL;
  if (solver->plain != NULL) *right = load_result(solver->plain, problem->component);
}

/* The result that the verdict is about, or NULL. */
static const tensor_t *simulate_plain(solver_t *solver) {
  tensor_t *results = ARENA_NEW_ARRAY(solver->arena, tensor_t, CASE_RESULTS_MAX);
  bool is_known = case_simulate(solver, solver->question->instance, FAULT_NONE, results);
  return is_known ? &results[solver->verdict->result] : NULL;
}

static bool make_examined(solver_t *solver, size_t component, examined_t *out_examined) {
  const cause_question_t *question = solver->question;
  uint32_t result = solver->verdict->result;
  const tensor_t *tensor = &question->evidence->results[result];
  const element_t *element = tensor->type.element;
  *out_examined = (examined_t){.element = element,
                               .component = component,
                               .got = element_load(element, tensor->data, component)};
  problem_t *problem = &out_examined->problem;
  if (solver->is_split) {
    find_indices(&solver->axes, &solver->axes.results[result], component / element->components,
                 out_examined->indices);
    const misread_t as_they_are = {.step = 0};
    if (!problem_misread(solver, out_examined, &as_they_are, problem)) return false;
  } else {
    *problem =
        (problem_t){.instance = *question->instance, .result = result, .component = component};
    memcpy(problem->results, question->evidence->results, sizeof problem->results);
  }
  simulate_examined(solver, out_examined);
  return true;
}

/* Adds up to `max` components that are, or are not, wrong: the first, the last, and some at even
 * distances between. */
static bool examine(solver_t *solver, bool is_wrong, size_t max, examined_t *out, size_t *count) {
  const evidence_t *evidence = solver->question->evidence;
  uint32_t result = solver->verdict->result;
  const uint8_t *wrong = evidence->wrong[result];
  size_t all = type_component_count(&evidence->results[result].type);
  size_t found = 0;
  for (size_t i = 0; i < all; i++) found += (wrong[i] != 0) == is_wrong;
  size_t wanted = MIN(found, max);
  size_t seen = 0;
  for (size_t i = 0; i < all && *count < wanted; i++) {
    if ((wrong[i] != 0) != is_wrong) continue;
    size_t due = wanted < 2 ? 0 : *count * (found - 1) / (wanted - 1);
    if (seen++ < due) continue;
    if (!make_examined(solver, i, &out[*count])) return false;
    ++*count;
  }
  return true;
}

static bool is_nan_component(const tensor_t *tensor, size_t component) {
  const element_t *element = tensor->type.element;
  return element->format != NULL &&
         format_is_nan(element->format, element_load(element, tensor->data, component));
}

/* Has a right NaN among the right components, if there is one: it refutes that every NaN is lost.
 */
static bool examine_right_nan(solver_t *solver, size_t max) {
  const evidence_t *evidence = solver->question->evidence;
  const tensor_t *result = &evidence->results[solver->verdict->result];
  const uint8_t *wrong = evidence->wrong[solver->verdict->result];
  for (size_t i = 0; i < solver->right_count; i++) {
    if (is_nan_component(result, solver->right[i].component)) return true;
  }
  for (size_t i = 0; i < type_component_count(&result->type); i++) {
    if (wrong[i] != 0 || !is_nan_component(result, i)) continue;
    if (solver->right_count < max) solver->right_count++;
    return make_examined(solver, i, &solver->right[solver->right_count - 1]);
  }
  return true;
}

static bool has_quantized(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (program->operands[i].quantization != NULL) return true;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (program->results[i].quantization != NULL) return true;
  }
  return false;
}

/* How much is examined. */
typedef struct scope {
  size_t wrong_max;
  size_t right_max;
  size_t whole_max; /* Of each, where each takes a whole case. */
  bool is_whole;    /* All take that. */
  unsigned asks_max;
} scope_t;

static bool init(solver_t *solver, const cause_question_t *question, const verdict_t *verdict,
                 const scope_t *scope, arena_t *arena) {
  const program_t *program = &question->instance->program;
  *solver = (solver_t){.question = question,
                       .verdict = verdict,
                       .arena = arena,
                       .term_axis = -1,
                       .only = CAUSE_COUNT,
                       .changes = CHANGES_NONE,
                       .asks_max = scope->asks_max};
  solver->is_quantized = has_quantized(program);
  solver->is_split = !scope->is_whole && !solver->is_quantized && axes_of(program, &solver->axes) &&
                     can_split(&solver->axes, program);
  if (solver->is_split) find_terms(solver, program);
  if (strstr(program->op->name, ".rng_") != NULL) return false; /* No result is the right one. */
  if (!solver->is_split) solver->plain = simulate_plain(solver);
  size_t all = type_component_count(&question->evidence->results[verdict->result].type);
  size_t wrong_max = MIN(all, solver->is_split ? scope->wrong_max : scope->whole_max);
  size_t right_max = MIN(all, solver->is_split ? scope->right_max : scope->whole_max);
  solver->wrong = ARENA_NEW_ARRAY(arena, examined_t, wrong_max);
  solver->right = ARENA_NEW_ARRAY(arena, examined_t, right_max);
  return examine(solver, true, wrong_max, solver->wrong, &solver->wrong_count) &&
         examine(solver, false, right_max, solver->right, &solver->right_count) &&
         examine_right_nan(solver, right_max) && solver->wrong_count > 0;
}

bool solver_init(solver_t *out_solver, const cause_question_t *question, const verdict_t *verdict,
                 arena_t *arena) {
  static const scope_t some = {CAUSE_WRONG_MAX, CAUSE_RIGHT_MAX, CAUSE_WHOLE_MAX, false,
                               CAUSE_ASKS_MAX};
  return init(out_solver, question, verdict, &some, arena);
}

bool solver_init_all(solver_t *out_solver, const cause_question_t *question,
                     const verdict_t *verdict, cause_id_t only, arena_t *arena) {
  static const scope_t all = {CAUSE_ALL_WRONG_MAX, CAUSE_ALL_RIGHT_MAX, CAUSE_ALL_WHOLE_MAX, false,
                              CAUSE_ALL_ASKS_MAX};
  bool is_known = init(out_solver, question, verdict, &all, arena);
  out_solver->only = only;
  return is_known;
}

bool solver_init_whole(solver_t *out_solver, const solver_t *like, bool has_all) {
  static const scope_t some = {
      .whole_max = CAUSE_CHANGE_MAX, .is_whole = true, .asks_max = CAUSE_CHANGE_ASKS_MAX};
  static const scope_t all = {
      .whole_max = CAUSE_ALL_CHANGE_MAX, .is_whole = true, .asks_max = CAUSE_ALL_ASKS_MAX};
  return init(out_solver, like->question, like->verdict, has_all ? &all : &some, like->arena);
}

bool solver_tests(const solver_t *solver, cause_id_t cause) {
  if (solver->only != CAUSE_COUNT && solver->only != cause) return false;
  return !solver->tests_established || solver->question->established[cause] > 0;
}

cause_reference_t solver_reference(const solver_t *solver, size_t component) {
  const cause_question_t *question = solver->question;
  const uint32_t result = solver->verdict->result;
  if (question->accepts == NULL) {
    return question->find_reference(question->reference_context, result, component);
  }
  const accept_t *accept = &question->accepts[result];
  return cause_reference_of(accept, component);
}
