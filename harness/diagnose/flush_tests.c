/* SPDX-License-Identifier: Apache-2.0 */
/* That subnormal numbers become zero, as operands, as results, or both: a processor's mode, or an
 * instruction that has it so, mostly does both (theory.md, T281). */
#include <math.h>

#include "harness/diagnose/change/change.h"

uint64_t flush_operand(const void *context, const program_t *program, uint32_t operand,
                       size_t component, uint64_t bits) {
  (void)context;
  (void)component;
  const format_t *format = program->operands[operand].element->format;
  if (format == NULL || !format_is_subnormal(format, bits)) return bits;
  return format_from_double(format, format_is_negative(format, bits) ? -0.0 : 0.0);
}

static bool is_kept_subnormal(const examined_t *examined) {
  const format_t *format = examined->element->format;
  return format != NULL && format_is_subnormal(format, examined->got);
}

/* Whether something subnormal is at hand: an operand, or the result that is a zero instead.  What
 * is flushed in between may be lost otherwise, as an epsilon is: of formulas the result alone
 * tells. */
static bool has_subnormal(const examined_t *examined) {
  const format_t *format = examined->element->format;
  if (format != NULL && examined->has_right && format_is_zero(format, examined->got) &&
      format_is_subnormal(format, examined->right)) {
    return true;
  }
  const case_t *instance = &examined->problem.instance;
  if (instance->program.op->is_composite) return false;
  for (uint32_t operand = 0; operand < instance->program.operand_count; operand++) {
    const tensor_t *tensor = &instance->operands[operand];
    const element_t *element = tensor->type.element;
    const size_t count = element->format != NULL ? type_component_count(&tensor->type) : 0;
    for (size_t i = 0; i < count; i++) {
      if (format_is_subnormal(element->format, element_load(element, tensor->data, i))) return true;
    }
  }
  return false;
}

/* What is wrong of NaN beside what is wrong of subnormal numbers has its own cause. */
static bool must_be_nan(const examined_t *examined) {
  const format_t *format = examined->element->format;
  return format != NULL && examined->has_right && format_is_nan(format, examined->right);
}

/* Whether a kernel that reads and writes all subnormal numbers as zero may give the component. */
static bool may_come(solver_t *solver, const contract_t *contract, const examined_t *examined,
                     answer_t *out_answer) {
  if (is_kept_subnormal(examined)) return false;
  const problem_t flushed = problem_map(solver, &examined->problem, flush_operand, NULL);
  return problem_holds_under(solver, contract, &flushed, examined->got, out_answer);
}

void test_flushed_both(solver_t *solver, found_causes_t *found) {
  const bool is_due = solver->verdict->class_ == CLASS_flush || solver->tests_established;
  if (!is_due || !solver_tests(solver, CAUSE_flushed)) return;
  contract_t contract = *solver->question->contract;
  change_relax(solver->question, &contract);
  contract_set_value(&contract, "ftz", FTZ_OUTPUTS);
  arena_mark_t mark = arena_mark(solver->arena);
  double bits = 0;
  for (size_t i = 0; i < solver->wrong_count && bits >= 0; i++) {
    answer_t answer;
    const examined_t *wrong = &solver->wrong[i];
    if (must_be_nan(wrong)) continue;
    const bool may = has_subnormal(wrong) && may_come(solver, &contract, wrong, &answer);
    if (!may) bits = -1;
    if (may && !solver_has_seen(solver, wrong)) bits += evidence_bits(wrong, &answer);
    arena_rewind(solver->arena, mark);
  }
  for (size_t i = 0; i < solver->right_count && bits > 0; i++) {
    answer_t answer = {.conforms = false};
    may_come(solver, &contract, &solver->right[i], &answer);
    if (!answer.conforms) bits = -1;
    arena_rewind(solver->arena, mark);
  }
  if (bits > 0) note_cause(found, CAUSE_flushed, bits, 1, "");
}

/* ---- Small numbers that are none of the subnormal ones --------------------------------------- */

/* Normal, and nearer to the subnormal ones than to 1. */
static bool is_small(const format_t *format, uint64_t bits) {
  if (format == NULL || format_is_nan(format, bits) || format_is_subnormal(format, bits)) {
    return false;
  }
  const double magnitude = fabs(format_to_double(format, bits));
  return magnitude > 0 && magnitude < ldexp(1, format->exponent_min / 2);
}

static uint64_t lose_small(const void *context, const program_t *program, uint32_t operand,
                           size_t component, uint64_t bits) {
  (void)context;
  (void)component;
  const format_t *format = program->operands[operand].element->format;
  if (!is_small(format, bits)) return bits;
  return format_from_double(format, format_is_negative(format, bits) ? -0.0 : 0.0);
}

static bool reads_small(const examined_t *examined) {
  const case_t *instance = &examined->problem.instance;
  for (uint32_t operand = 0; operand < instance->program.operand_count; operand++) {
    const tensor_t *tensor = &instance->operands[operand];
    const element_t *element = tensor->type.element;
    const size_t count = element->format != NULL ? type_component_count(&tensor->type) : 0;
    for (size_t i = 0; i < count; i++) {
      if (is_small(element->format, element_load(element, tensor->data, i))) return true;
    }
  }
  return false;
}

/* Whether the right component would be wrong if small operands were lost. */
static bool keeps_operand(solver_t *solver, const examined_t *examined) {
  const problem_t lost = problem_map(solver, &examined->problem, lose_small, NULL);
  answer_t as_it_is, answer;
  return problem_holds(solver, &examined->problem, examined->got, &as_it_is) &&
         !problem_holds(solver, &lost, examined->got, &answer) && !answer.conforms;
}

static bool keeps_results(const solver_t *solver) {
  const uint32_t result = solver->verdict->result;
  const tensor_t *tensor = &solver->question->evidence->results[result];
  const uint8_t *wrong = solver->question->evidence->wrong[result];
  const element_t *element = tensor->type.element;
  for (size_t i = 0; i < type_component_count(&tensor->type); i++) {
    if (wrong[i] == 0 && is_small(element->format, element_load(element, tensor->data, i)))
      return true;
  }
  return false;
}

bool solver_keeps_small_operands(solver_t *solver) {
  enum { ASKED_MAX = 8, SEEN_MAX = 1024 };
  const uint32_t result = solver->verdict->result;
  const evidence_t *evidence = solver->question->evidence;
  const size_t count = MIN(type_component_count(&evidence->results[result].type), SEEN_MAX);
  size_t asked = 0;
  bool keeps = false;
  for (size_t i = 0; i < count && asked < ASKED_MAX && !keeps; i++) {
    if (evidence->wrong[result][i] != 0) continue;
    arena_mark_t mark = arena_mark(solver->arena);
    examined_t examined;
    if (solver_examine(solver, i, &examined) && reads_small(&examined)) {
      keeps = keeps_operand(solver, &examined);
      asked++;
    }
    arena_rewind(solver->arena, mark);
  }
  return keeps;
}

bool solver_keeps_small(solver_t *solver, cause_id_t cause) {
  cause_flushing_t none = {.keeps_results = false};
  cause_flushing_t *kept = solver->question->flushing != NULL ? solver->question->flushing : &none;
  const bool of_results = cause != CAUSE_flushed_operands;
  const bool of_operands = cause != CAUSE_flushed_results;
  if (of_results) kept->keeps_results = kept->keeps_results || keeps_results(solver);
  if (of_results && kept->keeps_results) return true;
  if (!of_operands) return false;
  kept->keeps_operands = kept->keeps_operands || solver_keeps_small_operands(solver);
  return kept->keeps_operands;
}
