/* SPDX-License-Identifier: Apache-2.0 */
/* Hypotheses about which operand elements are read, and as what. */
#include <glib.h>
#include <math.h>
#include <stdio.h>

#include "harness/diagnose/change/change.h"
#include "harness/diagnose/tests.h"
#include "harness/model/op.h"

/* ---- Elsewhere ------------------------------------------------------------------------------- */

static bool misread(solver_t *solver, const examined_t *examined, const hypothesis_t *hypothesis,
                    problem_t *out) {
  return problem_misread(solver, examined, &hypothesis->misread, out);
}

static bool has_role(const solver_t *solver, uint32_t operand, axis_role_t role) {
  const axis_list_t *list = &solver->axes.operands[operand];
  for (uint32_t i = 0; i < list->count; i++) {
    const axis_t *axis = &solver->axes.items[list->axes[i]];
    if (axis->role == role && axis->size > 1) return true;
  }
  return false;
}

/* The operands that have entries along a role. */
static unsigned operands_along(const solver_t *solver, axis_role_t role) {
  unsigned operands = 0;
  uint32_t count = solver->question->instance->program.operand_count;
  for (uint32_t i = 0; i < count; i++) {
    if (has_role(solver, i, role)) operands |= 1u << i;
  }
  return operands;
}

static void test_step(solver_t *solver, axis_role_t role, unsigned operands, const char *who,
                      found_causes_t *found) {
  static const cause_id_t causes[] = {[AXIS_BATCH] = CAUSE_batch_offset,
                                      [AXIS_ROW] = CAUSE_row_offset,
                                      [AXIS_COLUMN] = CAUSE_column_offset};
  if (!solver_tests(solver, causes[role])) return;
  for (int step = -1; step <= 1; step += 2) {
    const hypothesis_t hypothesis = {.change = misread,
                                     .needs_new = true,
                                     .misread = {.role = role, .step = step, .operands = operands}};
    double bits = test_hypothesis(solver, &hypothesis);
    if (bits < 0) continue;
    char detail[CAUSE_DETAIL_BYTES];
    g_snprintf(detail, sizeof detail, "%s (%+d)", who, step);
    note_cause(found, causes[role], bits, 2, detail);
  }
}

static void test_offsets(solver_t *solver, found_causes_t *found) {
  for (int role = AXIS_BATCH; role <= AXIS_COLUMN; role++) {
    unsigned operands = operands_along(solver, (axis_role_t)role);
    if (operands == 0) continue;
    test_step(solver, (axis_role_t)role, operands, "the operands", found);
    bool has_several = (operands & (operands - 1)) != 0;
    for (unsigned i = 0; i < CASE_OPERANDS_MAX && has_several; i++) {
      char who[CAUSE_DETAIL_BYTES];
      g_snprintf(who, sizeof who, "operand %u", i);
      if ((operands >> i & 1) != 0) test_step(solver, (axis_role_t)role, 1u << i, who, found);
    }
  }
}

static void test_transposed(solver_t *solver, found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  bool is_due = solver->is_split && solver_tests(solver, CAUSE_transposed_rhs);
  if (program->operand_count < 2 || !is_due) return;
  const type_t *type = &program->operands[1];
  if (type->rank < 2 || type->dims[type->rank - 1] != type->dims[type->rank - 2]) return;
  const hypothesis_t hypothesis = {
      .change = misread, .needs_new = true, .misread = {.transposes = true}};
  double bits = test_hypothesis(solver, &hypothesis);
  if (bits >= 0) note_cause(found, CAUSE_transposed_rhs, bits, 1, "");
}

/* ---- As something else ----------------------------------------------------------------------- */

/* Rounds floats to a narrower format. */
static uint64_t round_bits(const void *context, const program_t *program, uint32_t operand,
                           size_t component, uint64_t bits) {
  (void)component;
  const hypothesis_t *hypothesis = (const hypothesis_t *)context;
  const format_t *format = program->operands[operand].element->format;
  if (format == NULL || format_is_nan(format, bits)) return bits;
  if (hypothesis->format->precision >= format->precision) return bits;
  uint64_t narrow = format_convert(format, hypothesis->format, bits, hypothesis->rounding);
  return format_convert(hypothesis->format, format, narrow, ROUNDING_NEAREST_EVEN);
}

static uint64_t conjugate_bits(const void *context, const program_t *program, uint32_t operand,
                               size_t component, uint64_t bits) {
  (void)context;
  const element_t *element = program->operands[operand].element;
  bool is_imaginary = operand == 0 && element->kind == ELEMENT_COMPLEX && component % 2 == 1;
  return is_imaginary ? bits ^ (uint64_t)1 << (element->bits - 1) : bits;
}

static uint64_t neutral_init_bits(const void *context, const program_t *program, uint32_t operand,
                                  size_t component, uint64_t bits) {
  (void)context;
  (void)component;
  const op_t *op = program->op;
  if (op->is_init_operand == NULL || !op->is_init_operand(program, operand)) return bits;
  return op->neutral_bits(program, operand);
}

/* The maps by number: hypothesis->index. */
enum { MAP_ROUND, MAP_FLUSH, MAP_CONJUGATE, MAP_NEUTRAL_INIT };

static bool map_values(solver_t *solver, const examined_t *examined, const hypothesis_t *hypothesis,
                       problem_t *out) {
  static const value_map_t maps[] = {[MAP_ROUND] = round_bits,
                                     [MAP_FLUSH] = flush_operand,
                                     [MAP_CONJUGATE] = conjugate_bits,
                                     [MAP_NEUTRAL_INIT] = neutral_init_bits};
  *out = problem_map(solver, &examined->problem, maps[hypothesis->index], hypothesis);
  return true;
}

