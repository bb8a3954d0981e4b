/* SPDX-License-Identifier: Apache-2.0 */
/* How cases of broadcast_in_dim and concatenate are cut into parts: along the dimensions of a
 * result that are an operand's as they are, or repeat its elements. */
#include "oracles/ops/data_movement/op/op.h"

/* Each dimension of the result is an axis, of that number.  Those of the operand that are stretched
 * are others, of one entry. */
void movement_broadcast_part_axes(const program_t *program, axes_t *out_axes) {
  const dimension_list_t *dimensions = &data_movement_attributes(program)->dimensions;
  const type_t *operand = &program->operands[0];
  const type_t *result = &program->results[0];
  out_axes->count = out_axes->results[0].count = result->rank;
  for (uint32_t dim = 0; dim < result->rank; dim++) {
    out_axes->items[dim] = (axis_t){.role = AXIS_BATCH, .size = result->dims[dim]};
    out_axes->results[0].axes[dim] = dim;
  }
  out_axes->operands[0].count = operand->rank;
  for (uint32_t dim = 0; dim < operand->rank; dim++) {
    uint32_t axis = (uint32_t)dimensions->dims[dim];
    if (operand->dims[dim] != result->dims[axis]) {
      axis = out_axes->count++;
      out_axes->items[axis] = (axis_t){.role = AXIS_TERM, .size = operand->dims[dim]};
    }
    out_axes->operands[0].axes[dim] = axis;
  }
}

/* Along the dimension that operands are joined in each has an axis of its own. */
void movement_concatenate_part_axes(const program_t *program, axes_t *out_axes) {
  const uint32_t joined = (uint32_t)data_movement_attributes(program)->dimension;
  const type_t *result = &program->results[0];
  out_axes->count = out_axes->results[0].count = result->rank;
  for (uint32_t dim = 0; dim < result->rank; dim++) {
    out_axes->items[dim] =
        (axis_t){.role = dim == joined ? AXIS_TERM : AXIS_BATCH, .size = result->dims[dim]};
    out_axes->results[0].axes[dim] = dim;
  }
  for (uint32_t i = 0; i < program->operand_count; i++) {
    out_axes->operands[i] = out_axes->results[0];
    if (out_axes->count < AXES_MAX) {
      out_axes->items[out_axes->count] =
          (axis_t){.role = AXIS_TERM, .size = program->operands[i].dims[joined]};
    }
    out_axes->operands[i].axes[joined] = out_axes->count++;
  }
}

/* Only sizes change: other layouts are none of these cases' parts. */
void movement_with_part_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                             program_t *out_program) {
  (void)arena;
  axes_t whole = {.count = 0};
  program->op->part_axes(program, &whole);
  inout_axes->results[0] = whole.results[0];
  for (uint32_t i = 0; i < program->operand_count; i++) {
    out_program->operands[i] =
        axes_type(&program->operands[i], inout_axes, &inout_axes->operands[i]);
  }
  out_program->results[0] = axes_type(&program->results[0], inout_axes, &inout_axes->results[0]);
}
