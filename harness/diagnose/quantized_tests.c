/* SPDX-License-Identifier: Apache-2.0 */
/* Hypotheses about quantized types: each reads the types of the case otherwise and asks again.
 * Scales belong to places in their tensor, so the case is not cut into problems first. */
#include <math.h>
#include <stdio.h>

#include "harness/diagnose/tests.h"

/* Types of a program by number: operands, then results. */
static type_t *type_at(program_t *program, size_t index) {
  return index < program->operand_count ? &program->operands[index]
                                        : &program->results[index - program->operand_count];
}

static size_t type_count(const program_t *program) {
  return program->operand_count + program->result_count;
}

static bool has_zero_points(const type_t *type) {
  const quantization_t *quantization = type->quantization;
  bool has = false;
  for (uint32_t i = 0; quantization != NULL && i < quantization->count; i++) {
    has |= quantization->zero_points[i] != 0;
  }
  return has;
}

static bool has_several_scales(const type_t *type) {
  const quantization_t *quantization = type->quantization;
  bool has = false;
  for (uint32_t i = 0; quantization != NULL && i < quantization->count; i++) {
    has |= quantization->scales[i] != quantization->scales[0];
  }
  return has;
}

static quantization_t *copy_quantization(solver_t *solver, type_t *type) {
  quantization_t *copy = ARENA_NEW_ARRAY(solver->arena, quantization_t, 1);
  *copy = *type->quantization;
  type->quantization = copy;
  return copy;
}

/* The tensors of a problem have the types of its program. */
static void settle_types(problem_t *problem) {
  program_t *program = &problem->instance.program;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    problem->instance.operands[i].type = program->operands[i];
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    problem->results[i].type = program->results[i];
  }
}

/* Type hypothesis->index has no zero points. */
static bool forget_zero_points(solver_t *solver, const examined_t *examined,
                               const hypothesis_t *hypothesis, problem_t *out) {
  *out = examined->problem;
  quantization_t *copy =
      copy_quantization(solver, type_at(&out->instance.program, hypothesis->index));
  copy->zero_points = arena_alloc_zeroed(solver->arena, copy->count * sizeof copy->zero_points[0]);
  settle_types(out);
  return true;
}

/* All channels of all types have the scale of the first. */
static bool repeat_first_scales(solver_t *solver, const examined_t *examined,
                                const hypothesis_t *hypothesis, problem_t *out) {
  (void)hypothesis;
  *out = examined->problem;
  program_t *program = &out->instance.program;
  for (size_t i = 0; i < type_count(program); i++) {
    type_t *type = type_at(program, i);
    if (!has_several_scales(type)) continue;
    const double first = type->quantization->scales[0];
    quantization_t *copy = copy_quantization(solver, type);
    double *scales = ARENA_NEW_ARRAY(solver->arena, double, copy->count);
    for (uint32_t channel = 0; channel < copy->count; channel++) scales[channel] = first;
    copy->scales = scales;
  }
  settle_types(out);
  return true;
}

/* Whether two numbers are apart as far as a third, but for what is rounded where numbers of that
 * size are floats. */
static bool is_apart(int64_t a, int64_t b, int64_t by, const format_t *format) {
  const double distance = fabs((double)a - (double)b), apart = fabs((double)by);
  const double largest = fmax(fmax(fabs((double)a), fabs((double)b)), apart);
  return fabs(distance - apart) <= ldexp(largest, 2 - format->precision);
}

/* Whether all that is wrong is off by the zero point of the result, or at an end of the range: then
 * that was added twice as well, where scales are alike. */
static bool is_off_by_zero_point(const solver_t *solver) {
  bool is_off = true;
  for (size_t i = 0; i < solver->wrong_count && is_off; i++) {
    const examined_t *examined = &solver->wrong[i];
    const problem_t *problem = &examined->problem;
    const type_t *type = &problem->results[problem->result].type;
    if (type->quantization == NULL || !examined->has_right) return false;
    const int64_t got = element_signed_value(examined->element, examined->got);
    const int64_t right = element_signed_value(examined->element, examined->right);
    const int64_t zero_point = quantization_zero_point(type, problem->component);
    const quantization_t *quantization = type->quantization;
    is_off = is_apart(got, right, zero_point, quantization->expressed->format) ||
             got == quantization->storage_min || got == quantization->storage_max;
  }
  return is_off;
}

static void test_zero_points(solver_t *solver, found_causes_t *found) {
  program_t program = solver->question->instance->program;
  if (!solver_tests(solver, CAUSE_zero_point_forgotten)) return;
  for (size_t i = 0; i < type_count(&program); i++) {
    if (!has_zero_points(type_at(&program, i))) continue;
    const hypothesis_t hypothesis = {.change = forget_zero_points, .index = i};
    double bits = test_hypothesis(solver, &hypothesis);
    if (bits < 0) continue;
    char detail[CAUSE_DETAIL_BYTES];
    bool is_operand = i < program.operand_count;
    if (is_operand && !solver->tests_established && is_off_by_zero_point(solver)) continue;
    snprintf(detail, sizeof detail, "%s %zu", is_operand ? "operand" : "result",
             is_operand ? i : i - program.operand_count);
    note_cause(found, CAUSE_zero_point_forgotten, bits, type_count(&program), detail);
  }
}

static void test_scales(solver_t *solver, found_causes_t *found) {
  program_t program = solver->question->instance->program;
  bool has_several = false;
  for (size_t i = 0; i < type_count(&program); i++) {
    has_several |= has_several_scales(type_at(&program, i));
  }
  if (!has_several || !solver_tests(solver, CAUSE_first_scale_for_all)) return;
  /* The next channel's scale, for the last of two, may be the first one. */
  if (!solver->tests_established && !solver_has_several(solver)) return;
  const hypothesis_t hypothesis = {.change = repeat_first_scales};
  double bits = test_hypothesis(solver, &hypothesis);
  if (bits >= 0) note_cause(found, CAUSE_first_scale_for_all, bits, 1, "");
}

void test_quantized(solver_t *solver, found_causes_t *found) {
  test_flushed_both(solver, found);
  if (solver->wrong_count > 1 && !solver_has_several(solver)) return; /* An end of the range. */
  test_zero_points(solver, found);
  test_scales(solver, found);
}
