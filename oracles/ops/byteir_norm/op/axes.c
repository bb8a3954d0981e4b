/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of layer_norm and l2_norm.  Weight and bias have the terms, ascending.  Mean and inverse
 * deviation have, in the place of each term, an axis of its own of size 1: those come after the
 * axes of the input, in the order of the terms. */
#include "oracles/ops/byteir_norm/byteir_norm.h"

static bool has_moments(const program_t *program) { return program->result_count > 1; }

/* Axes of the input, which come first. */
static uint32_t count_input_axes(const program_t *program, const axes_t *axes) {
  uint32_t terms = 0;
  for (uint32_t i = 0; i < axes->count; i++) terms += axes->items[i].role == AXIS_TERM ? 1 : 0;
  return has_moments(program) ? axes->count - terms : axes->count;
}

/* The lists of all tensors but the input and the output, from that of the input. */
static void set_lists(const program_t *program, axes_t *inout_axes) {
  const axis_list_t *input = &inout_axes->operands[LAYER_NORM_INPUT];
  axis_list_t terms = {.count = 0}, moments = *input;
  uint32_t first = count_input_axes(program, inout_axes);
  for (uint32_t dim = 0; dim < input->count; dim++) {
    uint32_t axis = input->axes[dim];
    if (inout_axes->items[axis].role != AXIS_TERM) continue;
    terms.axes[terms.count++] = axis;
    moments.axes[dim] = first;
    for (uint32_t i = 0; i < axis; i++) {
      moments.axes[dim] += inout_axes->items[i].role == AXIS_TERM ? 1 : 0;
    }
  }
  for (uint32_t i = LAYER_NORM_WEIGHT; i < program->operand_count; i++) {
    inout_axes->operands[i] = terms;
  }
  for (uint32_t i = LAYER_NORM_MEAN; i < program->result_count; i++) {
    inout_axes->results[i] = moments;
  }
}

void byteir_norm_axes(const program_t *program, axes_t *out_axes) {
  dimension_list_t dimensions = byteir_norm_dimensions(program);
  byteir_row_axes(&program->operands[LAYER_NORM_INPUT], dimension_list_mask(&dimensions), out_axes);
  for (uint32_t i = 0; i < dimensions.count && has_moments(program); i++) {
    out_axes->items[out_axes->count++] = (axis_t){.role = AXIS_BATCH, .size = 1};
  }
  set_lists(program, out_axes);
}

void byteir_norm_with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                           program_t *out_program) {
  byteir_norm_attributes_t *attributes = ARENA_NEW_ARRAY(arena, byteir_norm_attributes_t, 1);
  *attributes = *byteir_norm_attributes(program);
  attributes->axis = byteir_row_with_axes(program, inout_axes, out_program);
  out_program->attributes = attributes;
  set_lists(program, inout_axes);
  const type_t *input = &out_program->operands[LAYER_NORM_INPUT];
  for (uint32_t i = LAYER_NORM_WEIGHT; i < program->operand_count; i++) {
    out_program->operands[i] = byteir_norm_weight_type(input, &attributes->axis);
    out_program->operands[i].element = program->operands[i].element;
  }
  for (uint32_t i = LAYER_NORM_MEAN; i < program->result_count; i++) {
    out_program->results[i] = byteir_norm_moment_type(input, &attributes->axis);
    out_program->results[i].element = program->results[i].element;
  }
}
