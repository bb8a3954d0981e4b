/* SPDX-License-Identifier: Apache-2.0 */
/* How cases of convolutions are cut into parts: by batches and by output features, as far as groups
 * keep them apart.  Spatial dimensions overlap in windows, and stay whole. */
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

void convolution_part_axes(const program_t *program, axes_t *out_axes) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  if (attributes->batch_group_count != 1) { /* Batches and features are not apart then. */
    out_axes->count = AXES_MAX + 1;
    return;
  }
  const type_t *result = &program->results[0];
  out_axes->count = FIRST_OTHER;
  out_axes->items[BATCH] =
      (axis_t){.role = AXIS_BATCH, .size = result->dims[attributes->output.batch]};
  out_axes->items[FEATURE] =
      (axis_t){.role = attributes->feature_group_count == 1 ? AXIS_COLUMN : AXIS_TERM,
               .size = result->dims[attributes->output.feature]};
  list_dimensions(&program->operands[CONVOLUTION_LHS], attributes->input.batch, -1,
                  &out_axes->operands[CONVOLUTION_LHS], out_axes);
  list_dimensions(&program->operands[CONVOLUTION_RHS], -1, attributes->kernel.batch,
                  &out_axes->operands[CONVOLUTION_RHS], out_axes);
  list_dimensions(result, attributes->output.batch, attributes->output.feature,
                  &out_axes->results[0], out_axes);
}

/* Only sizes change: other layouts are none of its cases' parts. */
void convolution_with_part_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                                program_t *out_program) {
  (void)arena;
  axes_t whole = {.count = 0};
  convolution_part_axes(program, &whole);
  inout_axes->results[0] = whole.results[0];
  out_program->operands[CONVOLUTION_LHS] =
      axes_type(&program->operands[CONVOLUTION_LHS], inout_axes, &inout_axes->operands[0]);
  out_program->operands[CONVOLUTION_RHS] =
      axes_type(&program->operands[CONVOLUTION_RHS], inout_axes, &inout_axes->operands[1]);
  out_program->results[0] = axes_type(&program->results[0], inout_axes, &inout_axes->results[0]);
}
