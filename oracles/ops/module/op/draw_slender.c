/* SPDX-License-Identifier: Apache-2.0 */
/* Long and thin programs: as many rows as there are where kernels change, of few numbers each.  A
 * product, a sum or a maximum of few terms is judged at little cost, however many rows there are.
 */
#include "oracles/ops/module/op/patterns.h"

/* [rows, width], or turned: [width, rows]. */
typedef struct slender {
  const element_t *element;
  int64_t rows, width;
} slender_t;

/* f32 and f64 most often, which kernels of products are written for; or any other. */
static const element_t *draw_element_of(sketch_t *sketch) {
  uint64_t choice = rng_below(sketch->rng, 8);
  if (choice < 5) return element_named(choice < 3 ? "f32" : "f64");
  return choice == 5 ? sketch_number(sketch) : sketch_float(sketch);
}

/* Just behind a power of two, by up to a vector of 16 and one: what is left over when kernels have
 * taken their blocks; or as thresholds are everywhere.  The largest come more often than there:
 * other strata hardly have them. */
static int64_t draw_rows(rng_t *rng, int64_t longest) {
  enum { BEHIND = 17, LOWEST_BEHIND = 14 };
  if (rng_one_in(rng, 2)) return draw_threshold(rng, DRAW_SLENDER_LOWEST, longest);
  int64_t power = (int64_t)1 << rng_between(rng, MIN(LOWEST_BEHIND, longest), longest);
  return power + rng_between(rng, 1, BEHIND);
}

static slender_t draw_slender(sketch_t *sketch) {
  enum { NARROW = 5 };
  rng_t *rng = sketch->rng;
  slender_t slender = {
      .element = draw_element_of(sketch),
      .width = rng_between(rng, 2, rng_one_in(rng, 4) ? DRAW_SLENDER_WIDEST : NARROW),
  };
  int64_t room = MAX(sketch->limits->elements_max / slender.width, 1);
  int64_t longest =
      CLAMP(63 - __builtin_clzll((uint64_t)room), DRAW_SLENDER_LOWEST, DRAW_SLENDER_HIGHEST);
  slender.rows = MIN(draw_rows(rng, longest), room);
  return slender;
}

static type_t shape_of(const slender_t *slender, bool is_turned) {
  const int64_t dims[] = {is_turned ? slender->width : slender->rows,
                          is_turned ? slender->rows : slender->width};
  return type_make(slender->element, 2, dims);
}

/* An argument; in half of them the last rows are another's. */
static sketch_value_t draw_operand(sketch_t *sketch, const slender_t *slender, bool is_turned) {
  type_t type = shape_of(slender, is_turned);
  if (!rng_one_in(sketch->rng, 2) || slender->rows < 2) return sketch_argument(sketch, &type);
  uint32_t dim = is_turned ? 1 : 0;
  type_t tail = type;
  tail.dims[dim] = rng_between(sketch->rng, 1, MIN(slender->rows - 1, 4));
  type.dims[dim] -= tail.dims[dim];
  const sketch_value_t both[] = {sketch_argument(sketch, &type), sketch_argument(sketch, &tail)};
  return sketch_concatenate(sketch, both, 2, dim);
}

/* Squares, a bias along the few columns, a maximum with zero, or another step. */
static sketch_value_t finish(sketch_t *sketch, sketch_value_t value, uint32_t columns) {
  switch (rng_below(sketch->rng, 5)) {
    case 0:
    case 1:
      return sketch_binary(sketch, "multiply", value, value);
    case 2:
      return pattern_add_bias(sketch, value, columns);
    case 3:
      return pattern_relu(sketch, value);
    default:
      return value;
  }
}

static const char *const extremes[] = {"maximum", "minimum", NULL};

/* Of a matrix with few columns: combined along these, and then perhaps along the rows, by what is
 * exact. */
static pattern_returns_t combine(sketch_t *sketch, sketch_value_t value, uint32_t columns) {
  static const char *const bodies[] = {"add", "add", "maximum", "minimum", NULL};
  rng_t *rng = sketch->rng;
  bool is_made = sketch->values[value].op != NULL; /* No argument is returned. */
  if (rng_one_in(rng, 4) && is_made) return pattern_return(value);
  sketch_value_t row = sketch_reduce(sketch, sketch_one_of(sketch, bodies), value, columns);
  if (rng_one_in(rng, 4)) row = pattern_touch(sketch, row);
  if (rng_one_in(rng, 2)) return pattern_return(row);
  sketch_value_t whole = sketch_reduce(sketch, sketch_one_of(sketch, extremes), row, 0);
  return rng_one_in(rng, 4) ? pattern_return_both(whole, row) : pattern_return(whole);
}

/* One product of many rows and a small matrix: which is on the left, and which dimension of the
 * small one has the terms. */
typedef struct product {
  bool comes_first, is_small_turned;
} product_t;

/* Columns, drawn for a product: as many as a row has, or few. */
static int64_t draw_columns(sketch_t *sketch, const slender_t *slender) {
  int64_t columns = rng_one_in(sketch->rng, 2) ? slender->width : rng_between(sketch->rng, 1, 4);
  return CLAMP(sketch->limits->elements_max / slender->rows, 1, columns);
}

