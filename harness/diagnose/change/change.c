/* SPDX-License-Identifier: Apache-2.0 */
/* Holds a changed case against the elements that are examined. */
#include "harness/diagnose/change/change.h"

#include <glib.h>
#include <math.h>
#include <string.h>

/* A zero that a kernel left is what many faults leave. */
static const double bits_of_zero = 2;

/* A permission accepts what is right, too, and often what is near: many elements must need it; of
 * NaN and infinities, which many faults make, fewer. */
static const double bits_of_lost = 3;

static double bits_of_permitted(const change_t *change, const examined_t *examined) {
  const format_t *format = examined->element->format;
  if (format == NULL || !examined->has_right) return 1;
  const uint64_t all[] = {examined->got, examined->right};
  bool are_numbers = true;
  for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
    are_numbers &= !format_is_nan(format, all[i]) && !format_is_infinity(format, all[i]);
  }
  if (change->is_of_numbers) return are_numbers ? 1 : 0;
  return are_numbers ? 1 : bits_of_lost;
}

/* Among how many elements of operands a value stands that came; 0 if it is none of them.  Who moves
 * elements about had no more to choose from. */
static size_t count_choices(const solver_t *solver, const examined_t *examined) {
  const case_t *instance = solver->question->instance;
  size_t count = 0;
  bool is_among = false;
  for (uint32_t operand = 0; operand < instance->program.operand_count; operand++) {
    const tensor_t *tensor = &instance->operands[operand];
    if (tensor->type.element != examined->element) continue;
    size_t components = type_component_count(&tensor->type);
    for (size_t i = 0; i < components && !is_among; i++) {
      is_among = element_load(examined->element, tensor->data, i) == examined->got;
    }
    count += components;
  }
  return is_among ? count : 0;
}

/* The question about an element in the changed case; false: a zero stands there. */
static bool problem_of(const solver_t *solver, const change_t *change, const tensor_t *results,
                       const examined_t *examined, problem_t *out_problem) {
  const size_t parts = examined->element->components;
  size_t element = examined->component / parts;
  if (change->rows != NULL) {
    const change_row_t *row = &change->rows[element / change->row_elements];
    element = row->places[element % change->row_elements];
    *out_problem = (problem_t){.instance = *row->instance,
                               .component = element * parts + examined->component % parts};
    out_problem->results[0] = row->result;
    return true;
  }
  if (change->places != NULL) element = change->places[element];
  if (element == CHANGE_ZERO) return false;
  *out_problem = (problem_t){.instance = *change->instance,
                             .result = solver->verdict->result,
                             .component = element * parts + examined->component % parts};
  memcpy(out_problem->results, results, sizeof out_problem->results);
  return true;
}

/* Whether the computed component is that, or may be; all NaN are alike. */
static bool is_computed(const change_t *change, const examined_t *examined, uint64_t bits) {
  const format_t *format = examined->element->format;
  uint64_t computed;
  switch (change->compute(change->context, change->instance, examined->component, &computed)) {
    case COMPUTED_BITS:
      break;
    case COMPUTED_ANY:
      return true;
    default:
      return false;
  }
  bool are_nan = format != NULL && format_is_nan(format, computed) && format_is_nan(format, bits);
  return computed == bits || are_nan;
}

static const contract_t *contract_of(const solver_t *solver, const change_t *change) {
  return change->contract != NULL ? change->contract : solver->question->contract;
}

/* Whether one of the values that `bits` may have been conforms. */
static bool holds(solver_t *solver, const change_t *change, const examined_t *examined,
                  const problem_t *problem, uint64_t bits, answer_t *out_answer) {
  if (change->compute != NULL) {
    *out_answer = (answer_t){.conforms = is_computed(change, examined, bits)};
    return out_answer->conforms;
  }
  uint64_t sources[CHANGE_SOURCES_MAX] = {bits};
  size_t count = 1;
  if (change->sources != NULL) count = change->sources(examined->element, bits, sources);
  const contract_t *contract = contract_of(solver, change);
  for (size_t i = 0; i < count; i++) {
    if (problem_holds_under(solver, contract, problem, sources[i], out_answer)) return true;
  }
  return false;
}