static const element_t *signed_like(const element_t *element) {
  if (element->kind != ELEMENT_UNSIGNED) return element;
  char name[8];
  snprintf(name, sizeof name, "i%d", element->bits);
  return element_find(str_from(name));
}

static bool read_as_signed(solver_t *solver, const examined_t *examined,
                           const hypothesis_t *hypothesis, problem_t *out) {
  (void)solver;
  (void)hypothesis;
  *out = examined->problem;
  program_t *program = &out->instance.program;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    program->operands[i].element = signed_like(program->operands[i].element);
    out->instance.operands[i].type = program->operands[i];
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    program->results[i].element = signed_like(program->results[i].element);
    out->results[i].type = program->results[i];
  }
  return program_broken(program) == NULL;
}

/* Beside start indices: of these a large one read as signed is clamped to 0, as all are that are
 * never read, and only several cases tell (change/starts.c). */
static bool has_unsigned_values(const program_t *program) {
  if (change_has_starts(program)) return false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (program->operands[i].element->kind == ELEMENT_UNSIGNED) return true;
  }
  return false;
}

static void test_one(solver_t *solver, cause_id_t cause, const hypothesis_t *hypothesis,
                     found_causes_t *found) {
  if (!solver_tests(solver, cause)) return;
  double bits = test_hypothesis(solver, hypothesis);
  if (bits >= 0) note_cause(found, cause, bits, 1, "");
}

static bool some_operand_is_wider(const program_t *program, const format_t *format) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const format_t *wide = program->operands[i].element->format;
    if (wide != NULL && wide->precision > format->precision) return true;
  }
  return false;
}

/* Of few digits many a number has no more: a limit of 20 is what -23.5 is truncated to, and tells
 * nothing where it is all that came.  Where all that came is one value, whatever makes what lies
 * close together equal has made it: operands that are rounded, or a step on the way. */
enum { COARSE_PRECISION = 4 };

static void test_rounded(solver_t *solver, cause_id_t cause, rounding_t rounding,
                         found_causes_t *found) {
  static const int formats[] = {FORMAT_bf16, FORMAT_f16,    FORMAT_tf32,
                                FORMAT_f32,  FORMAT_f8E5M2, FORMAT_f8E4M3FN};
  const bool has_several = solver_has_several(solver);
  if (solver->wrong_count > 1 && !has_several) return;
  for (size_t i = 0; i < G_N_ELEMENTS(formats) && solver_tests(solver, cause); i++) {
    const format_t *format = &format_table[formats[i]];
    if (!some_operand_is_wider(&solver->question->instance->program, format)) continue;
    if (format->precision <= COARSE_PRECISION && !has_several) continue;
    const hypothesis_t hypothesis = {
        .change = map_values, .index = MAP_ROUND, .format = format, .rounding = rounding};
    double bits = test_hypothesis(solver, &hypothesis);
    if (bits >= 0) note_cause(found, cause, bits, G_N_ELEMENTS(formats), format->name);
  }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* -1, 0 or 1. */
static bool is_step(const element_t *element, uint64_t bits) {
  const double value = element->format == NULL ? (double)element_signed_value(element, bits)
                                               : format_to_double(element->format, bits);
  return value == 0 || fabs(value) == 1;
}

/* Whether elements are wrong by whole steps, as those of an op that tells no more of a small number
 * than its sign: then it may be that all small numbers are lost, or negative ones. */
static bool is_of_steps(const solver_t *solver) {
  bool is = solver->is_split && solver->term_axis < 0;
  for (size_t i = 0; i < solver->wrong_count && is; i++) {
    const examined_t *examined = &solver->wrong[i];
    is = examined->has_right && is_step(examined->element, examined->got) &&
         is_step(examined->element, examined->right);
  }
  return is;
}

/* What is flushed must be subnormal: a threshold elsewhere is another fault (theory.md, T264). */
static void test_flushed(solver_t *solver, found_causes_t *found) {
  if (!solver_tests(solver, CAUSE_flushed_operands) && !solver_tests(solver, CAUSE_flushed)) return;
  bool is_known =
      solver->tests_established || !is_of_steps(solver) || solver_keeps_small_operands(solver);
  const hypothesis_t flushed = {.change = map_values, .index = MAP_FLUSH};
  if (!is_known) return;
  test_one(solver, CAUSE_flushed_operands, &flushed, found);
  test_flushed_both(solver, found);
}

void test_operands(solver_t *solver, found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  test_flushed(solver, found);
  if (program->op->is_init_operand != NULL && program->op->neutral_bits != NULL) {
    test_one(solver, CAUSE_without_init,
             &(hypothesis_t){.change = map_values, .index = MAP_NEUTRAL_INIT}, found);
  }
  if (program->operand_count == 2 && program->operands[0].element->kind == ELEMENT_COMPLEX) {
    test_one(solver, CAUSE_conjugated_lhs,
             &(hypothesis_t){.change = map_values, .index = MAP_CONJUGATE}, found);
  }
  /* Of what is not told apart by elements, differences of integers that become floats may wrap, and
   * say the same of some. */
  const bool is_whole = solver->wrong[0].element->format == NULL;
  if (has_unsigned_values(program) && (solver->is_split || is_whole)) {
    test_one(solver, CAUSE_unsigned_as_signed,
             &(hypothesis_t){.change = read_as_signed, .is_choice = true}, found);
  }
  /* What one component misses is there by chance in many a neighbour: a zero, say. */
  if (solver->is_split && solver_has_several(solver)) {
    test_offsets(solver, found);
    test_transposed(solver, found);
  }
  test_rounded(solver, CAUSE_narrow_operands, ROUNDING_NEAREST_EVEN, found);
  test_rounded(solver, CAUSE_truncated_operands, ROUNDING_TOWARD_ZERO, found);
}
