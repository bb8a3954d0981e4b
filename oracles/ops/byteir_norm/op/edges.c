/* SPDX-License-Identifier: Apache-2.0 */
/* Data of layer_norm and l2_norm in which faults of theirs show. */
#include <math.h>

#include "harness/draw/special_values.h"
#include "oracles/ops/byteir_norm/byteir_norm.h"

/* How the numbers of one row are drawn: base + spread * (-1..1), where the base may change its sign
 * from one number to the next. */
typedef struct row_recipe {
  double base;
  double spread;
  bool alternates;
  bool has_outlier;
  bool has_special; /* A NaN or an infinity, which must not leak into other rows. */
} row_recipe_t;

typedef void draw_recipe_t(rng_t *rng, const program_t *program, row_recipe_t *out_recipe);

static double draw_place(rng_t *rng) {
  return (double)rng_between(rng, -(1 << 30), 1 << 30) * 0x1p-30;
}

static double draw_number(rng_t *rng, const row_recipe_t *recipe, size_t term) {
  double base = recipe->alternates && term % 2 == 1 ? -recipe->base : recipe->base;
  return base + recipe->spread * draw_place(rng);
}

static void draw_row(rng_t *rng, const row_recipe_t *recipe, const tensor_t *tensor, size_t base,
                     const size_t *offsets, size_t count) {
  const element_t *element = tensor->type.element;
  const format_t *format = element->format;
  size_t odd_one = count == 0 ? 0 : rng_below(rng, count);
  for (size_t term = 0; term < count; term++) {
    double value = draw_number(rng, recipe, term);
    if (recipe->has_outlier && term == odd_one) value *= 1e4;
    uint64_t bits = format_from_double(format, value);
    if (format_is_infinity(format, bits)) bits = special_value_boundary(rng, element);
    if (recipe->has_special && term == odd_one) bits = special_value_special(rng, element);
    element_store(element, tensor->data, base + offsets[term], bits);
  }
}

static void draw_rows(rng_t *rng, case_t *inout_case, draw_recipe_t *draw_recipe) {
  const tensor_t *tensor = &inout_case->operands[0];
  dimension_list_t dimensions = byteir_norm_dimensions(&inout_case->program);
  dimension_list_t kept = dimension_list_rest(tensor->type.rank, &dimensions, NULL);
  arena_t arena;
  arena_init(&arena);
  const size_t *bases = dimension_list_offsets(&kept, &tensor->type, &arena);
  const size_t *offsets = dimension_list_offsets(&dimensions, &tensor->type, &arena);
  size_t rows = dimension_list_extent(&kept, &tensor->type);
  size_t terms = dimension_list_extent(&dimensions, &tensor->type);
  for (size_t row = 0; row < rows; row++) {
    row_recipe_t recipe;
    draw_recipe(rng, &inout_case->program, &recipe);
    draw_row(rng, &recipe, tensor, bases[row], offsets, terms);
  }
  arena_deinit(&arena);
}

/* ---- layer_norm ------------------------------------------------------------------------------ */

/* A mean far from zero beside the deviations, down to a few units in the last place, constant rows,
 * and sums of squares that overflow: of f16 from 2^8 on, of f32 from 2^64. */
static void draw_layer_norm_recipe(rng_t *rng, const program_t *program, row_recipe_t *out_recipe) {
  static const double bases[] = {0, 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 300, 1e30, 1e-30};
  const format_t *format = program->operands[0].element->format;
  double base = bases[rng_below(rng, G_N_ELEMENTS(bases))];
  double ulp = ldexp(base, 1 - format->precision);
  const double spreads[] = {1, 1, 1e-3, 100, 4 * ulp, 64 * ulp, 0, base};
  double largest = format_to_double(format, format->largest_bits);
  bool is_largest = rng_one_in(rng, 24);
  *out_recipe = (row_recipe_t){.base = is_largest ? largest * 0.875 : MIN(base, largest),
                               .spread = spreads[rng_below(rng, G_N_ELEMENTS(spreads))],
                               .alternates = rng_one_in(rng, 6),
                               .has_outlier = rng_one_in(rng, 8),
                               .has_special = rng_one_in(rng, 40)};
}

/* Weights and biases near 1 and 0 as trained ones are, or any. */
static void draw_affine(rng_t *rng, const tensor_t *tensor, double usual) {
  const element_t *element = tensor->type.element;
  size_t count = type_element_count(&tensor->type);
  bool is_plain = rng_one_in(rng, 4);
  for (size_t i = 0; i < count; i++) {
    double value = is_plain ? usual : usual + draw_place(rng) * (rng_one_in(rng, 16) ? 1000 : 1);
    uint64_t bits = format_from_double(element->format, value);
    if (rng_one_in(rng, 100)) bits = special_value_any(rng, element);
    element_store(element, tensor->data, i, bits);
  }
}

void byteir_layer_norm_draw_edges(rng_t *rng, case_t *inout_case) {
  draw_rows(rng, inout_case, draw_layer_norm_recipe);
  draw_affine(rng, &inout_case->operands[LAYER_NORM_WEIGHT], 1);
  draw_affine(rng, &inout_case->operands[LAYER_NORM_BIAS], 0);
}

/* ---- l2_norm --------------------------------------------------------------------------------- */

/* A scale, of powers of two, by which the norm of a row is nearly the program's epsilon, or its
 * root, and as often below it as above: a square of spread * (-1..1) is spread^2 / 3 in the mean.
 */
static double draw_scale_of_epsilon(rng_t *rng, const program_t *program) {
  dimension_list_t dimensions = byteir_norm_dimensions(program);
  size_t terms = dimension_list_extent(&dimensions, &program->operands[0]);
  int of_epsilon, of_terms;
  frexp(byteir_norm_attributes(program)->epsilon, &of_epsilon);
  frexp((double)MAX(terms, 1) / 3, &of_terms);
  int of_square = (byteir_norm_eps_outside_sqrt(program) ? 2 * of_epsilon : of_epsilon) - of_terms;
  return ldexp(0.75, of_square / 2 + (int)rng_between(rng, -1, 1));
}

/* Scales whose squares are near the largest and smallest numbers of f16 and f32, and near usual
 * epsilons; rows of zeros, and rows with a single number. */
static void draw_l2_norm_recipe(rng_t *rng, const program_t *program, row_recipe_t *out_recipe) {
  static const double scales[] = {1,       1,       1e-6,   3e-3,   0.7,   30,     240,    1e-4,
                                  0x1p-63, 0x1p-74, 0x1p63, 0x1p64, 1e-30, 0x1p-8, 0x1p-12};
  const format_t *format = program->operands[0].element->format;
  if (byteir_norm_attributes(program)->epsilon > 0 && rng_one_in(rng, 5)) {
    *out_recipe = (row_recipe_t){.spread = draw_scale_of_epsilon(rng, program)};
    return;
  }
  double scale = scales[rng_below(rng, G_N_ELEMENTS(scales))];
  double largest = format_to_double(format, format->largest_bits);
  *out_recipe = (row_recipe_t){.base = rng_one_in(rng, 3) ? MIN(scale, largest) : 0,
                               .spread = rng_one_in(rng, 8) ? 0 : MIN(scale, largest),
                               .alternates = rng_one_in(rng, 3),
                               .has_outlier = rng_one_in(rng, 8),
                               .has_special = rng_one_in(rng, 40)};
}

void byteir_l2_norm_draw_edges(rng_t *rng, case_t *inout_case) {
  draw_rows(rng, inout_case, draw_l2_norm_recipe);
}
