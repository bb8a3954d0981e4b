/* SPDX-License-Identifier: Apache-2.0 */
/* Hypotheses about which of two zeros is taken by ops that take the larger or the smaller number.
 */
#include "harness/diagnose/tests.h"

/* Special values come about in many ways: several components must agree. */
static const double bits_of_rule = 4;

/* The sign of the first zero (index 0) or the last (1) among the operands of a component; false if
 * there is none, or but zeros of one sign. */
static bool find_zero(const examined_t *examined, size_t which, bool *out_is_negative) {
  const case_t *instance = &examined->problem.instance;
  const format_t *format = examined->element->format;
  bool has_sign[2] = {false, false};
  for (uint32_t operand = 0; operand < instance->program.operand_count; operand++) {
    const tensor_t *tensor = &instance->operands[operand];
    if (tensor->type.element != examined->element) continue;
    for (size_t i = 0; i < type_component_count(&tensor->type); i++) {
      uint64_t bits = element_load(examined->element, tensor->data, i);
      if (!format_is_zero(format, bits)) continue;
      bool is_negative = format_is_negative(format, bits);
      bool is_first = !has_sign[0] && !has_sign[1];
      if (which == 1 || is_first) *out_is_negative = is_negative;
      has_sign[is_negative] = true;
    }
  }
  return has_sign[0] && has_sign[1];
}

/* Of zeros of both signs one is taken by its place. */
static bool takes_zero(const examined_t *examined, bool is_wrong, const hypothesis_t *hypothesis,
                       double *inout_bits) {
  const format_t *format = examined->element->format;
  bool is_negative = false;
  bool is_due =
      format_is_zero(format, examined->got) && find_zero(examined, hypothesis->index, &is_negative);
  if (!is_due) return !is_wrong;
  if (is_wrong) *inout_bits += bits_of_rule;
  return is_negative == format_is_negative(format, examined->got);
}

/* Evidence in bits that the first (0) or the last (1) is taken, or -1. */
static double test_place(solver_t *solver, size_t which) {
  const hypothesis_t hypothesis = {.index = which};
  double bits = 0;
  for (size_t i = 0; i < solver->wrong_count; i++) {
    if (!takes_zero(&solver->wrong[i], true, &hypothesis, &bits)) return -1;
  }
  for (size_t i = 0; i < solver->right_count; i++) {
    if (!takes_zero(&solver->right[i], false, &hypothesis, &bits)) return -1;
  }
  return bits > 0 ? bits : -1;
}

void test_zeros(solver_t *solver, found_causes_t *found) {
  static const cause_id_t causes[] = {CAUSE_first_of_zeros, CAUSE_last_of_zeros};
  if (!solver->is_split || !solver_selects(solver) || !solver_has_one_type(solver)) return;
  for (size_t i = 0; i < 2; i++) {
    if (!solver_tests(solver, causes[i])) continue;
    double bits = test_place(solver, i);
    if (bits >= 0) note_cause(found, causes[i], bits, 1, "");
  }
}
