/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of ops that map one tensor to another of the same shape row by row: describes such a
 * program and rebuilds it from changed axes. */
#include "harness/kinds/byteir.h"

void byteir_row_axes(const type_t *type, uint32_t terms, axes_t *out_axes) {
  axis_list_t list = {.count = type->rank};
  out_axes->count = type->rank;
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    out_axes->items[dim].role = (terms >> dim & 1) != 0 ? AXIS_TERM : AXIS_BATCH;
    out_axes->items[dim].size = type->dims[dim];
    list.axes[dim] = dim;
  }
  out_axes->operands[0] = out_axes->results[0] = list;
}

dimension_list_t byteir_row_with_axes(const program_t *program, axes_t *inout_axes,
                                      program_t *out_program) {
  const axis_list_t *list = &inout_axes->operands[0];
  dimension_list_t terms = {.count = 0};
  type_t type = {.element = program->operands[0].element, .rank = list->count};
  for (uint32_t dim = 0; dim < list->count; dim++) {
    const axis_t *axis = &inout_axes->items[list->axes[dim]];
    type.dims[dim] = axis->size;
    if (axis->role == AXIS_TERM) dimension_list_append(&terms, dim);
  }
  out_program->operands[0] = out_program->results[0] = type;
  out_program->results[0].element = program->results[0].element; /* f32 of f16, say. */
  inout_axes->results[0] = *list;
  return terms;
}
