/* SPDX-License-Identifier: Apache-2.0 */
/* How cases of convolutions are cut into parts: by batches, by windows, whose elements of the input
 * follow, and by output features, with the group of input features, or of the batch, that these
 * need. */
#include "oracles/ops/convolution/op/op.h"

enum { BATCH, FEATURE, FIRST_OTHER };

/* The dimensions of a tensor, two of which may be known axes; the others are of its own. */
static void list_dimensions(const type_t *type, int64_t batch, int64_t feature, axis_list_t *list,
                            axes_t *inout_axes) {
  list->count = type->rank;
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    uint32_t axis = inout_axes->count;
    if ((int64_t)dim == batch) axis = BATCH;
    if ((int64_t)dim == feature) axis = FEATURE;
    list->axes[dim] = axis;
    if (axis < FIRST_OTHER) continue;
    if (axis < AXES_MAX) {
      inout_axes->items[axis] = (axis_t){.role = AXIS_TERM, .size = type->dims[dim]};
    }
    inout_axes->count++;
  }
}

/* Output features of a group need its input features, or its part of the batch. */
static void link_groups(const program_t *program, axes_t *inout_axes) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  const int64_t groups = attributes->feature_group_count * attributes->batch_group_count;
  bool is_of_batch = attributes->batch_group_count > 1;
  const uint32_t dim =
      (uint32_t)(is_of_batch ? attributes->input.batch : attributes->input.feature);
  const uint32_t to = inout_axes->operands[CONVOLUTION_LHS].axes[dim];
  inout_axes->links[inout_axes->link_count++] =
      (axis_link_t){.kind = AXIS_LINK_GROUPS,
                    .of = FEATURE,
                    .to = to,
                    .of_each = inout_axes->items[FEATURE].size / groups,
                    .to_each = inout_axes->items[to].size / groups};
}

static void link_windows(const program_t *program, axes_t *inout_axes) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  for (uint32_t i = 0; i < attributes->input.spatial.count; i++) {
    const convolution_axis_t axis = convolution_axis(program, i);
    const window_t window = {.size = axis.kernel_size,
                             .stride = axis.stride,
                             .base_dilation = axis.lhs_dilation,
                             .window_dilation = axis.rhs_dilation,
                             .low = axis.padding.low,
                             .high = axis.padding.high};
    const uint32_t of = inout_axes->results[0].axes[attributes->output.spatial.dims[i]];
    const uint32_t to =
        inout_axes->operands[CONVOLUTION_LHS].axes[attributes->input.spatial.dims[i]];
    if (axes_link_windows(inout_axes, AXIS_LINK_WINDOWS, of, to, &window)) {
      inout_axes->items[of].role = AXIS_BATCH;
    }
  }
}

void convolution_part_axes(const program_t *program, axes_t *out_axes) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  const type_t *result = &program->results[0];
  bool is_grouped = attributes->feature_group_count > 1 || attributes->batch_group_count > 1;
  /* A group of the batch has result batches of its own: these stay whole. */
  const int64_t batch = attributes->batch_group_count > 1 ? -1 : attributes->input.batch;
  out_axes->count = FIRST_OTHER;
  out_axes->items[BATCH] =
      (axis_t){.role = AXIS_BATCH, .size = result->dims[attributes->output.batch]};
  if (batch < 0) out_axes->items[BATCH].role = AXIS_TERM;
  out_axes->items[FEATURE] =
      (axis_t){.role = AXIS_COLUMN, .size = result->dims[attributes->output.feature]};
  list_dimensions(&program->operands[CONVOLUTION_LHS], batch, -1,
                  &out_axes->operands[CONVOLUTION_LHS], out_axes);
  list_dimensions(&program->operands[CONVOLUTION_RHS], -1, attributes->kernel.batch,
                  &out_axes->operands[CONVOLUTION_RHS], out_axes);
  list_dimensions(result, attributes->output.batch, attributes->output.feature,
                  &out_axes->results[0], out_axes);
  if (out_axes->count > AXES_MAX || type_element_count(result) == 0) return;
  if (is_grouped) link_groups(program, out_axes);
  link_windows(program, out_axes);
}

/* Only sizes, groups and padding change: other layouts are none of its cases' parts. */
void convolution_with_part_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                                program_t *out_program) {
  axes_t whole = {.count = 0};
  convolution_part_axes(program, &whole);
  convolution_attributes_t *attributes = ARENA_NEW_ARRAY(arena, convolution_attributes_t, 1);
  *attributes = *convolution_attributes(program);
  const axis_list_t *input = &whole.operands[CONVOLUTION_LHS];
  for (uint32_t i = 0; i < whole.link_count; i++) {
    const axis_link_t *link = &inout_axes->links[i];
    if (link->kind == AXIS_LINK_GROUPS) {
      const int64_t groups = MAX(inout_axes->items[link->of].size / link->of_each, 1);
      bool is_of_batch = attributes->batch_group_count > 1;
      *(is_of_batch ? &attributes->batch_group_count : &attributes->feature_group_count) = groups;
      continue;
    }
    for (uint32_t k = 0; k < attributes->input.spatial.count; k++) {
      if (input->axes[attributes->input.spatial.dims[k]] != link->to) continue;
      attributes->padding.low[k] = link->window.low;
      attributes->padding.high[k] = link->window.high;
    }
  }
  inout_axes->results[0] = whole.results[0];
  out_program->attributes = attributes;
  out_program->operands[CONVOLUTION_LHS] =
      axes_type(&program->operands[CONVOLUTION_LHS], inout_axes, &inout_axes->operands[0]);
  out_program->operands[CONVOLUTION_RHS] =
      axes_type(&program->operands[CONVOLUTION_RHS], inout_axes, &inout_axes->operands[1]);
  out_program->results[0] = axes_type(&program->results[0], inout_axes, &inout_axes->results[0]);
}
