/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of elementwise ops, and the elementwise parts of other families. */
#include <string.h>

#include "oracles/ops/module/op/patterns.h"

/* ---- Parts ----------------------------------------------------------------------------------- */

sketch_value_t pattern_spread_number(sketch_t *sketch, const type_t *shape, double number) {
  const type_t scalar = type_make(shape->element, 0, NULL);
  return sketch_spread(sketch, sketch_splat(sketch, &scalar, number), 0, shape);
}

sketch_value_t pattern_relu(sketch_t *sketch, sketch_value_t value) {
  const type_t type = *sketch_type(sketch, value);
  bool is_full = rng_one_in(sketch->rng, 3) && type_element_count(&type) <= 64;
  sketch_value_t zeros =
      is_full ? sketch_splat(sketch, &type, 0) : pattern_spread_number(sketch, &type, 0);
  return rng_one_in(sketch->rng, 2) ? sketch_binary(sketch, "maximum", value, zeros)
                                    : sketch_binary(sketch, "maximum", zeros, value);
}

static sketch_value_t clamp(sketch_t *sketch, sketch_value_t value) {
  const type_t type = *sketch_type(sketch, value);
  double low = (double)rng_between(sketch->rng, -3, 0),
         high = (double)rng_between(sketch->rng, 1, 6);
  sketch_value_t above =
      sketch_binary(sketch, "maximum", value, pattern_spread_number(sketch, &type, low));
  return sketch_binary(sketch, "minimum", above, pattern_spread_number(sketch, &type, high));
}

static const char *const arithmetic[] = {"add", "subtract", "multiply", NULL};
static const char *const all_binary[] = {"add",      "add",     "subtract", "multiply",
                                         "multiply", "maximum", "minimum",  NULL};

static sketch_value_t with_vector(sketch_t *sketch, const char *name, sketch_value_t value,
                                  uint32_t dim) {
  const type_t type = *sketch_type(sketch, value);
  const type_t vector = type_make(type.element, 1, &type.dims[dim]);
  sketch_value_t spread = sketch_spread(sketch, sketch_weight(sketch, &vector), dim, &type);
  return sketch_binary(sketch, name, value, spread);
}

sketch_value_t pattern_add_bias(sketch_t *sketch, sketch_value_t value, uint32_t dim) {
  return with_vector(sketch, "add", value, dim);
}

static sketch_value_t with_number(sketch_t *sketch, sketch_value_t value) {
  static const double numbers[] = {0, 1, -1, 0.5, 2, -3, 0.125, 0.1, 3.7};
  const type_t type = *sketch_type(sketch, value);
  double number = numbers[rng_below(sketch->rng, G_N_ELEMENTS(numbers))];
  const char *name = sketch_one_of(sketch, arithmetic);
  sketch_value_t spread = pattern_spread_number(sketch, &type, number);
  return rng_one_in(sketch->rng, 3) ? sketch_binary(sketch, name, spread, value)
                                    : sketch_binary(sketch, name, value, spread);
}

static sketch_value_t with_tensor(sketch_t *sketch, sketch_value_t value) {
  const type_t type = *sketch_type(sketch, value);
  const char *name = sketch_one_of(sketch, all_binary);
  sketch_value_t other = sketch_weight(sketch, &type);
  return rng_one_in(sketch->rng, 2) ? sketch_binary(sketch, name, value, other)
                                    : sketch_binary(sketch, name, other, value);
}

/* What is simplified, and right for most numbers alone: x + 0, x 1, x 0, x - 0. */
static sketch_value_t with_neutral(sketch_t *sketch, sketch_value_t value) {
  static const struct {
    const char *name;
    double number;
  } rows[] = {{"add", 0}, {"multiply", 1}, {"multiply", 0}, {"subtract", 0}, {"add", -0.0}};
  const type_t type = *sketch_type(sketch, value);
  size_t row = rng_below(sketch->rng, G_N_ELEMENTS(rows));
  sketch_value_t spread = pattern_spread_number(sketch, &type, rows[row].number);
  return sketch_binary(sketch, rows[row].name, value, spread);
}

/* Steps that leave a number what it is, but for -0 perhaps, and one that makes zeros of all but NaN
 * and infinities. */
pattern_returns_t pattern_simplifiable(sketch_t *sketch) {
  static const struct {
    const char *name;
    double number;
  } rows[] = {{"add", 0}, {"add", 0}, {"multiply", 1}, {"subtract", 0}, {"add", -0.0}};
  rng_t *rng = sketch->rng;
  bool is_float = !rng_one_in(rng, 8); /* Of integers all of it is right. */
  const type_t type =
      sketch_shape(sketch, is_float ? sketch_float(sketch) : sketch_number(sketch), 0, 4);
  sketch_value_t value = sketch_argument(sketch, &type);
  if (is_float && rng_one_in(rng, 2)) { /* Of whatever data, some of it is -0. */
    value = sketch_unary(sketch, "negate", pattern_relu(sketch, value));
  }
  uint64_t steps = 1 + rng_below(rng, 3);
  for (uint64_t i = 0; i < steps; i++) {
    size_t row = rng_below(rng, G_N_ELEMENTS(rows));
    sketch_value_t number = pattern_spread_number(sketch, &type, rows[row].number);
    bool is_turned = rng_one_in(rng, 4) && strcmp(rows[row].name, "subtract") != 0;
    value = is_turned ? sketch_binary(sketch, rows[row].name, number, value)
                      : sketch_binary(sketch, rows[row].name, value, number);
  }
  if (rng_one_in(rng, 4)) return pattern_return(value);
  sketch_value_t zeros =
      rng_one_in(rng, 2)
          ? sketch_binary(sketch, "subtract", value, value)
          : sketch_binary(sketch, "multiply", value, pattern_spread_number(sketch, &type, 0));
  return rng_one_in(rng, 3) ? pattern_return(zeros) : pattern_return_both(value, zeros);
}

