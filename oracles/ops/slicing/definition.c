/* SPDX-License-Identifier: Apache-2.0 */
/* Where one element comes from, by the formulas of the specification, on indices. */
#include <math.h>
#include <string.h>

#include "oracles/ops/slicing/sources.h"

static void find_indices(const type_t *type, size_t number, int64_t out_indices[TYPE_RANK_MAX]) {
  for (uint32_t dim = type->rank; dim-- > 0;) {
    out_indices[dim] = (int64_t)(number % (size_t)type->dims[dim]);
    number /= (size_t)type->dims[dim];
  }
}

static int64_t find_number(const type_t *type, const int64_t indices[TYPE_RANK_MAX]) {
  int64_t number = 0;
  for (uint32_t dim = 0; dim < type->rank; dim++) number = number * type->dims[dim] + indices[dim];
  return number;
}

static slicing_source_t element_of(uint32_t operand, const type_t *type,
                                   const int64_t indices[TYPE_RANK_MAX]) {
  return (slicing_source_t){.operand = operand, .number = find_number(type, indices)};
}

/* result_index[d] = edge_padding_low[d] + operand_index[d] * (interior_padding[d] + 1). */
static slicing_source_t define_pad(const program_t *program, int64_t index[TYPE_RANK_MAX]) {
  const slicing_attributes_t *attributes = slicing_attributes(program);
  const type_t *operand = &program->operands[0];
  for (uint32_t dim = 0; dim < operand->rank; dim++) {
    int64_t distance = index[dim] - attributes->low.dims[dim];
    int64_t step = attributes->between.dims[dim] + 1;
    bool is_element = distance >= 0 && distance % step == 0 && distance / step < operand->dims[dim];
    if (!is_element) return (slicing_source_t){.operand = 1};
    index[dim] = distance / step;
  }
  return element_of(0, operand, index);
}

/* clamp(0, start_indices[d], shape(operand)[d] - size). */
static int64_t clamped(int64_t start, int64_t whole, int64_t size) {
  if (start < 0) return 0;
  return start > whole - size ? whole - size : start;
}

static slicing_source_t define_update(const case_t *instance, int64_t index[TYPE_RANK_MAX]) {
  const type_t *operand = &instance->program.operands[0], *update = &instance->program.operands[1];
  int64_t within[TYPE_RANK_MAX];
  for (uint32_t dim = 0; dim < operand->rank; dim++) {
    int64_t start = slicing_index(&instance->operands[2 + dim], 0);
    within[dim] = index[dim] - clamped(start, operand->dims[dim], update->dims[dim]);
    bool is_within = within[dim] >= 0 && within[dim] < update->dims[dim];
    if (!is_within) return element_of(0, operand, index);
  }
  return element_of(1, update, within);
}

/* start_indices[bi0, ..., i, ..., biN], i at index_vector_dim. */
static int64_t start_at(const case_t *instance, const int64_t batch_index[TYPE_RANK_MAX],
                        int64_t i) {
  const tensor_t *starts = &instance->operands[1];
  int64_t vector = slicing_attributes(&instance->program)->index_vector_dim;
  int64_t index[TYPE_RANK_MAX];
  uint32_t batch = 0;
  for (uint32_t dim = 0; dim < starts->type.rank; dim++) {
    index[dim] = dim == vector ? i : batch_index[batch++];
  }
  return slicing_index(starts, (size_t)find_number(&starts->type, index));
}