/* The evidence of a wrong element, or -1 if it is not explained. */
static double explain(solver_t *solver, const change_t *change, const tensor_t *results,
                      const examined_t *examined) {
  problem_t problem;
  if (!problem_of(solver, change, results, examined, &problem)) {
    if (examined->got != 0) return -1;
    return solver_has_seen(solver, examined) ? 0 : bits_of_zero;
  }
  answer_t answer;
  if (!holds(solver, change, examined, &problem, examined->got, &answer)) return -1;
  if (solver_has_seen(solver, examined)) return 0;
  if (change->contract != NULL) return bits_of_permitted(change, examined);
  double bits = evidence_bits(examined, &answer);
  size_t choices = count_choices(solver, examined);
  if (choices > 0) bits = fmin(bits, log2((double)choices));
  if (change->is_of_zeros && examined->got == 0) bits = fmin(bits, bits_of_zero);
  if (bits <= 0 || !examined->has_right) return fmax(bits, 0);
  return holds(solver, change, examined, &problem, examined->right, &answer) ? 0 : bits;
}

static bool spares(solver_t *solver, const change_t *change, const tensor_t *results,
                   const examined_t *examined) {
  problem_t problem;
  if (change->compute != NULL) return is_computed(change, examined, examined->got);
  if (!problem_of(solver, change, results, examined, &problem)) return examined->got == 0;
  answer_t answer;
  uint64_t sources[CHANGE_SOURCES_MAX] = {examined->got};
  size_t count = 1;
  if (change->sources != NULL) count = change->sources(examined->element, examined->got, sources);
  for (size_t i = 0; i < count; i++) {
    problem_holds_under(solver, contract_of(solver, change), &problem, sources[i], &answer);
    if (answer.conforms) return true;
  }
  return false;
}

/* What it tells that just these elements are wrong, of those examined: half the bits that name
 * them, since faults prefer some places. */
static double bits_of_places(const solver_t *solver) {
  const double most = 10;
  double wrong = (double)solver->wrong_count;
  double all = wrong + (double)solver->right_count;
  double bits = (lgamma(all + 1) - lgamma(wrong + 1) - lgamma(all - wrong + 1)) / log(2);
  return fmin(bits / 2, most);
}

/* ---- A first look ---------------------------------------------------------------------------- */

/* Whether a plain implementation of the changed case may be said to give about what came. */
static bool is_about(const element_t *element, uint64_t computed, uint64_t got) {
  const format_t *format = element->format;
  if (computed == got) return true;
  if (format == NULL) {
    double distance = fabs((double)element_signed_value(element, computed) -
                           (double)element_signed_value(element, got));
    return distance <= 1;
  }
  bool is_special = format_is_nan(format, computed) || format_is_nan(format, got) ||
                    format_is_infinity(format, computed) || format_is_infinity(format, got);
  if (is_special) return format_is_nan(format, computed) && format_is_nan(format, got);
  double a = format_to_double(format, computed), b = format_to_double(format, got);
  const double share = ldexp(1, -format->precision / 2);
  return fabs(a - b) <= share * fmax(fabs(a), fabs(b));
}

static size_t count_about(const solver_t *solver, const change_t *change, const tensor_t *results,
                          const examined_t *elements, size_t count) {
  size_t about = 0;
  for (size_t i = 0; i < count; i++) {
    const examined_t *examined = &elements[i];
    problem_t problem;
    if (!problem_of(solver, change, results, examined, &problem)) {
      about += examined->got == 0;
      continue;
    }
    const tensor_t *result = &results[problem.result];
    uint64_t computed = element_load(examined->element, result->data, problem.component);
    about += is_about(examined->element, computed, examined->got);
  }
  return about;
}

/* Most hypotheses are refuted by what a plain implementation computes, which is cheap: three of
 * four elements at least must be about as it has them, more where numbers cancel.  The oracle has
 * the last word on the rest. */
static bool is_likely(solver_t *solver, const change_t *change) {
  bool is_plain = change->sources == NULL && change->rows == NULL && change->compute == NULL;
  if (!is_plain || change->contract != NULL) return true;
  tensor_t results[CASE_RESULTS_MAX];
  if (!case_simulate(solver, change->instance, FAULT_NONE, results)) return true;
  size_t count = solver->wrong_count + solver->right_count;
  size_t about = count_about(solver, change, results, solver->wrong, solver->wrong_count) +
                 count_about(solver, change, results, solver->right, solver->right_count);
  return 4 * about >= 3 * count;
}

/* ---- The test -------------------------------------------------------------------------------- */

