/* SPDX-License-Identifier: Apache-2.0 */
/* The constraints of the specification, in an order in which each may rely on those before it. */
#include "oracles/ops/data_movement/op/op.h"

/* ---- Types ----------------------------------------------------------------------------------- */

static bool is_per_axis(const type_t *type) {
  return type->quantization != NULL && type->quantization->axis >= 0;
}

static bool has_same_element(const type_t *a, const type_t *b) {
  return a->element == b->element && quantization_equal(a->quantization, b->quantization);
}

/* The same storage and expressed types and range. */
static bool has_same_storage(const type_t *a, const type_t *b) {
  const quantization_t *one = a->quantization, *other = b->quantization;
  return a->element == b->element && one->expressed == other->expressed &&
         one->storage_min == other->storage_min && one->storage_max == other->storage_max;
}

static bool has_same_scale(const quantization_t *a, uint32_t i, const quantization_t *b,
                           uint32_t j) {
  return a->scales[i] == b->scales[j] && a->zero_points[i] == b->zero_points[j];
}

static bool has_same_scales(const quantization_t *a, const quantization_t *b) {
  if (a->count != b->count) return false;
  for (uint32_t i = 0; i < a->count; i++) {
    if (!has_same_scale(a, i, b, i)) return false;
  }
  return true;
}

/* C1 of reshape and transpose: of what is quantized per axis, the axis may be another. */
static bool has_same_element_but_axis(const type_t *operand, const type_t *result) {
  if (!is_per_axis(operand)) return has_same_element(operand, result);
  return is_per_axis(result) && has_same_storage(operand, result) &&
         has_same_scales(operand->quantization, result->quantization);
}

static bool has_arity(const program_t *program) {
  return program->operand_count == 1 && program->result_count == 1;
}

/* The product of the sizes of dimensions first .. end - 1.  It cannot overflow: a tensor's sizes,
 * 0 counting as 1, have a product below 2^25. */
static int64_t extent(const type_t *type, uint32_t first, uint32_t end) {
  int64_t product = 1;
  for (uint32_t dim = first; dim < end; dim++) product *= type->dims[dim];
  return product;
}

/* ---- The four ops ---------------------------------------------------------------------------- */

const char *movement_reshape_validate(const program_t *program) {
  if (!has_arity(program)) return "arity";
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  if (!has_same_element_but_axis(operand, result)) return "C1";
  if (extent(operand, 0, operand->rank) != extent(result, 0, result->rank)) return "C2";
  if (!is_per_axis(operand)) return NULL;
  uint32_t from = (uint32_t)operand->quantization->axis, to = (uint32_t)result->quantization->axis;
  bool is_kept = extent(operand, 0, from) == extent(result, 0, to) &&
                 operand->dims[from] == result->dims[to] &&
                 extent(operand, from + 1, operand->rank) == extent(result, to + 1, result->rank);
  return is_kept ? NULL : "C3";
}

const char *movement_transpose_validate(const program_t *program) {
  if (!has_arity(program)) return "arity";
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  const dimension_list_t *permutation = &data_movement_attributes(program)->dimensions;
  if (!has_same_element_but_axis(operand, result)) return "C1";
  bool is_permutation = permutation->count == operand->rank &&
                        dimension_list_in_range(permutation, operand->rank) &&
                        dimension_list_is_unique(permutation);
  if (!is_permutation) return "C2";
  if (result->rank != operand->rank) return "C3";
  for (uint32_t i = 0; i < result->rank; i++) {
    if (result->dims[i] != operand->dims[permutation->dims[i]]) return "C3";
  }
  if (!is_per_axis(result)) return NULL;
  bool is_kept = operand->quantization->axis == permutation->dims[result->quantization->axis];
  return is_kept ? NULL : "C4";
}

static bool has_broadcast_element(const type_t *operand, const type_t *result) {
  if (!is_per_axis(operand)) return has_same_element(operand, result);
  return is_per_axis(result) && has_same_storage(operand, result);
}

static const char *validate_broadcast_scales(const program_t *program) {
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  const quantization_t *from = operand->quantization, *to = result->quantization;
  const dimension_list_t *dimensions = &data_movement_attributes(program)->dimensions;
  if (to->axis != dimensions->dims[from->axis]) return "C6";
  for (uint32_t i = 0; i < to->count && operand->dims[from->axis] == 1; i++) {
    if (!has_same_scale(from, 0, to, i)) return "C6";
  }
  return NULL;
}

const char *movement_broadcast_validate(const program_t *program) {
  if (!has_arity(program)) return "arity";
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  const dimension_list_t *dimensions = &data_movement_attributes(program)->dimensions;
  if (!has_broadcast_element(operand, result)) return "C1";
  if (dimensions->count != operand->rank) return "C2";
  if (!dimension_list_in_range(dimensions, result->rank)) return "C3";
  if (!dimension_list_is_unique(dimensions)) return "C4";
  for (uint32_t i = 0; i < operand->rank; i++) {
    bool fits = operand->dims[i] == 1 || operand->dims[i] == result->dims[dimensions->dims[i]];
    if (!fits) return "C5";
  }
  return is_per_axis(operand) ? validate_broadcast_scales(program) : NULL;
}

bool data_movement_is_defined(const program_t *program) {
  const type_t *operand = &program->operands[0];
  bool is_broadcast = data_movement_of(program) == MOVEMENT_BROADCAST;
  if (!is_broadcast || !is_per_axis(operand)) return true;
  const quantization_t *quantization = operand->quantization;
  return operand->dims[quantization->axis] == 1 ||
         has_same_scales(quantization, program->results[0].quantization);
}

/* Whether the shapes are alike but for dimension `except`. */
static bool has_shape_but(const type_t *a, const type_t *b, int64_t except) {
  if (a->rank != b->rank) return false;
  for (uint32_t i = 0; i < a->rank; i++) {
    if (a->dims[i] != b->dims[i] && i != (uint32_t)except) return false;
  }
  return true;
}

const char *movement_concatenate_validate(const program_t *program) {
  const type_t *operands = program->operands, *result = &program->results[0];
  int64_t dimension = data_movement_attributes(program)->dimension;
  if (program->result_count != 1) return "arity";
  if (program->operand_count == 0) return "C3";
  int64_t size = 0;
  bool is_typed_alike = true;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (is_per_axis(&operands[i])) return "types";
    is_typed_alike = is_typed_alike && has_same_element(&operands[0], &operands[i]);
  }
  if (!is_typed_alike) return "C1";
  if (dimension < 0 || dimension >= operands[0].rank) return "C4";
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!has_shape_but(&operands[0], &operands[i], dimension)) return "C2";
    size += operands[i].dims[dimension];
  }
  if (!has_same_element(&operands[0], result)) return "C5";
  bool fits = has_shape_but(&operands[0], result, dimension) && result->dims[dimension] == size;
  return fits ? NULL : "C6";
}
