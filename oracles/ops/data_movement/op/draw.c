/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of the four ops, and data in which it shows where each element went. */
#include "harness/draw/draw.h"
#include "harness/draw/draw_quantization.h"
#include "oracles/ops/data_movement/op/op.h"

/* ---- Types ----------------------------------------------------------------------------------- */

static uint32_t rank_limit(const draw_limits_t *limits) {
  return MIN(limits->rank_max, (uint32_t)TYPE_RANK_MAX);
}

static uint32_t draw_rank(rng_t *rng, const draw_limits_t *limits, uint32_t smallest) {
  return (uint32_t)rng_between(rng, smallest, MAX(rank_limit(limits), smallest));
}

static type_t draw_shape(rng_t *rng, const draw_limits_t *limits, uint32_t rank) {
  type_t shape = {.rank = rank};
  int64_t left = limits->elements_max;
  for (uint32_t i = 0; i < rank; i++) {
    shape.dims[i] = draw_size(rng, limits->sizes, left);
    left /= MAX(shape.dims[i], 1);
  }
  return shape;
}

/* Any element type; one time in three a quantized one, half of those per axis where that is
 * possible. */
static void draw_type(rng_t *rng, arena_t *arena, bool may_be_per_axis, type_t *inout_type) {
  inout_type->element = draw_element(rng, NULL, NULL);
  if (!rng_one_in(rng, 3)) return;
  int32_t axis = -1;
  if (may_be_per_axis && inout_type->rank > 0 && rng_one_in(rng, 2)) {
    int32_t dim = (int32_t)rng_below(rng, inout_type->rank);
    if (type_takes_axis(inout_type, dim)) axis = dim;
  }
  inout_type->element = draw_storage_element(rng);
  draw_quantization(rng, arena, draw_expressed_element(rng), axis, false, inout_type);
}

static bool is_per_axis(const type_t *type) {
  return type->quantization != NULL && type->quantization->axis >= 0;
}

/* A quantized type's parameters along another dimension, in the arena. */
static const quantization_t *along_axis(const quantization_t *quantization, int32_t axis,
                                        arena_t *arena) {
  quantization_t *along = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *along = *quantization;
  along->axis = axis;
  return along;
}

/* `count` times the first scale and zero point, along another dimension, in the arena. */
static const quantization_t *repeated_along(const quantization_t *quantization, int32_t axis,
                                            uint32_t count, arena_t *arena) {
  quantization_t *repeated = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  double *scales = ARENA_NEW_ARRAY(arena, double, count);
  int64_t *zero_points = ARENA_NEW_ARRAY(arena, int64_t, count);
  for (uint32_t i = 0; i < count; i++) {
    scales[i] = quantization->scales[0];
    zero_points[i] = quantization->zero_points[0];
  }
  *repeated = *quantization;
  repeated->axis = axis;
  repeated->count = count;
  repeated->scales = scales;
  repeated->zero_points = zero_points;
  return repeated;
}

static data_movement_attributes_t *make_program(const op_t *op, uint32_t operand_count,
                                                arena_t *arena, program_t *out_program) {
  data_movement_attributes_t *attributes = ARENA_NEW_ARRAY(arena, data_movement_attributes_t, 1);
  *attributes = (data_movement_attributes_t){.dimension = 0};
  *out_program = (program_t){
      .op = op, .attributes = attributes, .operand_count = operand_count, .result_count = 1};
  return attributes;
}

/* ---- Reshape --------------------------------------------------------------------------------- */

/* Appends `rank` sizes whose product is `product`, which is 1 if there are none. */
static void append_sizes(rng_t *rng, int64_t product, uint32_t rank, type_t *inout_shape) {
  int64_t *dims = inout_shape->dims + inout_shape->rank;
  inout_shape->rank += rank;
  for (uint32_t i = 0; i < rank; i++) dims[i] = product == 0 ? rng_between(rng, 0, 3) : 1;
  if (product == 0) {
    dims[rng_below(rng, rank)] = 0;
    return;
  }
  for (int64_t factor = 2; product > 1; factor++) {
    if (factor * factor > product) factor = product;
    for (; product % factor == 0; product /= factor) dims[rng_below(rng, rank)] *= factor;
  }
}

static int64_t extent(const type_t *type, uint32_t first, uint32_t end) {
  int64_t product = 1;
  for (uint32_t dim = first; dim < end; dim++) product *= type->dims[dim];
  return product;
}

/* A rank for sizes of that product, at most `largest`, which is at least 1 unless the product is 1.
 */
static uint32_t draw_part_rank(rng_t *rng, int64_t product, uint32_t largest) {
  return (uint32_t)rng_between(rng, product == 1 ? 0 : 1, largest);
}

void movement_reshape_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                           program_t *out_program) {
  make_program(&movement_reshape_op, 1, arena, out_program);
  type_t operand = draw_shape(rng, limits, draw_rank(rng, limits, 0));
  draw_type(rng, arena, true, &operand);
  type_t result = {.element = operand.element, .quantization = operand.quantization};
  uint32_t rank_max = MAX(rank_limit(limits), operand.rank);
  if (!is_per_axis(&operand)) {
    int64_t product = extent(&operand, 0, operand.rank);
    append_sizes(rng, product, draw_part_rank(rng, product, rank_max), &result);
  } else {
    uint32_t axis = (uint32_t)operand.quantization->axis;
    int64_t before = extent(&operand, 0, axis), after = extent(&operand, axis + 1, operand.rank);
    uint32_t kept = after == 1 ? 1 : 2; /* Dimensions that the rest needs at least. */
    append_sizes(rng, before, draw_part_rank(rng, before, rank_max - kept), &result);
    int32_t moved = (int32_t)result.rank;
    result.dims[result.rank++] = operand.dims[axis];
    append_sizes(rng, after, draw_part_rank(rng, after, rank_max - result.rank), &result);
    result.quantization = along_axis(operand.quantization, moved, arena);
  }
  out_program->operands[0] = operand;
  out_program->results[0] = result;
}

