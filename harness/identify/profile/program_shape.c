/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the dimension summed over in each operand, prints the program with that length replaced by
 * a placeholder, and resizes a program to another length. */
#include "harness/identify/profile/program_shape.h"

#include <inttypes.h>

#include "harness/model/op.h"

enum { NO_DIMENSION = TYPE_RANK_MAX };

/* For each operand the dimension that is summed over, or NO_DIMENSION. */
typedef struct summed {
  uint32_t dimensions[CASE_OPERANDS_MAX];
  bool is_one; /* Each operand has one at the most, and some operand has one. */
} summed_t;

static summed_t find_summed(const program_t *program) {
  summed_t summed = {.is_one = false};
  uint32_t found = 0;
  bool has_several = false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    uint32_t mask = program->op->reduced_dimensions(program, i);
    summed.dimensions[i] = NO_DIMENSION;
    if (mask == 0) continue;
    has_several |= (mask & (mask - 1)) != 0;
    summed.dimensions[i] = (uint32_t)__builtin_ctz(mask);
    found++;
  }
  summed.is_one = found > 0 && !has_several;
  return summed;
}

static size_t count_terms(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    uint32_t mask = program->op->reduced_dimensions(program, i);
    if (mask == 0) continue;
    size_t count = 1;
    for (uint32_t axis = 0; axis < program->operands[i].rank; axis++) {
      if ((mask >> axis & 1) != 0) count *= (size_t)program->operands[i].dims[axis];
    }
    return count;
  }
  return 1;
}

static void print_type(const type_t *type, uint32_t summed, GString *out_text) {
  type_print_element(type, out_text);
  g_string_append_c(out_text, '[');
  for (uint32_t axis = 0; axis < type->rank; axis++) {
    if (axis > 0) g_string_append_c(out_text, ',');
    if (axis == summed) {
      g_string_append_c(out_text, 'n');
    } else {
      g_string_append_printf(out_text, "%" PRId64, type->dims[axis]);
    }
  }
  g_string_append_c(out_text, ']');
}

void program_shape_print(const program_t *program, GString *out_shape, size_t *out_term_count) {
  *out_term_count = count_terms(program);
  summed_t summed = find_summed(program);
  if (!summed.is_one) {
    program_print(program, out_shape);
    return;
  }
  g_string_append(out_shape, program->op->name);
  program_print_attributes(program, out_shape);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_string_append_c(out_shape, ' ');
    print_type(&program->operands[i], summed.dimensions[i], out_shape);
  }
  g_string_append(out_shape, " ->");
  for (uint32_t i = 0; i < program->result_count; i++) {
    g_string_append_c(out_shape, ' ');
    print_type(&program->results[i], NO_DIMENSION, out_shape);
  }
}

status_t program_shape_resize(const program_t *program, size_t term_count, program_t *out_program,
                              failure_t *error) {
  *out_program = *program;
  summed_t summed = find_summed(program);
  if (!summed.is_one && term_count == count_terms(program)) return STATUS_OK;
  if (!summed.is_one) {
    return status_fail(error, STATUS_UNSUPPORTED, "no program of this shape sums %zu terms",
                       term_count);
  }
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (summed.dimensions[i] == NO_DIMENSION) continue;
    type_t *type = &out_program->operands[i];
    type->dims[summed.dimensions[i]] = (int64_t)term_count;
    STATUS_TRY(type_check(type, error));
  }
  return STATUS_OK;
}
