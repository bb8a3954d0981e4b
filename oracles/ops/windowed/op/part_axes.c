/* SPDX-License-Identifier: Apache-2.0 */
/* How cases of reduce_window and select_and_scatter are cut into parts: along dimensions whose
 * windows are of one element each, such as batches and channels of a pooling; and along others by
 * windows, or by what they may select. */
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

/* Dimensions with windows of one element have one axis; of others windows, whose elements follow,
 * are cut, or elements, which the windows that reach them follow. */
static void set_axes(const program_t *program, axis_link_kind_t kind, const type_t *elements,
                     const type_t *windows, axes_t *out_axes) {
  const uint32_t rank = elements->rank;
  out_axes->count = 2 * rank;
  for (uint32_t dim = 0; dim < rank; dim++) {
    bool is_single = has_single_windows(program, dim);
    out_axes->items[dim] =
        (axis_t){.role = is_single ? AXIS_BATCH : AXIS_TERM, .size = elements->dims[dim]};
    out_axes->items[rank + dim] = (axis_t){.role = AXIS_TERM, .size = windows->dims[dim]};
  }
  for (uint32_t dim = 0; dim < rank; dim++) {
    if (has_single_windows(program, dim)) continue;
    const window_t window = windowed_along(windowed_attributes(program), dim);
    const uint32_t of = kind == AXIS_LINK_WINDOWS ? rank + dim : dim;
    const uint32_t to = kind == AXIS_LINK_WINDOWS ? dim : rank + dim;
    if (axes_link_windows(out_axes, kind, of, to, &window)) out_axes->items[of].role = AXIS_BATCH;
  }
}

/* Inputs have elements, initial values nothing. */
void reduce_window_part_axes(const program_t *program, axes_t *out_axes) {
  const uint32_t rank = program->operands[0].rank;
  set_axes(program, AXIS_LINK_WINDOWS, &program->operands[0], &program->results[0], out_axes);
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_axes->operands[i] = list_elements(rank);
    out_axes->results[i] = list_windows(program, rank);
  }
}

/* A window of padding alone leaves all of the result open: nothing is cut along its dimension. */
static bool has_window_of_padding(const program_t *program, uint32_t dim) {
  const window_t window = windowed_along(windowed_attributes(program), dim);
  const int64_t length = program->operands[SELECT_OPERAND].dims[dim];
  const int64_t last = program->operands[SELECT_SOURCE].dims[dim] - 1;
  const int64_t last_begin = last * window.stride - window.low;
  return window.size <= window.low || last_begin >= length;
}

/* The source has windows, and so the result elements. */
void select_and_scatter_part_axes(const program_t *program, axes_t *out_axes) {
  const uint32_t rank = program->operands[SELECT_OPERAND].rank;
  set_axes(program, AXIS_LINK_TARGETS, &program->operands[SELECT_OPERAND],
           &program->operands[SELECT_SOURCE], out_axes);
  bool is_open = false;
  for (uint32_t i = 0; i < out_axes->link_count; i++) {
    is_open |= has_window_of_padding(program, out_axes->links[i].of);
  }
  for (uint32_t i = 0; i < out_axes->link_count && is_open; i++) {
    out_axes->items[out_axes->links[i].of].role = AXIS_TERM;
  }
  if (is_open) out_axes->link_count = 0;
  out_axes->operands[SELECT_OPERAND] = out_axes->results[0] = list_elements(rank);
  out_axes->operands[SELECT_SOURCE] = list_windows(program, rank);
}

/* Only sizes and padding change: other layouts are none of these cases' parts. */
void windowed_with_part_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                             program_t *out_program) {
  axes_t whole = {.count = 0};
  program->op->part_axes(program, &whole);
  const uint32_t rank = program->operands[0].rank;
  windowed_attributes_t *attributes = ARENA_NEW_ARRAY(arena, windowed_attributes_t, 1);
  *attributes = *windowed_attributes(program);
  for (uint32_t i = 0; i < whole.link_count; i++) {
    const axis_link_t *link = &inout_axes->links[i];
    const uint32_t dim = MIN(link->of, link->to);
    g_assert(dim < rank);
    attributes->padding.low[dim] = link->window.low;
    attributes->padding.high[dim] = link->window.high;
  }
  out_program->attributes = attributes;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    out_program->operands[i] =
        axes_type(&program->operands[i], inout_axes, &inout_axes->operands[i]);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    inout_axes->results[i] = whole.results[i];
    out_program->results[i] = axes_type(&program->results[i], inout_axes, &inout_axes->results[i]);
  }
}
