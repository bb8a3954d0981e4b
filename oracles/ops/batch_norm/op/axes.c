/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of both ops: the channels are batches, all other dimensions terms.  Operands and results by
 * channel have that axis alone. */
#include "oracles/ops/batch_norm/batch_norm.h"

static axis_list_t find_channel(const axes_t *axes, const axis_list_t *list) {
  axis_list_t channel = {.count = 0};
  for (uint32_t dim = 0; dim < list->count; dim++) {
    if (axes->items[list->axes[dim]].role != AXIS_BATCH) continue;
    channel.axes[channel.count++] = list->axes[dim];
  }
  return channel;
}

/* The lists of all tensors from that of the first operand. */
static void set_lists(const program_t *program, axes_t *inout_axes) {
  const axis_list_t whole = inout_axes->operands[0];
  const axis_list_t channel = find_channel(inout_axes, &whole);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    inout_axes->operands[i] = batch_norm_is_whole(program, i) ? whole : channel;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    inout_axes->results[i] = i == 0 ? whole : channel;
  }
}

void batch_norm_axes(const program_t *program, axes_t *out_axes) {
  const type_t *operand = &program->operands[0];
  int64_t feature = batch_norm_attributes(program)->feature_index;
  out_axes->count = out_axes->operands[0].count = operand->rank;
  for (uint32_t dim = 0; dim < operand->rank; dim++) {
    out_axes->items[dim].role = dim == feature ? AXIS_BATCH : AXIS_TERM;
    out_axes->items[dim].size = operand->dims[dim];
    out_axes->operands[0].axes[dim] = dim;
  }
  set_lists(program, out_axes);
}

/* The element type, quantized or not, in another shape. */
static type_t reshape(const type_t *type, uint32_t rank, const int64_t *dims) {
  type_t out = type_make(type->element, rank, dims);
  out.quantization = type->quantization;
  return out;
}

void batch_norm_with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                          program_t *out_program) {
  const axis_list_t *list = &inout_axes->operands[0];
  batch_norm_attributes_t *attributes = ARENA_NEW_ARRAY(arena, batch_norm_attributes_t, 1);
  *attributes = *batch_norm_attributes(program);
  int64_t dims[TYPE_RANK_MAX];
  for (uint32_t dim = 0; dim < list->count; dim++) {
    const axis_t *axis = &inout_axes->items[list->axes[dim]];
    dims[dim] = axis->size;
    if (axis->role == AXIS_BATCH) attributes->feature_index = dim;
  }
  const int64_t *channels = &dims[attributes->feature_index];
  out_program->attributes = attributes;
  set_lists(program, inout_axes);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    bool is_whole = batch_norm_is_whole(program, i);
    out_program->operands[i] = is_whole ? reshape(&program->operands[i], list->count, dims)
                                        : reshape(&program->operands[i], 1, channels);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_program->results[i] = i == 0 ? reshape(&program->results[i], list->count, dims)
                                     : reshape(&program->results[i], 1, channels);
  }
}
