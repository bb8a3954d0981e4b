/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices with what stands before and behind them. */
#include "oracles/ops/module/op/patterns.h"

/* [m, k] by [k, n], now and then with a batch. */
typedef struct product {
  const element_t *element;
  uint32_t batches; /* 0 or 1. */
  int64_t batch, rows, terms, columns;
} product_t;

static product_t draw_product(sketch_t *sketch, const element_t *element) {
  rng_t *rng = sketch->rng;
  int64_t most = sketch->limits->elements_max;
  product_t product = {.element = element,
                       .batches = rng_one_in(rng, 4) ? 1 : 0,
                       .batch = rng_between(rng, 1, 3),
                       .rows = sketch_size(sketch, CLAMP(most / 8, 1, 64)),
                       .columns = sketch_size(sketch, CLAMP(most / 8, 1, 64))};
  int64_t longest = MIN(sketch->limits->terms_max, most / MAX(product.rows, product.columns));
  longest = MIN(longest, (1 << 16) / (product.rows * product.columns));
  product.terms = sketch_terms(sketch, longest);
  if (rng_one_in(rng, 4)) product.columns = product.rows;
  return product;
}

static type_t matrix(const product_t *product, int64_t rows, int64_t columns) {
  const int64_t dims[] = {product->batch, rows, columns};
  return type_make(product->element, 2 + product->batches, &dims[1 - product->batches]);
}

static type_t left_type(const product_t *product) {
  return matrix(product, product->rows, product->terms);
}
static type_t right_type(const product_t *product) {
  return matrix(product, product->terms, product->columns);
}

/* With bias along the last dimension, or the one before it, and maximum, now and then. */
static sketch_value_t finish_layer(sketch_t *sketch, sketch_value_t value) {
  rng_t *rng = sketch->rng;
  uint32_t rank = sketch_type(sketch, value)->rank;
  if (rng_one_in(rng, 5)) {
    return pattern_add_bias(sketch, pattern_relu(sketch, value), rank - 1);
  }
  if (rng_below(rng, 3) > 0) {
    value = pattern_add_bias(sketch, value, rank - (rng_one_in(rng, 4) ? 2 : 1));
  }
  return rng_one_in(rng, 2) ? pattern_relu(sketch, value) : pattern_touch(sketch, value);
}

static pattern_returns_t layer(sketch_t *sketch) {
  const product_t product = draw_product(sketch, sketch_number(sketch));
  const type_t left = left_type(&product), right = right_type(&product);
  sketch_value_t value = sketch_argument(sketch, &left);
  if (rng_one_in(sketch->rng, 3)) value = pattern_touch(sketch, value);
  sketch_value_t weights = sketch_weight(sketch, &right);
  return pattern_return(finish_layer(sketch, sketch_dot(sketch, value, weights, false)));
}

/* One operand transposed before it is multiplied, often a square one. */
static pattern_returns_t of_transposed(sketch_t *sketch) {
  rng_t *rng = sketch->rng;
  product_t product = draw_product(sketch, sketch_float(sketch));
  product.batches = 0;
  bool is_square = rng_one_in(rng, 2);
  if (is_square) product.terms = product.columns = product.rows = MIN(product.rows, 16);
  const dimension_list_t swapped = {.count = 2, .dims = {1, 0}};
  const type_t left = left_type(&product);
  const type_t right = matrix(&product, product.columns, product.terms);
  sketch_value_t value = sketch_argument(sketch, &left);
  sketch_value_t weights = sketch_transpose(sketch, sketch_weight(sketch, &right), &swapped);
  if (is_square && rng_one_in(rng, 3)) value = sketch_transpose(sketch, value, &swapped);
  value = sketch_dot(sketch, value, weights, false);
  if (rng_one_in(rng, 3)) value = sketch_transpose(sketch, value, &swapped);
  return pattern_return(rng_one_in(rng, 2) ? pattern_touch(sketch, value) : value);
}

/* x + f(x W), W square. */
static pattern_returns_t residual(sketch_t *sketch) {
  rng_t *rng = sketch->rng;
  product_t product = draw_product(sketch, sketch_float(sketch));
  product.terms = product.columns;
  const type_t left = left_type(&product), right = right_type(&product);
  sketch_value_t input = sketch_argument(sketch, &left);
  sketch_value_t value = sketch_dot(sketch, input, sketch_weight(sketch, &right), false);
  if (rng_one_in(rng, 2)) value = pattern_relu(sketch, value);
  value = sketch_binary(sketch, "add", rng_one_in(rng, 2) ? input : value, value);
  value = sketch_binary(sketch, "add", input, value);
  return pattern_return(value);
}

