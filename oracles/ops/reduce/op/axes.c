/* SPDX-License-Identifier: Apache-2.0 */
/* Describes a reduce by independent axes (kept or reduced dimensions) and rebuilds a program from
 * changed axes, for callers that know no op. */
#include "oracles/ops/reduce/op/op.h"

void reduce_axes(const program_t *program, axes_t *out_axes) {
  const type_t *input = &program->operands[0];
  const dimension_list_t *reduced = &reduce_attributes(program)->dimensions;
  uint32_t inputs = reduce_input_count(program);
  out_axes->count = input->rank;
  axis_list_t results = {.count = 0};
  for (uint32_t dim = 0; dim < input->rank; dim++) {
    bool is_reduced = dimension_list_contains(reduced, dim);
    out_axes->items[dim].role = is_reduced ? AXIS_TERM : AXIS_BATCH;
    out_axes->items[dim].size = input->dims[dim];
    if (!is_reduced) results.axes[results.count++] = dim;
    for (uint32_t i = 0; i < inputs; i++) out_axes->operands[i].axes[dim] = dim;
  }
  for (uint32_t i = 0; i < inputs; i++) {
    out_axes->operands[i].count = input->rank;
    out_axes->results[i] = results;
  }
}

/* Element types, quantized per tensor if at all, stay. */
static void set_shape(type_t *type, uint32_t rank, const int64_t *dims) {
  const quantization_t *quantization = type->quantization;
  *type = type_make(type->element, rank, dims);
  type->quantization = quantization;
}

/* All inputs are laid out like the first one: they have one shape. */
void reduce_with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                      program_t *out_program) {
  reduce_attributes_t *attributes = ARENA_NEW_ARRAY(arena, reduce_attributes_t, 1);
  *attributes = (reduce_attributes_t){.reduction = reduce_attributes(program)->reduction};
  uint32_t inputs = reduce_input_count(program);
  const axis_list_t list = inout_axes->operands[0];
  axis_list_t results = {.count = 0};
  int64_t dims[TYPE_RANK_MAX];
  int64_t result_dims[TYPE_RANK_MAX];
  for (uint32_t dim = 0; dim < list.count; dim++) {
    const axis_t *axis = &inout_axes->items[list.axes[dim]];
    dims[dim] = axis->size;
    if (axis->role == AXIS_TERM) {
      dimension_list_append(&attributes->dimensions, dim);
    } else {
      result_dims[results.count] = axis->size;
      results.axes[results.count++] = list.axes[dim];
    }
  }
  out_program->attributes = attributes;
  for (uint32_t i = 0; i < inputs; i++) {
    inout_axes->operands[i] = list;
    inout_axes->results[i] = results;
    set_shape(&out_program->operands[i], list.count, dims);
    set_shape(&out_program->results[i], results.count, result_dims);
  }
}