/* ---- Transpose ------------------------------------------------------------------------------- */

void movement_transpose_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                             program_t *out_program) {
  data_movement_attributes_t *attributes =
      make_program(&movement_transpose_op, 1, arena, out_program);
  uint32_t rank = draw_rank(rng, limits, 0);
  if (rank < 2) rank = draw_rank(rng, limits, 0); /* Such a transpose moves nothing. */
  type_t operand = draw_shape(rng, limits, rank);
  draw_type(rng, arena, true, &operand);
  type_t result = operand;
  attributes->dimensions = draw_permutation(rng, rank);
  for (uint32_t i = 0; i < rank; i++) {
    int64_t from = attributes->dimensions.dims[i];
    result.dims[i] = operand.dims[from];
    if (is_per_axis(&operand) && operand.quantization->axis == from) {
      result.quantization = along_axis(operand.quantization, (int32_t)i, arena);
    }
  }
  out_program->operands[0] = operand;
  out_program->results[0] = result;
}

/* ---- Broadcast ------------------------------------------------------------------------------- */

/* Some of the result's dimensions, ascending as a rule. */
static dimension_list_t draw_broadcast_dimensions(rng_t *rng, uint32_t result_rank) {
  dimension_list_t all = draw_permutation(rng, result_rank);
  uint32_t count = (uint32_t)rng_between(rng, 0, result_rank);
  dimension_list_t chosen = {.count = 0};
  bool ascend = !rng_one_in(rng, 3);
  for (uint32_t i = 0; i < count; i++) dimension_list_append(&chosen, all.dims[i]);
  if (!ascend) return chosen;
  dimension_list_t ascending = {.count = 0};
  for (uint32_t dim = 0; dim < result_rank; dim++) {
    if (dimension_list_contains(&chosen, dim)) dimension_list_append(&ascending, dim);
  }
  return ascending;
}

static const quantization_t *broadcast_quantization(const type_t *operand, const type_t *result,
                                                    const dimension_list_t *dimensions,
                                                    arena_t *arena) {
  const quantization_t *quantization = operand->quantization;
  int32_t axis = (int32_t)dimensions->dims[quantization->axis];
  if (operand->dims[quantization->axis] != 1) return along_axis(quantization, axis, arena);
  return repeated_along(quantization, axis, (uint32_t)result->dims[axis], arena);
}

void movement_broadcast_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                             program_t *out_program) {
  data_movement_attributes_t *attributes =
      make_program(&movement_broadcast_op, 1, arena, out_program);
  type_t result = draw_shape(rng, limits, draw_rank(rng, limits, 0));
  const dimension_list_t dimensions = draw_broadcast_dimensions(rng, result.rank);
  type_t operand = {.rank = dimensions.count};
  bool may_be_per_axis = true;
  for (uint32_t i = 0; i < dimensions.count; i++) {
    int64_t size = result.dims[dimensions.dims[i]];
    may_be_per_axis = may_be_per_axis && type_takes_axis(&result, dimensions.dims[i]);
    operand.dims[i] = rng_one_in(rng, 3) ? 1 : size;
  }
  attributes->dimensions = dimensions;
  draw_type(rng, arena, may_be_per_axis, &operand);
  result.element = operand.element;
  result.quantization = operand.quantization;
  if (is_per_axis(&operand)) {
    result.quantization = broadcast_quantization(&operand, &result, &dimensions, arena);
  }
  out_program->operands[0] = operand;
  out_program->results[0] = result;
}

/* ---- Concatenate ----------------------------------------------------------------------------- */

void movement_concatenate_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                               program_t *out_program) {
  uint32_t count = (uint32_t)rng_between(rng, 1, rng_one_in(rng, 4) ? CASE_OPERANDS_MAX : 3);
  data_movement_attributes_t *attributes =
      make_program(&movement_concatenate_op, count, arena, out_program);
  type_t shape = draw_shape(rng, limits, draw_rank(rng, limits, 1));
  draw_type(rng, arena, false, &shape);
  uint32_t dimension = (uint32_t)rng_below(rng, shape.rank);
  shape.dims[dimension] = 1;
  int64_t slices = 1; /* Elements that a size of 1 more brings. */
  for (uint32_t i = 0; i < shape.rank; i++) slices *= MAX(shape.dims[i], 1);
  int64_t left = limits->elements_max / slices;
  type_t result = shape;
  result.dims[dimension] = 0;
  for (uint32_t i = 0; i < count; i++) {
    type_t *operand = &out_program->operands[i];
    *operand = shape;
    operand->dims[dimension] = draw_size(rng, limits->sizes, left);
    left -= operand->dims[dimension];
    result.dims[dimension] += operand->dims[dimension];
  }
  attributes->dimension = dimension;
  out_program->results[0] = result;
}