static sketch_value_t multiply(sketch_t *sketch, const slender_t *slender, sketch_value_t many,
                               bool is_turned, const product_t *product) {
  int64_t columns = draw_columns(sketch, slender);
  const int64_t small_dims[] = {product->is_small_turned ? slender->width : columns,
                                product->is_small_turned ? columns : slender->width};
  const type_t small = type_make(slender->element, 2, small_dims);
  sketch_value_t few = sketch_weight(sketch, &small);
  bool comes_first = product->comes_first;
  const sketch_value_t both[] = {comes_first ? many : few, comes_first ? few : many};
  int terms_of_many = is_turned ? 0 : 1, terms_of_few = product->is_small_turned ? 0 : 1;
  g_autofree char *text =
      g_strdup_printf(" batch=[]x[] contract=[%d]x[%d]", comes_first ? terms_of_many : terms_of_few,
                      comes_first ? terms_of_few : terms_of_many);
  const int64_t dims[] = {comes_first ? slender->rows : columns,
                          comes_first ? columns : slender->rows};
  const type_t result = type_make(slender->element, 2, dims);
  return sketch_apply(sketch, "dot_general", text, both, 2, &result);
}

/* A small matrix and many rows, in any of the four ways to lie in memory. */
static pattern_returns_t multiply_rows(sketch_t *sketch) {
  rng_t *rng = sketch->rng;
  const slender_t slender = draw_slender(sketch);
  bool is_turned = rng_one_in(rng, 2);
  const product_t product = {.comes_first = rng_one_in(rng, 2),
                             .is_small_turned = rng_one_in(rng, 2)};
  sketch_value_t many = draw_operand(sketch, &slender, is_turned);
  sketch_value_t value = multiply(sketch, &slender, many, is_turned, &product);
  uint32_t place = product.comes_first ? 1 : 0;
  return combine(sketch, finish(sketch, value, place), place);
}

/* The same rows multiplied by three or four small matrices, as a model projects its inputs, each
 * product in another of the four ways; each is combined along its few columns, so that every row is
 * seen.
 */
static pattern_returns_t project_rows(sketch_t *sketch) {
  enum { WAYS = 4 };
  static const char *const bodies[] = {"add", "add", "maximum", "minimum", NULL};
  rng_t *rng = sketch->rng;
  const slender_t slender = draw_slender(sketch);
  bool is_turned = rng_one_in(rng, 2);
  sketch_value_t many = draw_operand(sketch, &slender, is_turned);
  pattern_returns_t returns = {.count = (uint32_t)rng_between(rng, 3, MIN(WAYS, CASE_RESULTS_MAX))};
  const dimension_list_t ways = draw_permutation(rng, WAYS);
  for (uint32_t i = 0; i < returns.count; i++) {
    const product_t product = {.comes_first = (ways.dims[i] & 1) != 0,
                               .is_small_turned = (ways.dims[i] & 2) != 0};
    uint32_t place = product.comes_first ? 1 : 0;
    sketch_value_t value = multiply(sketch, &slender, many, is_turned, &product);
    if (rng_one_in(rng, 3)) value = sketch_binary(sketch, "multiply", value, value);
    returns.values[i] = sketch_reduce(sketch, sketch_one_of(sketch, bodies), value, place);
  }
  return returns;
}

static pattern_returns_t multiply_vector(sketch_t *sketch) {
  rng_t *rng = sketch->rng;
  const slender_t slender = draw_slender(sketch);
  bool is_turned = rng_one_in(rng, 2);
  const type_t vector = type_make(slender.element, 1, &slender.width);
  const type_t result = type_make(slender.element, 1, &slender.rows);
  const sketch_value_t both[] = {draw_operand(sketch, &slender, is_turned),
                                 sketch_weight(sketch, &vector)};
  const char *text = is_turned ? " batch=[]x[] contract=[0]x[0]" : " batch=[]x[] contract=[1]x[0]";
  sketch_value_t value = sketch_apply(sketch, "dot_general", text, both, 2, &result);
  if (rng_one_in(rng, 2)) value = pattern_touch(sketch, value);
  if (rng_one_in(rng, 2)) return pattern_return(value);
  return pattern_return(sketch_reduce(sketch, sketch_one_of(sketch, extremes), value, 0));
}

static pattern_returns_t combine_rows(sketch_t *sketch) {
  const slender_t slender = draw_slender(sketch);
  bool is_turned = rng_one_in(sketch->rng, 2);
  uint32_t columns = is_turned ? 0 : 1;
  sketch_value_t value = draw_operand(sketch, &slender, is_turned);
  if (rng_one_in(sketch->rng, 2)) value = pattern_touch(sketch, value);
  return combine(sketch, finish(sketch, value, columns), columns);
}

static pattern_returns_t move_rows(sketch_t *sketch) {
  static const dimension_list_t swapped = {.count = 2, .dims = {1, 0}};
  const slender_t slender = draw_slender(sketch);
  sketch_value_t value = draw_operand(sketch, &slender, rng_one_in(sketch->rng, 2));
  if (rng_one_in(sketch->rng, 2)) value = pattern_touch(sketch, value);
  value = sketch_transpose(sketch, value, &swapped);
  return pattern_return(rng_one_in(sketch->rng, 2) ? pattern_touch(sketch, value) : value);
}

pattern_returns_t pattern_slender(sketch_t *sketch) {
  static pattern_t *const kinds[] = {project_rows,  project_rows,    project_rows, project_rows,
                                     multiply_rows, multiply_vector, combine_rows, move_rows};
  return kinds[rng_below(sketch->rng, G_N_ELEMENTS(kinds))](sketch);
}
