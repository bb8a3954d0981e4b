/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients of quotients, by roots, by exponentials and by numbers, and scaled products, of which
 * compilers make one (theory.md, T269 to T272). */
#include "oracles/ops/module/op/patterns.h"

static sketch_value_t divide(sketch_t *sketch, sketch_value_t left, sketch_value_t right) {
  return sketch_binary(sketch, "divide", left, right);
}

/* Now and then compilers find the next step behind a movement. */
static sketch_value_t maybe_move(sketch_t *sketch, sketch_value_t value) {
  static const dimension_list_t swapped = {.count = 2, .dims = {1, 0}};
  const type_t type = *sketch_type(sketch, value);
  if (type.rank != 2 || !rng_one_in(sketch->rng, 4)) return value;
  return sketch_transpose(sketch, value, &swapped);
}

static sketch_value_t like(sketch_t *sketch, sketch_value_t value) {
  const type_t type = *sketch_type(sketch, value);
  return sketch_weight(sketch, &type);
}

/* (x / y) / z, x / (y / z), (w / x) / (y / z). */
static sketch_value_t divide_quotients(sketch_t *sketch, sketch_value_t value) {
  rng_t *rng = sketch->rng;
  uint64_t way = rng_below(rng, 3);
  sketch_value_t left = value;
  if (way != 1) left = maybe_move(sketch, divide(sketch, value, like(sketch, value)));
  sketch_value_t right = like(sketch, left);
  if (way != 0) right = divide(sketch, right, like(sketch, left));
  return divide(sketch, left, right);
}

/* By a root of a square and a number more, as in norms; by an exponential. */
static sketch_value_t divide_by_function(sketch_t *sketch, sketch_value_t value) {
  static const char *const names[] = {"sqrt", "sqrt", "rsqrt", "exponential", NULL};
  const type_t type = *sketch_type(sketch, value);
  const char *name = sketch_one_of(sketch, names);
  sketch_value_t divisor = sketch_weight(sketch, &type);
  if (strcmp(name, "exponential") != 0) {
    divisor = sketch_binary(sketch, "multiply", divisor, divisor);
    divisor = sketch_binary(sketch, "add", divisor, pattern_spread_number(sketch, &type, 1));
  }
  return divide(sketch, value, sketch_unary(sketch, name, divisor));
}

static sketch_value_t combine_exponentials(sketch_t *sketch, sketch_value_t value) {
  static const char *const signs[] = {"multiply", "divide", NULL};
  const char *name = sketch_one_of(sketch, signs);
  sketch_value_t other = sketch_unary(sketch, "exponential", like(sketch, value));
  return sketch_binary(sketch, name, sketch_unary(sketch, "exponential", value), other);
}

/* Two numbers one after the other, of which one divides at least. */
static sketch_value_t divide_by_numbers(sketch_t *sketch, sketch_value_t value) {
  static const double numbers[] = {3, 0.1, 7, -10, 49, 0.75};
  rng_t *rng = sketch->rng;
  const type_t type = *sketch_type(sketch, value);
  uint64_t way = rng_below(rng, 3);
  for (uint64_t i = 0; i < 2; i++) {
    double number = numbers[rng_below(rng, G_N_ELEMENTS(numbers))];
    const char *name = way == i ? "multiply" : "divide";
    value = sketch_binary(sketch, name, value, pattern_spread_number(sketch, &type, number));
  }
  return value;
}

/* A product of matrices, of which an operand is scaled before or the product behind, or both. */
static sketch_value_t scale_product(sketch_t *sketch, sketch_value_t value) {
  static const double numbers[] = {0.125, 0.1, 3, 8, 11.3125, -7};
  static const char *const names[] = {"multiply", "divide", NULL};
  rng_t *rng = sketch->rng;
  const type_t left = *sketch_type(sketch, value);
  if (left.rank != 2) return divide_by_numbers(sketch, value);
  const int64_t dims[] = {left.dims[1], rng_between(rng, 1, 8)};
  const type_t right = type_make(left.element, 2, dims);
  uint64_t way = rng_below(rng, 3);
  for (uint64_t i = 0; i < 2; i++) {
    const type_t type = *sketch_type(sketch, value);
    double number = numbers[rng_below(rng, G_N_ELEMENTS(numbers))];
    sketch_value_t scale = pattern_spread_number(sketch, &type, number);
    const char *name = sketch_one_of(sketch, names);
    if (way == i || way == 2) value = sketch_binary(sketch, name, value, scale);
    if (i == 0) value = sketch_dot(sketch, value, sketch_weight(sketch, &right), false);
  }
  return value;
}

pattern_returns_t pattern_quotients(sketch_t *sketch) {
  static sketch_value_t (*const kinds[])(sketch_t *, sketch_value_t) = {
      divide_quotients,     divide_quotients,  divide_by_function,
      combine_exponentials, divide_by_numbers, scale_product};
  rng_t *rng = sketch->rng;
  const type_t type = sketch_shape(sketch, sketch_float(sketch), 0, 3);
  sketch_value_t value = sketch_argument(sketch, &type);
  if (rng_one_in(rng, 4)) value = pattern_touch(sketch, value);
  if (rng_one_in(rng, 6)) value = pattern_through_quantized(sketch, value);
  value = kinds[rng_below(rng, G_N_ELEMENTS(kinds))](sketch, value);
  if (rng_one_in(rng, 6)) value = pattern_through_quantized(sketch, value);
  return pattern_return(rng_one_in(rng, 4) ? pattern_touch(sketch, value) : value);
}
