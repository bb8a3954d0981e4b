/* SPDX-License-Identifier: Apache-2.0 */
/* What the ops share: their list, types of rows and lists, and random orders. */
#include "oracles/ops/data_dependent/op/op.h"

dependent_op_t dependent_op_of(const program_t *program) {
  if (program->op == &repeat_op) return DEPENDENT_REPEAT;
  if (program->op == &non_zero_op) return DEPENDENT_NON_ZERO;
  if (program->op == &partition_op) return DEPENDENT_PARTITION;
  return program->op == &stitch_op ? DEPENDENT_STITCH : DEPENDENT_SELECT;
}

size_t dependent_row_size(const type_t *type) {
  size_t size = 1;
  for (uint32_t dim = 1; dim < type->rank; dim++) size *= (size_t)type->dims[dim];
  return size;
}

int64_t dependent_integer(const tensor_t *tensor, size_t element) {
  uint64_t bits = element_load(tensor->type.element, tensor->data, element);
  bool is_signed = tensor->type.element->kind == ELEMENT_SIGNED;
  return is_signed ? element_signed_value(tensor->type.element, bits) : (int64_t)bits;
}

bool dependent_is_zero(const tensor_t *tensor, size_t element) {
  uint64_t bits = element_load(tensor->type.element, tensor->data, element);
  const format_t *format = tensor->type.element->format;
  return format == NULL ? bits == 0 : format_is_zero(format, bits);
}

static bool is_one_of(const type_t *type, const char *const *elements) {
  for (size_t i = 0; elements[i] != NULL; i++) {
    if (type->element == element_named(elements[i])) return type->quantization == NULL;
  }
  return false;
}

bool dependent_is_list(const type_t *type, const char *const *elements) {
  return type->rank == 1 && is_one_of(type, elements);
}

bool dependent_is_prefix(const type_t *type, const char *const *elements, const type_t *data) {
  if (!is_one_of(type, elements) || type->rank > data->rank) return false;
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    if (type->dims[dim] != data->dims[dim]) return false;
  }
  return true;
}

bool dependent_are_rows_behind(const type_t *rows, const type_t *prefix, const type_t *data) {
  uint32_t behind = data->rank - prefix->rank;
  if (rows->element != data->element || rows->rank != behind + 1) return false;
  if (!quantization_equal(rows->quantization, data->quantization)) return false;
  for (uint32_t dim = 0; dim < behind; dim++) {
    if (rows->dims[dim + 1] != data->dims[prefix->rank + dim]) return false;
  }
  return true;
}

bool dependent_rows_are_alike(const type_t *a, const type_t *b) {
  if (a->element != b->element || a->rank != b->rank || a->rank == 0) return false;
  if (!quantization_equal(a->quantization, b->quantization)) return false;
  for (uint32_t dim = 1; dim < a->rank; dim++) {
    if (a->dims[dim] != b->dims[dim]) return false;
  }
  return true;
}

type_t dependent_draw_rows(rng_t *rng, const draw_limits_t *limits, int64_t reserve) {
  draw_limits_t room = *limits;
  room.elements_max = MAX(limits->elements_max / MAX(reserve, 1), 1);
  dimension_list_t unused;
  return byteir_draw_shape(rng, &room, draw_element(rng, NULL, NULL), 1, 0, &unused);
}

void dependent_draw_order(rng_t *rng, size_t count, size_t *out_order) {
  for (size_t i = 0; i < count; i++) {
    size_t other = (size_t)rng_below(rng, i + 1);
    out_order[i] = out_order[other];
    out_order[other] = i;
  }
}

extern const op_t *const data_dependent_ops[];
const op_t *const data_dependent_ops[] = {&repeat_op, &non_zero_op, &partition_op,
                                          &stitch_op, &select_op,   NULL};