/* (a b) c, and a b with a row or column of it reduced. */
static pattern_returns_t followed(sketch_t *sketch) {
  rng_t *rng = sketch->rng;
  const product_t product = draw_product(sketch, sketch_number(sketch));
  const type_t left = left_type(&product), right = right_type(&product);
  sketch_value_t value = sketch_argument(sketch, &left);
  value = sketch_dot(sketch, value, sketch_weight(sketch, &right), false);
  if (rng_one_in(rng, 3)) value = pattern_relu(sketch, value);
  if (rng_one_in(rng, 2)) {
    static const char *const bodies[] = {"add", "maximum", NULL};
    uint32_t rank = left.rank;
    value = sketch_reduce(sketch, sketch_one_of(sketch, bodies), value,
                          rank - 1 - (uint32_t)rng_below(rng, 2));
    return pattern_return(value);
  }
  const type_t next = matrix(&product, product.columns, rng_between(rng, 1, 4));
  return pattern_return(sketch_dot(sketch, value, sketch_weight(sketch, &next), false));
}

/* A matrix by a vector, and what is reduced of it. */
static pattern_returns_t matrix_by_vector(sketch_t *sketch) {
  rng_t *rng = sketch->rng;
  const product_t product = draw_product(sketch, sketch_number(sketch));
  const int64_t sizes[] = {product.rows, product.terms};
  const type_t left = type_make(product.element, 2, sizes);
  const type_t vector = type_make(product.element, 1, &sizes[1]);
  const type_t result = type_make(product.element, 1, sizes);
  sketch_value_t value = sketch_argument(sketch, &left);
  const sketch_value_t both[] = {value, sketch_weight(sketch, &vector)};
  sketch_value_t made =
      sketch_apply(sketch, "dot_general", " batch=[]x[] contract=[1]x[0]", both, 2, &result);
  if (rng_one_in(rng, 2)) made = pattern_touch(sketch, made);
  static const char *const bodies[] = {"add", "maximum", "minimum", NULL};
  sketch_value_t reduced = sketch_reduce(sketch, sketch_one_of(sketch, bodies), made, 0);
  return rng_one_in(rng, 3) ? pattern_return_both(reduced, made) : pattern_return(reduced);
}

/* 16-bit operands, the product in f32, and the result in 16 bits. */
static pattern_returns_t mixed(sketch_t *sketch) {
  rng_t *rng = sketch->rng;
  const element_t *narrow = element_named(rng_one_in(rng, 3) ? "f16" : "bf16");
  const product_t product = draw_product(sketch, narrow);
  const type_t left = left_type(&product), right = right_type(&product);
  const element_t *wide = element_named("f32");
  sketch_value_t value = sketch_convert(sketch, sketch_argument(sketch, &left), wide);
  sketch_value_t weights = sketch_convert(sketch, sketch_weight(sketch, &right), wide);
  value = finish_layer(sketch, sketch_dot(sketch, value, weights, false));
  return pattern_return(sketch_convert(sketch, value, narrow));
}

/* Of an operand that two tensors make up, or two products of one operand, side by side. */
static pattern_returns_t joined(sketch_t *sketch) {
  rng_t *rng = sketch->rng;
  product_t product = draw_product(sketch, sketch_number(sketch));
  product.batches = 0;
  if (rng_one_in(rng, 2) && product.terms > 1) {
    int64_t first = rng_between(rng, 1, product.terms - 1);
    const type_t parts[] = {matrix(&product, product.rows, first),
                            matrix(&product, product.rows, product.terms - first)};
    const sketch_value_t values[] = {sketch_argument(sketch, &parts[0]),
                                     sketch_weight(sketch, &parts[1])};
    const type_t right = right_type(&product);
    sketch_value_t value = sketch_concatenate(sketch, values, 2, 1);
    return pattern_return(sketch_dot(sketch, value, sketch_weight(sketch, &right), false));
  }
  const type_t left = left_type(&product), right = right_type(&product);
  sketch_value_t value = sketch_argument(sketch, &left);
  const sketch_value_t values[] = {sketch_dot(sketch, value, sketch_weight(sketch, &right), false),
                                   sketch_dot(sketch, value, sketch_weight(sketch, &right), false)};
  if (rng_one_in(rng, 2)) {
    return pattern_return(sketch_binary(sketch, "add", values[0], values[1]));
  }
  return pattern_return(sketch_concatenate(sketch, values, 2, (uint32_t)rng_below(rng, 2)));
}

pattern_returns_t pattern_products(sketch_t *sketch) {
  static pattern_t *const kinds[] = {
      layer, layer, of_transposed, residual, followed, matrix_by_vector, mixed, joined};
  return kinds[rng_below(sketch->rng, G_N_ELEMENTS(kinds))](sketch);
}