/* Where the changed case has results of its own, they begin as zeros. */
static void make_results(solver_t *solver, const change_t *change, tensor_t *out_results) {
  const program_t *program = &change->instance->program;
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_results[i] = solver->results[i];
    if (change->places == NULL && type_equal(&program->results[i], &out_results[i].type)) continue;
    out_results[i] = tensor_make(solver->arena, &program->results[i]);
    memset(out_results[i].data, 0, type_bytes(&program->results[i]));
  }
}

/* How many are tried costs evidence.  Repairs of one edit have one key: the first stands for it. */
static void note_change(found_causes_t *found, const change_t *change, double bits,
                        const char *detail) {
  const char *const keys[] = {change->key, change->other_key};
  for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
    bool is_new = keys[i] != NULL;
    for (size_t k = 0; k < found->change_count && is_new; k++) {
      is_new = strcmp(found->changes[k].key, keys[i]) != 0;
    }
    if (!is_new || found->change_count == FOUND_CHANGES_MAX) continue;
    found_change_t *item = &found->changes[found->change_count++];
    *item = (found_change_t){.cause = change->cause, .bits = bits - log2((double)change->tried)};
    g_strlcpy(item->key, keys[i], sizeof item->key);
    g_strlcpy(item->detail, detail, sizeof item->detail);
  }
}

/* Zeros throughout come of many faults. */
static bool tells_nothing(const solver_t *solver) {
  bool is_all_zero = solver->right_count == 0;
  for (size_t i = 0; i < solver->wrong_count && is_all_zero; i++) {
    const examined_t *examined = &solver->wrong[i];
    const format_t *format = examined->element->format;
    is_all_zero = format != NULL ? format_is_zero(format, examined->got) : examined->got == 0;
  }
  return is_all_zero;
}

bool change_is_wanted(const solver_t *solver, const change_t *change) {
  const char *const keys[] = {change->key, change->other_key};
  const cause_support_t *support = change_support(solver->question);
  if (solver->changes == CHANGES_NONE) return false;
  bool is_any = solver->only_key == NULL && solver->changes == CHANGES_ALL;
  for (size_t i = 0; i < G_N_ELEMENTS(keys) && !is_any; i++) {
    if (keys[i] == NULL) continue;
    is_any = solver->only_key != NULL
                 ? strcmp(keys[i], solver->only_key) == 0
                 : (support != NULL && change_is_candidate(support, keys[i])) ||
                       change_is_known(solver->question, keys[i]);
  }
  return is_any && (solver->only == CAUSE_COUNT || solver->only == change->cause);
}

void change_test(solver_t *solver, const change_t *change, const char *detail,
                 found_causes_t *found) {
  if (!change_is_wanted(solver, change)) return;
  arena_mark_t mark = arena_mark(solver->arena);
  if (!is_likely(solver, change)) {
    arena_rewind(solver->arena, mark);
    return;
  }
  tensor_t results[CASE_RESULTS_MAX];
  make_results(solver, change, results);
  double bits = 0;
  for (size_t i = 0; i < solver->wrong_count && bits >= 0; i++) {
    double more = explain(solver, change, results, &solver->wrong[i]);
    bits = more < 0 ? -1 : bits + more;
  }
  for (size_t i = 0; i < solver->right_count && bits >= 0; i++) {
    if (!spares(solver, change, results, &solver->right[i])) bits = -1;
  }
  if (bits > 0 && change->contract == NULL) bits += bits_of_places(solver);
  if (bits >= 0) note_change(found, change, bits > 0 ? bits : -INFINITY, detail);
  arena_rewind(solver->arena, mark);
}

bool change_can_tell(const solver_t *solver) {
  const program_t *program = &solver->question->instance->program;
  const type_t *result = &program->results[solver->verdict->result];
  bool is_small = type_element_count(result) <= CHANGE_ELEMENTS_MAX;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    is_small &= type_element_count(&program->operands[i]) <= CHANGE_ELEMENTS_MAX;
  }
  return is_small && !tells_nothing(solver);
}

void test_changes(solver_t *solver, found_causes_t *found) {
  if (solver->changes == CHANGES_NONE) return;
  change_operands(solver, found);
  change_values(solver, found);
  change_groups(solver, found);
  change_functions(solver, found);
  change_storage(solver, found);
  change_picks(solver, found);
  change_starts(solver, found);
  change_indices(solver, found);
  change_padding(solver, found);
  change_attributes(solver, found);
  change_ops(solver, found);
  change_places(solver, found);
  change_scales(solver, found);
  change_permissions(solver, found);
}
