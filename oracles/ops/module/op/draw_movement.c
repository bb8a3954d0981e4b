/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that move data, with steps between that are exact. */
#include "oracles/ops/module/op/patterns.h"

static sketch_value_t reshape(sketch_t *sketch, sketch_value_t value) {
  const type_t from = *sketch_type(sketch, value);
  int64_t dims[TYPE_RANK_MAX];
  uint32_t rank = 0;
  bool joins = from.rank > 1 && rng_below(sketch->rng, 2) == 0;
  uint32_t place = joins ? (uint32_t)rng_below(sketch->rng, from.rank - 1) : from.rank;
  for (uint32_t i = 0; i < from.rank; i++) {
    bool is_joined = i == place + 1 && joins;
    if (is_joined) {
      dims[rank - 1] *= from.dims[i];
      continue;
    }
    int64_t divisor = from.dims[i] % 2 == 0 ? 2 : 3;
    bool splits = !joins && from.dims[i] % divisor == 0 && rank + from.rank - i < TYPE_RANK_MAX;
    if (splits) dims[rank++] = divisor;
    dims[rank++] = splits ? from.dims[i] / divisor : from.dims[i];
  }
  return sketch_reshape(sketch, value, rank, dims);
}

static sketch_value_t transpose(sketch_t *sketch, sketch_value_t value) {
  const dimension_list_t order = draw_permutation(sketch->rng, sketch_type(sketch, value)->rank);
  return sketch_transpose(sketch, value, &order);
}

/* How often as many elements there may be. */
static int64_t room_for(const sketch_t *sketch, sketch_value_t value) {
  int64_t count = (int64_t)type_element_count(sketch_type(sketch, value));
  return sketch->limits->elements_max / MAX(count, 1);
}

static sketch_value_t concatenate(sketch_t *sketch, sketch_value_t value) {
  type_t type = *sketch_type(sketch, value);
  uint32_t dim = (uint32_t)rng_below(sketch->rng, type.rank);
  bool is_itself = rng_one_in(sketch->rng, 3);
  if (!is_itself) type.dims[dim] = rng_between(sketch->rng, 1, type.dims[dim]);
  const sketch_value_t both[] = {value, is_itself ? value : sketch_weight(sketch, &type)};
  const sketch_value_t swapped[] = {both[1], both[0]};
  return sketch_concatenate(sketch, rng_one_in(sketch->rng, 2) ? both : swapped, 2, dim);
}

/* Along a new dimension, at a drawn place. */
static sketch_value_t broadcast(sketch_t *sketch, sketch_value_t value) {
  const type_t from = *sketch_type(sketch, value);
  uint32_t added = (uint32_t)rng_below(sketch->rng, from.rank + 1);
  type_t shape = from;
  int64_t dims[TYPE_RANK_MAX] = {0};
  shape.rank = from.rank + 1;
  for (uint32_t i = 0; i < from.rank; i++) {
    dims[i] = i < added ? i : i + 1;
    shape.dims[dims[i]] = from.dims[i];
  }
  shape.dims[added] = rng_between(sketch->rng, 1, CLAMP(room_for(sketch, value), 1, 3));
  return sketch_broadcast(sketch, value, dims, &shape);
}

static sketch_value_t move(sketch_t *sketch, sketch_value_t value) {
  uint32_t rank = sketch_type(sketch, value)->rank;
  switch (rng_below(sketch->rng, 6)) {
    case 0:
      return reshape(sketch, value);
    case 1:
    case 2:
      return rank > 1 ? transpose(sketch, value) : reshape(sketch, value);
    case 3:
      return rank > 0 && room_for(sketch, value) > 1 ? concatenate(sketch, value)
                                                     : reshape(sketch, value);
    default:
      return rank + 2 < TYPE_RANK_MAX ? broadcast(sketch, value) : reshape(sketch, value);
  }
}

static sketch_value_t step_exactly(sketch_t *sketch, sketch_value_t value) {
  static const char *const names[] = {"maximum", "minimum", NULL};
  const type_t type = *sketch_type(sketch, value);
  switch (rng_below(sketch->rng, 3)) {
    case 0:
      return sketch_unary(sketch, "negate", value);
    case 1:
      return pattern_relu(sketch, value);
    default:
      return sketch_binary(sketch, sketch_one_of(sketch, names), value,
                           sketch_weight(sketch, &type));
  }
}

/* Transposes of a cube: all orders of dimensions have its shape. */
static pattern_returns_t turn_cube(sketch_t *sketch) {
  rng_t *rng = sketch->rng;
  int64_t size = rng_between(rng, 2, 3);
  const int64_t dims[] = {size, size, size};
  bool has_room = size * size * size <= sketch->limits->elements_max;
  const type_t type = type_make(sketch_number(sketch), has_room ? 3 : 1, dims);
  sketch_value_t value = transpose(sketch, sketch_argument(sketch, &type));
  if (rng_one_in(rng, 2)) value = step_exactly(sketch, value);
  if (rng_below(rng, 3) > 0) value = transpose(sketch, value);
  return pattern_return(rng_one_in(rng, 3) ? pattern_touch(sketch, value) : value);
}

pattern_returns_t pattern_movement(sketch_t *sketch) {
  rng_t *rng = sketch->rng;
  if (rng_one_in(rng, 4)) return turn_cube(sketch);
  const draw_limits_t *limits = sketch->limits;
  draw_limits_t smaller = *limits;
  /* What is made is larger. */
  smaller.elements_max = MAX(limits->elements_max / 64, MIN(limits->elements_max, 12));
  sketch->limits = &smaller;
  const type_t type = sketch_shape(sketch, sketch_number(sketch), 1, 4);
  sketch->limits = limits;
  sketch_value_t value = move(sketch, sketch_argument(sketch, &type));
  if (rng_one_in(rng, 2)) value = step_exactly(sketch, value);
  value = move(sketch, value);
  if (rng_one_in(rng, 2)) value = pattern_touch(sketch, value);
  if (rng_one_in(rng, 2)) value = move(sketch, value);
  return pattern_return(value);
}