/* full_start_index + full_batching_index + full_offset_index. */
static slicing_source_t define_gather(const case_t *instance, const int64_t index[TYPE_RANK_MAX]) {
  const slicing_attributes_t *attributes = slicing_attributes(&instance->program);
  const type_t *operand = &instance->program.operands[0], *result = &instance->program.results[0];
  int64_t batch_index[TYPE_RANK_MAX] = {0}, offset_index[TYPE_RANK_MAX] = {0};
  int64_t from[TYPE_RANK_MAX] = {0};
  uint32_t batches = 0, offsets = 0, used = 0;
  for (uint32_t dim = 0; dim < result->rank; dim++) {
    bool is_offset = dimension_list_contains(&attributes->offset_dims, dim);
    if (is_offset) offset_index[offsets++] = index[dim];
    if (!is_offset) batch_index[batches++] = index[dim];
  }
  for (uint32_t i = 0; i < attributes->start_index_map.count; i++) {
    int64_t dim = attributes->start_index_map.dims[i];
    int64_t start = start_at(instance, batch_index, i);
    from[dim] = clamped(start, operand->dims[dim], attributes->slice_sizes.dims[dim]);
  }
  for (uint32_t i = 0; i < attributes->operand_batching_dims.count; i++) {
    int64_t batching = attributes->start_indices_batching_dims.dims[i];
    int64_t place = batching - (batching < attributes->index_vector_dim ? 0 : 1);
    from[attributes->operand_batching_dims.dims[i]] = batch_index[place];
  }
  for (uint32_t dim = 0; dim < operand->rank; dim++) {
    bool is_left_out = dimension_list_contains(&attributes->collapsed_slice_dims, dim) ||
                       dimension_list_contains(&attributes->operand_batching_dims, dim);
    if (!is_left_out) from[dim] += offset_index[used++];
  }
  return element_of(0, operand, from);
}

slicing_source_t slicing_define(const case_t *instance, size_t element) {
  const program_t *program = &instance->program;
  const slicing_attributes_t *attributes = slicing_attributes(program);
  const type_t *operand = &program->operands[0];
  int64_t index[TYPE_RANK_MAX];
  find_indices(&program->results[0], element, index);
  switch (slicing_of(program)) {
    case SLICING_SLICE: /* operand_index = start_indices + result_index * strides */
      for (uint32_t dim = 0; dim < operand->rank; dim++) {
        index[dim] = attributes->low.dims[dim] + index[dim] * attributes->between.dims[dim];
      }
      break;
    case SLICING_REVERSE: /* operand_index[d] = dim(result, d) - result_index[d] - 1 */
      for (uint32_t i = 0; i < attributes->reversed.count; i++) {
        int64_t dim = attributes->reversed.dims[i];
        index[dim] = operand->dims[dim] - index[dim] - 1;
      }
      break;
    case SLICING_DYNAMIC_SLICE: /* operand_index = adjusted_start_indices + result_index */
      for (uint32_t dim = 0; dim < operand->rank; dim++) {
        int64_t start = slicing_index(&instance->operands[1 + dim], 0);
        index[dim] += clamped(start, operand->dims[dim], attributes->slice_sizes.dims[dim]);
      }
      break;
    case SLICING_PAD:
      return define_pad(program, index);
    case SLICING_DYNAMIC_UPDATE_SLICE:
      return define_update(instance, index);
    case SLICING_GATHER:
      return define_gather(instance, index);
    default:
      return (slicing_source_t){.is_number = true, .number = index[attributes->iota_dimension]};
  }
  return element_of(0, operand, index);
}

/* An index as a number of the type; the imaginary part of a complex one is 0. */
static uint64_t number_of(const element_t *element, int64_t number, size_t part,
                          bool *out_is_open) {
  if (element->format != NULL) {
    double value = part == 0 ? (double)number : 0;
    uint64_t bits = format_from_double(element->format, value);
    *out_is_open = format_to_double(element->format, bits) != value;
    return bits;
  }
  *out_is_open = (uint64_t)number > element_integer_max(element);
  return (uint64_t)number & element_mask(element);
}

uint64_t slicing_load(const case_t *instance, slicing_source_t source, size_t part,
                      bool *out_is_open) {
  const element_t *element = instance->program.results[0].element;
  *out_is_open = false;
  if (source.is_number) return number_of(element, source.number, part, out_is_open);
  const tensor_t *operand = &instance->operands[source.operand];
  return element_load(element, operand->data, (size_t)source.number * element->components + part);
}
