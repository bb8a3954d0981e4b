/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions with what stands before and behind them. */
#include "oracles/ops/module/op/patterns.h"

static const char *const bodies[] = {"add", "add", "add", "maximum", "minimum", NULL};

/* A shape with a dimension that is combined; its place is told. */
static type_t draw_rows(sketch_t *sketch, const element_t *element, uint32_t *out_dim) {
  type_t type = sketch_shape(sketch, element, 1, 4);
  *out_dim = (uint32_t)rng_below(sketch->rng, type.rank);
  int64_t others = 1;
  for (uint32_t i = 0; i < type.rank; i++) others *= i == *out_dim ? 1 : type.dims[i];
  int64_t most = MIN(sketch->limits->terms_max, sketch->limits->elements_max / MAX(others, 1));
  type.dims[*out_dim] = sketch_terms(sketch, most);
  return type;
}

/* Along all other dimensions than `dim`. */
static sketch_value_t spread_over_rows(sketch_t *sketch, sketch_value_t value, uint32_t dim,
                                       const type_t *shape) {
  int64_t dims[TYPE_RANK_MAX] = {0};
  uint32_t count = 0;
  for (uint32_t i = 0; i < shape->rank; i++) {
    if (i != dim) dims[count++] = i;
  }
  return sketch_broadcast(sketch, value, dims, shape);
}

/* What kernels fuse into a reduction: a maximum with zero, a negation, a number added, a product,
 * or another step. */
static sketch_value_t prepare(sketch_t *sketch, sketch_value_t value) {
  const type_t type = *sketch_type(sketch, value);
  const type_t scalar = type_make(type.element, 0, NULL);
  sketch_value_t number;
  switch (rng_below(sketch->rng, 6)) {
    case 0:
      return pattern_relu(sketch, value);
    case 1:
      return sketch_unary(sketch, "negate", value);
    case 2:
      number = sketch_splat(sketch, &scalar, (double)rng_between(sketch->rng, 1, 5));
      return sketch_binary(sketch, "add", value, sketch_spread(sketch, number, 0, &type));
    case 3:
      return sketch_binary(sketch, "multiply", value, sketch_weight(sketch, &type));
    default:
      return pattern_touch(sketch, value);
  }
}

static pattern_returns_t reduce_computed(sketch_t *sketch) {
  uint32_t dim;
  const type_t type = draw_rows(sketch, sketch_number(sketch), &dim);
  sketch_value_t value = prepare(sketch, sketch_argument(sketch, &type));
  if (rng_one_in(sketch->rng, 6)) value = pattern_touch(sketch, value);
  value = sketch_reduce(sketch, sketch_one_of(sketch, bodies), value, dim);
  if (rng_one_in(sketch->rng, 2)) value = pattern_touch(sketch, value);
  return pattern_return(value);
}

/* A sum and a maximum; a sum and a sum of squares. */
static pattern_returns_t reduce_twice(sketch_t *sketch) {
  uint32_t dim;
  rng_t *rng = sketch->rng;
  const type_t type = draw_rows(sketch, sketch_number(sketch), &dim);
  sketch_value_t value = sketch_argument(sketch, &type);
  if (rng_one_in(rng, 2)) value = pattern_touch(sketch, value);
  bool has_squares = rng_one_in(rng, 2);
  sketch_value_t other = has_squares ? sketch_binary(sketch, "multiply", value, value) : value;
  sketch_value_t first = sketch_reduce(sketch, "add", value, dim);
  const char *body = has_squares ? "add" : rng_one_in(rng, 2) ? "maximum" : "minimum";
  sketch_value_t second = sketch_reduce(sketch, body, other, dim);
  if (rng_one_in(rng, 2)) return pattern_return_both(first, second);
  static const char *const names[] = {"add", "subtract", "multiply", "maximum", NULL};
  return pattern_return(sketch_binary(sketch, sketch_one_of(sketch, names), first, second));
}

/* x - max(x), x - sum(x) / n, and what is reduced of it. */
static pattern_returns_t reduce_deviations(sketch_t *sketch) {
  uint32_t dim;
  rng_t *rng = sketch->rng;
  const type_t type = draw_rows(sketch, sketch_float(sketch), &dim);
  sketch_value_t value = sketch_argument(sketch, &type);
  const char *body = rng_one_in(rng, 2) ? "add" : "maximum";
  sketch_value_t row = sketch_reduce(sketch, body, value, dim);
  if (strcmp(body, "add") == 0 && rng_one_in(rng, 2)) {
    const type_t rows = *sketch_type(sketch, row);
    double factor = 1 / (double)type.dims[dim];
    const type_t scalar = type_make(rows.element, 0, NULL);
    sketch_value_t number = sketch_spread(sketch, sketch_splat(sketch, &scalar, factor), 0, &rows);
    row = sketch_binary(sketch, "multiply", row, number);
  }
  value = sketch_binary(sketch, "subtract", value, spread_over_rows(sketch, row, dim, &type));
  if (rng_one_in(rng, 2)) return pattern_return(value);
  sketch_value_t squares = sketch_binary(sketch, "multiply", value, value);
  return pattern_return(sketch_reduce(sketch, "add", squares, dim));
}

/* 16-bit numbers, computed with in f32 between. */
static pattern_returns_t reduce_wider(sketch_t *sketch) {
  uint32_t dim;
  rng_t *rng = sketch->rng;
  const element_t *narrow = element_named(rng_one_in(rng, 3) ? "f16" : "bf16");
  const type_t type = draw_rows(sketch, narrow, &dim);
  sketch_value_t value = sketch_argument(sketch, &type);
  if (rng_one_in(rng, 3)) value = pattern_touch(sketch, value);
  value = sketch_convert(sketch, value, element_named("f32"));
  if (rng_one_in(rng, 2)) value = pattern_touch(sketch, value);
  value = sketch_reduce(sketch, "add", value, dim);
  value = sketch_convert(sketch, value, narrow);
  if (rng_one_in(rng, 3)) value = pattern_touch(sketch, value);
  return pattern_return(value);
}

/* One dimension after the other. */
static pattern_returns_t reduce_again(sketch_t *sketch) {
  rng_t *rng = sketch->rng;
  const type_t type = sketch_shape(sketch, sketch_number(sketch), 2, 4);
  sketch_value_t value = sketch_argument(sketch, &type);
  const char *body = sketch_one_of(sketch, bodies);
  value = sketch_reduce(sketch, body, value, (uint32_t)rng_below(rng, type.rank));
  if (rng_one_in(rng, 2)) value = pattern_touch(sketch, value);
  if (rng_one_in(rng, 3)) body = sketch_one_of(sketch, bodies);
  return pattern_return(
      sketch_reduce(sketch, body, value, (uint32_t)rng_below(rng, type.rank - 1)));
}

pattern_returns_t pattern_reductions(sketch_t *sketch) {
  static pattern_t *const kinds[] = {reduce_computed,   reduce_computed, reduce_twice,
                                     reduce_deviations, reduce_wider,    reduce_again};
  return kinds[rng_below(sketch->rng, G_N_ELEMENTS(kinds))](sketch);
}