sketch_value_t pattern_touch(sketch_t *sketch, sketch_value_t value) {
  rng_t *rng = sketch->rng;
  const type_t type = *sketch_type(sketch, value);
  switch (rng_below(rng, 10)) {
    case 0:
      return pattern_relu(sketch, value);
    case 1:
      return clamp(sketch, value);
    case 2:
      return with_number(sketch, value);
    case 3:
      return sketch_binary(sketch, sketch_one_of(sketch, arithmetic), value, value);
    case 4:
    case 5:
      return with_tensor(sketch, value);
    case 6:
      return sketch_unary(sketch, "negate", value);
    case 7:
      return with_neutral(sketch, value);
    default:
      if (type.rank == 0) return with_tensor(sketch, value);
      return with_vector(sketch, sketch_one_of(sketch, all_binary), value,
                         (uint32_t)rng_below(rng, type.rank));
  }
}

static const element_t *other_float(sketch_t *sketch, const element_t *element) {
  static const char *const narrower[] = {"bf16", "f16", NULL};
  if (element->bits <= 16) return element_named("f32");
  if (element->bits == 32) return element_named(sketch_one_of(sketch, narrower));
  return element_named("f32");
}

sketch_value_t pattern_maybe_convert(sketch_t *sketch, sketch_value_t value) {
  const element_t *element = sketch_type(sketch, value)->element;
  if (element->format == NULL || !rng_one_in(sketch->rng, 3)) return value;
  return sketch_convert(sketch, value, other_float(sketch, element));
}

/* ---- The family ------------------------------------------------------------------------------ */

/* There and back: not the identity, where it is narrower. */
static sketch_value_t convert_and_back(sketch_t *sketch, sketch_value_t value) {
  static const char *const integers[] = {"i8", "i32", "ui8", "i16", NULL};
  const element_t *element = sketch_type(sketch, value)->element;
  const element_t *between = element->format != NULL
                                 ? other_float(sketch, element)
                                 : element_named(sketch_one_of(sketch, integers));
  return sketch_convert(sketch, sketch_convert(sketch, value, between), element);
}

/* Two numbers, one after the other, that compilers make one of: x + 0.1 - 3.7, x * 0.1 * 3.7. */
static sketch_value_t with_two_numbers(sketch_t *sketch, const type_t *type) {
  static const double numbers[] = {0.1, 3.7, -0.7, 1.3, -11, 0.03, 7};
  static const char *const sums[] = {"add", "subtract", NULL};
  bool adds = rng_one_in(sketch->rng, 2);
  sketch_value_t value = sketch_argument(sketch, type);
  for (int i = 0; i < 2; i++) {
    double number = numbers[rng_below(sketch->rng, G_N_ELEMENTS(numbers))];
    const char *name = adds ? sketch_one_of(sketch, sums) : "multiply";
    value = sketch_binary(sketch, name, value, pattern_spread_number(sketch, type, number));
  }
  return value;
}

/* a * b + c, a * b - c, c - a * b, a * a - b * b, (a + b) - a. */
static sketch_value_t multiply_and_add(sketch_t *sketch, const type_t *type) {
  uint64_t ticket = rng_below(sketch->rng, 8);
  if (ticket == 0 && type->element->format != NULL) return with_two_numbers(sketch, type);
  sketch_value_t a = sketch_argument(sketch, type), b = sketch_weight(sketch, type);
  if (ticket < 3) {
    return sketch_binary(sketch, "subtract", sketch_binary(sketch, "add", a, b), a);
  }
  sketch_value_t product = sketch_binary(sketch, "multiply", a, b);
  sketch_value_t other = rng_one_in(sketch->rng, 3) ? sketch_binary(sketch, "multiply", b, b)
                                                    : sketch_weight(sketch, type);
  const char *name = rng_one_in(sketch->rng, 2) ? "add" : "subtract";
  return rng_one_in(sketch->rng, 2) ? sketch_binary(sketch, name, product, other)
                                    : sketch_binary(sketch, name, other, product);
}

pattern_returns_t pattern_elementwise(sketch_t *sketch) {
  rng_t *rng = sketch->rng;
  const type_t type = sketch_shape(sketch, sketch_number(sketch), 0, TYPE_RANK_MAX);
  bool is_mixed = type.element->format != NULL && rng_one_in(rng, 4);
  sketch_value_t value;
  if (!is_mixed && rng_one_in(rng, 3)) {
    value = multiply_and_add(sketch, &type);
  } else {
    value = sketch_argument(sketch, &type);
    if (is_mixed) value = sketch_convert(sketch, value, other_float(sketch, type.element));
    value = pattern_touch(sketch, value);
  }
  sketch_value_t middle = value;
  if (rng_one_in(rng, 5)) value = convert_and_back(sketch, value);
  uint64_t more = rng_below(rng, 3);
  for (uint64_t i = 0; i < more; i++) value = pattern_touch(sketch, value);
  if (middle != value && rng_one_in(rng, 4)) { /* A residual: one value, used twice. */
    const char *name = sketch_one_of(sketch, all_binary);
    value = sketch_binary(sketch, name, value, middle);
  }
  if (is_mixed) value = sketch_convert(sketch, value, type.element);
  bool returns_both = middle != value && rng_one_in(rng, 5);
  return returns_both ? pattern_return_both(value, middle) : pattern_return(value);
}
