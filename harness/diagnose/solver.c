/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses which elements of a wrong result are examined, and tells what is known of each. */
#include <glib.h>
#include <string.h>

#include "harness/diagnose/problem.h"

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

/* ---- What is examined ------------------------------------------------------------------------ */

static uint64_t load_result(const tensor_t *result, size_t component) {
  return element_load(result->type.element, result->data, component);
}

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

bool solver_examine(solver_t *solver, size_t component, examined_t *out_examined) {
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
    memcpy(problem->results, solver->results, sizeof problem->results);
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
    if (!solver_examine(solver, i, &out[*count])) return false;
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
    return solver_examine(solver, i, &solver->right[solver->right_count - 1]);
  }
  return true;
}

/* Other threads may read those of the evidence, which are the caller's. */
static void copy_results(solver_t *solver) {
  const program_t *program = &solver->question->instance->program;
  for (uint32_t i = 0; i < program->result_count; i++) {
    const tensor_t *from = &solver->question->evidence->results[i];
    solver->results[i] = tensor_make(solver->arena, &from->type);
    memcpy(solver->results[i].data, from->data, type_bytes(&from->type));
  }
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
  if (!solver->is_split) {
    solver->plain = simulate_plain(solver);
    copy_results(solver);
  }
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
  return !solver->tests_established || solver_has_established(solver->question, cause);
}

bool solver_has_established(const cause_question_t *question, cause_id_t cause) {
  if (question->established == NULL) return false;
  bool is_part = cause == CAUSE_flushed_operands || cause == CAUSE_flushed_results;
  return question->established[cause] > 0 || (is_part && question->established[CAUSE_flushed] > 0);
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
