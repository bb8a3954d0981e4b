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

/* The product of the sizes of dimensions first .. end - 1.  It cannot overflow: a tensor's sizes,
 * 0 counting as 1, have a product below 2^25. */
static int64_t extent(const type_t *type, uint32_t first, uint32_t end) {
  int64_t product = 1;
  for (uint32_t dim = first; dim < end; dim++) product *= type->dims[dim];
  return product;
}

/* ---- reshape and transpose ------------------------------------------------------------------- */

static bool keeps_element_but_axis(const program_t *program) {
  return has_same_element_but_axis(&program->operands[0], &program->results[0]);
}

static bool reshapes_all(const program_t *program) {
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  return extent(operand, 0, operand->rank) == extent(result, 0, result->rank);
}

static bool reshapes_axis(const program_t *program) {
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  if (!is_per_axis(operand)) return true;
  uint32_t from = (uint32_t)operand->quantization->axis, to = (uint32_t)result->quantization->axis;
  return extent(operand, 0, from) == extent(result, 0, to) &&
         operand->dims[from] == result->dims[to] &&
         extent(operand, from + 1, operand->rank) == extent(result, to + 1, result->rank);
}

#define ARITY                                                                              \
  OP_FORBIDDEN("arity", "there are one operand and one result", "inputs (I1) and outputs", \
               program_is_unary)
#define SAME_ELEMENT_BUT_AXIS                                                            \
  "the result has the element type of the operand, but that of quantized types along a " \
  "dimension, that may be another one"

const op_constraint_t movement_reshape_constraints[] = {
    ARITY,
    OP_SPECIFIED("C1", SAME_ELEMENT_BUT_AXIS, keeps_element_but_axis),
    OP_SPECIFIED("C2", "the result has any shape of as many elements as the operand has",
                 reshapes_all),
    OP_SPECIFIED("C3",
                 "the quantized dimension has the same size in operand and result, and so have all "
                 "dimensions "
                 "before it together, and all behind it",
                 reshapes_axis),
    OP_CONSTRAINTS_END,
};

static const dimension_list_t *dimensions_of(const program_t *program) {
  return &data_movement_attributes(program)->dimensions;
}

static bool is_permutation(const program_t *program) {
  const dimension_list_t *permutation = dimensions_of(program);
  uint32_t rank = program->operands[0].rank;
  return permutation->count == rank && dimension_list_in_range(permutation, rank) &&
         dimension_list_is_unique(permutation);
}

static bool permutes_sizes(const program_t *program) {
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  if (result->rank != operand->rank) return false;
  for (uint32_t i = 0; i < result->rank; i++) {
    if (result->dims[i] != operand->dims[dimensions_of(program)->dims[i]]) return false;
  }
  return true;
}

static bool permutes_axis(const program_t *program) {
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  return !is_per_axis(result) ||
         operand->quantization->axis == dimensions_of(program)->dims[result->quantization->axis];
}

const op_constraint_t movement_transpose_constraints[] = {
    ARITY,
    OP_SPECIFIED("C1", SAME_ELEMENT_BUT_AXIS, keeps_element_but_axis),
    OP_SPECIFIED("C2", "permutation holds each dimension of the operand once", is_permutation),
    OP_SPECIFIED("C3",
                 "the sizes of the result are those of the operand in the order of the permutation",
                 permutes_sizes),
    OP_SPECIFIED("C4", "the quantized dimension goes where the permutation puts it", permutes_axis),
    OP_CONSTRAINTS_END,
};

/* ---- broadcast_in_dim ------------------------------------------------------------------------ */

static bool broadcasts_element(const program_t *program) {
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  if (!is_per_axis(operand)) return has_same_element(operand, result);
  return is_per_axis(result) && has_same_storage(operand, result);
}

static bool broadcasts_all(const program_t *program) {
  return dimensions_of(program)->count == program->operands[0].rank;
}

static bool broadcasts_in_range(const program_t *program) {
  return dimension_list_in_range(dimensions_of(program), program->results[0].rank);
}

static bool broadcasts_once(const program_t *program) {
  return dimension_list_is_unique(dimensions_of(program));
}

static bool broadcasts_sizes(const program_t *program) {
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  for (uint32_t i = 0; i < operand->rank; i++) {
    int64_t size = result->dims[dimensions_of(program)->dims[i]];
    if (operand->dims[i] != 1 && operand->dims[i] != size) return false;
  }
  return true;
}

