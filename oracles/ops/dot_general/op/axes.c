/* SPDX-License-Identifier: Apache-2.0 */
/* Describes a dot_general by independent axes (batch, row, column, term) and rebuilds a program
 * from changed axes, for callers that shrink or permute programs without knowing the op. */
#include "oracles/ops/dot_general/op/op.h"

static uint32_t add_axis(axes_t *axes, axis_role_t role, int64_t size) {
  axes->items[axes->count] = (axis_t){.role = role, .size = size};
  return axes->count++;
}

/* One axis for each entry of the list.  `rhs_dims` is NULL where rhs does not have the axis. */
static void add_axes(axes_t *axes, axis_role_t role, const type_t *type, uint32_t operand,
                     const dimension_list_t *dims, const dimension_list_t *rhs_dims) {
  for (uint32_t i = 0; i < dims->count; i++) {
    uint32_t axis = add_axis(axes, role, type->dims[dims->dims[i]]);
    axes->operands[operand].axes[dims->dims[i]] = axis;
    if (rhs_dims != NULL) axes->operands[DOT_GENERAL_RHS].axes[rhs_dims->dims[i]] = axis;
    if (role == AXIS_TERM) continue;
    axis_list_t *result = &axes->results[0];
    result->axes[result->count++] = axis;
  }
}

void dot_general_axes(const program_t *program, axes_t *out_axes) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  const type_t *lhs = &program->operands[DOT_GENERAL_LHS];
  const type_t *rhs = &program->operands[DOT_GENERAL_RHS];
  dimension_list_t rows = dot_general_lhs_result_dimensions(program);
  dimension_list_t columns = dot_general_rhs_result_dimensions(program);
  out_axes->operands[DOT_GENERAL_LHS].count = lhs->rank;
  out_axes->operands[DOT_GENERAL_RHS].count = rhs->rank;
  out_axes->is_listed[AXIS_BATCH] = true;
  out_axes->is_listed[AXIS_TERM] = true;
  add_axes(out_axes, AXIS_BATCH, lhs, DOT_GENERAL_LHS, &attributes->lhs_batching,
           &attributes->rhs_batching);
  add_axes(out_axes, AXIS_ROW, lhs, DOT_GENERAL_LHS, &rows, NULL);
  add_axes(out_axes, AXIS_COLUMN, rhs, DOT_GENERAL_RHS, &columns, NULL);
  add_axes(out_axes, AXIS_TERM, lhs, DOT_GENERAL_LHS, &attributes->lhs_contracting,
           &attributes->rhs_contracting);
}

/* The dimensions of an operand that have the role, by ascending number of their axes. */
static dimension_list_t listed_dimensions(const axes_t *axes, uint32_t operand, axis_role_t role) {
  dimension_list_t dims = {.count = 0};
  for (uint32_t axis = 0; axis < axes->count; axis++) {
    int dim = axis_list_find(&axes->operands[operand], axis);
    if (axes->items[axis].role == role && dim >= 0) dimension_list_append(&dims, dim);
  }
  return dims;
}

/* Appends the axes of the operand's dimensions that have the role, in the order of `dims`. */
static void append_axes(const axis_list_t *operand, const dimension_list_t *dims,
                        axis_list_t *result) {
  for (uint32_t i = 0; i < dims->count; i++) {
    result->axes[result->count++] = operand->axes[dims->dims[i]];
  }
}

void dot_general_with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                           program_t *out_program) {
  axes_t *axes = inout_axes;
  const axis_list_t *lhs = &axes->operands[DOT_GENERAL_LHS];
  const axis_list_t *rhs = &axes->operands[DOT_GENERAL_RHS];
  dot_general_attributes_t *attributes = ARENA_NEW_ARRAY(arena, dot_general_attributes_t, 1);
  *attributes = *dot_general_attributes(program);
  attributes->lhs_batching = listed_dimensions(axes, DOT_GENERAL_LHS, AXIS_BATCH);
  attributes->rhs_batching = listed_dimensions(axes, DOT_GENERAL_RHS, AXIS_BATCH);
  attributes->lhs_contracting = listed_dimensions(axes, DOT_GENERAL_LHS, AXIS_TERM);
  attributes->rhs_contracting = listed_dimensions(axes, DOT_GENERAL_RHS, AXIS_TERM);
  out_program->attributes = attributes;
  for (uint32_t i = 0; i < 2; i++) {
    out_program->operands[i] = axes_type(&program->operands[i], axes, &axes->operands[i]);
  }
  dimension_list_t rows = dot_general_lhs_result_dimensions(out_program);
  dimension_list_t columns = dot_general_rhs_result_dimensions(out_program);
  axis_list_t *result = &axes->results[0];
  result->count = 0;
  append_axes(lhs, &attributes->lhs_batching, result);
  append_axes(lhs, &rows, result);
  append_axes(rhs, &columns, result);
  out_program->results[0] = axes_type(&program->results[0], axes, result);
}
