/* SPDX-License-Identifier: Apache-2.0 */
/* How cases of reduce_window and select_and_scatter are cut into parts: along the dimensions whose
 * windows are of one element each, such as batches and channels of a pooling. */
#include "oracles/ops/windowed/op/op.h"

static bool has_single_windows(const program_t *program, uint32_t dim) {
  const window_t window = windowed_along(windowed_attributes(program), dim);
  return window.size == 1 && window.stride == 1 && window.base_dilation == 1 && window.low == 0 &&
         window.high == 0;
}

/* Elements, which come first, and windows; those of a dimension that is cut are the same. */
static axis_list_t list_elements(uint32_t rank) {
  axis_list_t list = {.count = rank};
  for (uint32_t dim = 0; dim < rank; dim++) list.axes[dim] = dim;
  return list;
}

static axis_list_t list_windows(const program_t *program, uint32_t rank) {
  axis_list_t list = list_elements(rank);
  for (uint32_t dim = 0; dim < rank; dim++) {
    if (!has_single_windows(program, dim)) list.axes[dim] += rank;
  }
  return list;
}

static void set_axes(const program_t *program, const type_t *elements, const type_t *windows,
                     axes_t *out_axes) {
  const uint32_t rank = elements->rank;
  out_axes->count = 2 * rank;
  for (uint32_t dim = 0; dim < rank; dim++) {
    bool is_free = has_single_windows(program, dim);
    out_axes->items[dim] =
        (axis_t){.role = is_free ? AXIS_BATCH : AXIS_TERM, .size = elements->dims[dim]};
    out_axes->items[rank + dim] = (axis_t){.role = AXIS_TERM, .size = windows->dims[dim]};
  }
}

/* Inputs have elements, initial values nothing. */
void reduce_window_part_axes(const program_t *program, axes_t *out_axes) {
  const uint32_t rank = program->operands[0].rank;
  set_axes(program, &program->operands[0], &program->results[0], out_axes);
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_axes->operands[i] = list_elements(rank);
    out_axes->results[i] = list_windows(program, rank);
  }
}

/* The source has windows, and so the result elements. */
void select_and_scatter_part_axes(const program_t *program, axes_t *out_axes) {
  const uint32_t rank = program->operands[SELECT_OPERAND].rank;
  set_axes(program, &program->operands[SELECT_OPERAND], &program->operands[SELECT_SOURCE],
           out_axes);
  out_axes->operands[SELECT_OPERAND] = out_axes->results[0] = list_elements(rank);
  out_axes->operands[SELECT_SOURCE] = list_windows(program, rank);
}

/* Only sizes change: other layouts are none of these cases' parts. */
void windowed_with_part_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                             program_t *out_program) {
  (void)arena;
  axes_t whole = {.count = 0};
  program->op->part_axes(program, &whole);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    out_program->operands[i] =
        axes_type(&program->operands[i], inout_axes, &inout_axes->operands[i]);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    inout_axes->results[i] = whole.results[i];
    out_program->results[i] = axes_type(&program->results[i], inout_axes, &inout_axes->results[i]);
  }
}