static bool broadcasts_scales(const program_t *program) {
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  if (!is_per_axis(operand)) return true;
  const quantization_t *from = operand->quantization, *to = result->quantization;
  if (to->axis != dimensions_of(program)->dims[from->axis]) return false;
  for (uint32_t i = 0; i < to->count && operand->dims[from->axis] == 1; i++) {
    if (!has_same_scale(from, 0, to, i)) return false;
  }
  return true;
}

const op_constraint_t movement_broadcast_constraints[] = {
    ARITY,
    OP_SPECIFIED(
        "C1",
        "the result has the element type of the operand, but that of types quantized along a "
        "dimension, that and the scales and zero points may be others",
        broadcasts_element),
    OP_SPECIFIED("C2", "broadcast_dimensions has an entry for each dimension of the operand",
                 broadcasts_all),
    OP_SPECIFIED("C3", "broadcast_dimensions are at least 0 and below the rank of the result",
                 broadcasts_in_range),
    OP_SPECIFIED("C4", "no dimension is twice in broadcast_dimensions", broadcasts_once),
    OP_SPECIFIED(
        "C5",
        "the result has any shape in which each size of the operand that is not 1 is that of its "
        "dimension",
        broadcasts_sizes),
    OP_SPECIFIED("C6",
                 "the quantized dimension goes where broadcast_dimensions puts it, and if its size "
                 "is 1, the "
                 "result repeats its scale and zero point",
                 broadcasts_scales),
    OP_CONSTRAINTS_END,
};

bool data_movement_is_defined(const program_t *program) {
  const type_t *operand = &program->operands[0];
  bool is_broadcast = data_movement_of(program) == MOVEMENT_BROADCAST;
  if (!is_broadcast || !is_per_axis(operand)) return true;
  const quantization_t *quantization = operand->quantization;
  return operand->dims[quantization->axis] == 1 ||
         has_same_scales(quantization, program->results[0].quantization);
}

/* ---- concatenate ----------------------------------------------------------------------------- */

static bool has_result(const program_t *program) { return program->result_count == 1; }

static bool has_operand(const program_t *program) { return program->operand_count > 0; }

static bool concatenates_whole(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (is_per_axis(&program->operands[i])) return false;
  }
  return true;
}

static bool concatenates_one_element(const program_t *program) {
  for (uint32_t i = 1; i < program->operand_count; i++) {
    if (!has_same_element(&program->operands[0], &program->operands[i])) return false;
  }
  return true;
}

static bool has_dimension(const program_t *program) {
  int64_t dimension = data_movement_attributes(program)->dimension;
  return dimension >= 0 && dimension < program->operands[0].rank;
}

/* Whether the shapes are alike but for dimension `except`. */
static bool has_shape_but(const type_t *a, const type_t *b, int64_t except) {
  if (a->rank != b->rank) return false;
  for (uint32_t i = 0; i < a->rank; i++) {
    if (a->dims[i] != b->dims[i] && i != (uint32_t)except) return false;
  }
  return true;
}

static bool concatenates_one_shape(const program_t *program) {
  int64_t dimension = data_movement_attributes(program)->dimension;
  for (uint32_t i = 1; i < program->operand_count; i++) {
    if (!has_shape_but(&program->operands[0], &program->operands[i], dimension)) return false;
  }
  return true;
}

static bool concatenates_to_element(const program_t *program) {
  return has_same_element(&program->operands[0], &program->results[0]);
}

static bool concatenates_to_shape(const program_t *program) {
  const type_t *result = &program->results[0];
  int64_t dimension = data_movement_attributes(program)->dimension, size = 0;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    size += program->operands[i].dims[dimension];
  }
  return has_shape_but(&program->operands[0], result, dimension) && result->dims[dimension] == size;
}

const op_constraint_t movement_concatenate_constraints[] = {
    OP_FORBIDDEN("arity", "there is one result", "outputs", has_result),
    OP_SPECIFIED("C3", "there is at least one operand", has_operand),
    OP_FORBIDDEN("types", "no operand is quantized along a dimension", "inputs (I1)",
                 concatenates_whole),
    OP_SPECIFIED("C1", "all operands have the same element type", concatenates_one_element),
    OP_SPECIFIED("C4", "dimension is at least 0 and below the rank of the operands", has_dimension),
    OP_SPECIFIED("C2", "all operands have the same shape but for the dimension",
                 concatenates_one_shape),
    OP_SPECIFIED("C5", "the result has the element type of the operands", concatenates_to_element),
    OP_SPECIFIED(
        "C6",
        "the result has the shape of the operands but for the dimension, whose size is the sum of "
        "theirs",
        concatenates_to_shape),
    OP_CONSTRAINTS_END,
};
