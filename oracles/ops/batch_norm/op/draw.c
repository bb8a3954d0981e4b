/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of both ops, and data in which faults of theirs show. */
#include <math.h>

#include "harness/draw/draw.h"
#include "harness/draw/draw_quantization.h"
#include "harness/draw/special_values.h"
#include "harness/types/scalar_type.h"
#include "oracles/ops/batch_norm/batch_norm.h"

/* ---- Programs -------------------------------------------------------------------------------- */

static bool is_known_float(const element_t *element, const void *unused) {
  (void)unused;
  const format_t *format = element->format;
  return element->kind == ELEMENT_FLOAT &&
         (format == &format_table[FORMAT_f16] || format == &format_table[FORMAT_bf16] ||
          format == &format_table[FORMAT_f32] || format == &format_table[FORMAT_f64]);
}

static bool is_any_float(const element_t *element, const void *unused) {
  (void)unused;
  return element->kind == ELEMENT_FLOAT;
}

/* Seldom one that the oracle refuses. */
static const element_t *draw_float(rng_t *rng) {
  return draw_element(rng, rng_one_in(rng, 32) ? is_any_float : is_known_float, NULL);
}

/* Mostly one that matters beside no variance, and some that outweigh any; numbers of f32. */
static double draw_epsilon(rng_t *rng) {
  static const float epsilons[] = {0,     0,     1e-12F,    1e-12F,    1e-5F,   1e-5F,
                                   1e-5F, 0.5F,  1e-3F,     1e-3F,     1000,    0x1p-10F,
                                   -0.0F, -0.5F, 0x1p-149F, 0x1p-140F, 0x1p127F};
  return (double)epsilons[rng_below(rng, G_N_ELEMENTS(epsilons))];
}

enum { CHANNELS_MAX = 256 }; /* Beyond which nothing new happens, but each costs an oracle. */

/* Some dimensions are as long as the channels': what takes the one for the other runs. */
static type_t draw_shape(rng_t *rng, const draw_limits_t *limits, int64_t *out_feature) {
  int64_t rank_max = CLAMP((int64_t)limits->rank_max, 1, TYPE_RANK_MAX);
  int64_t rank = rng_between(rng, 1, rank_max), other = rng_between(rng, 1, rank_max);
  dimension_list_t order = draw_permutation(rng, (uint32_t)MIN(rank, other));
  type_t shape = type_make(draw_float(rng), order.count, order.dims);
  int64_t channels = draw_size(rng, limits->sizes, MIN(limits->elements_max, CHANNELS_MAX));
  shape.dims[order.dims[0]] = channels;
  int64_t elements = MAX(channels, 1), terms = 1;
  for (uint32_t i = 1; i < order.count; i++) {
    int64_t largest = MIN(limits->elements_max / elements, limits->terms_max / terms);
    int64_t size =
        rng_one_in(rng, 6) ? MIN(channels, largest) : draw_length(rng, limits->sizes, largest, 8);
    shape.dims[order.dims[i]] = size;
    elements *= MAX(size, 1);
    terms *= MAX(size, 1);
  }
  *out_feature = order.dims[0];
  return shape;
}

/* Like `first`, with a scale and a zero point of its own: scales are often such that numbers near 1
 * neither vanish nor are clamped. */
static scalar_type_t draw_quantized_like(rng_t *rng, const scalar_type_t *first) {
  scalar_type_t drawn = *first;
  const format_t *format = first->expressed->format;
  if (rng_one_in(rng, 2)) drawn.scale = ldexp((double)rng_between(rng, 64, 127), -13);
  if (rng_one_in(rng, 4)) drawn.scale = ldexp(first->scale, (int)rng_between(rng, -4, 4));
  drawn.scale = format_round_double(format, drawn.scale);
  if (!(drawn.scale > 0 && isfinite(drawn.scale))) drawn.scale = first->scale;
  if (rng_one_in(rng, 2)) {
    drawn.zero_point = rng_between(rng, first->storage_min, first->storage_max);
  }
  return drawn;
}

/* Gives all tensors of a program of floats one quantized type, but for scales and zero points. */
static void quantize_all(rng_t *rng, arena_t *arena, program_t *program) {
  const element_t *expressed = draw_element(rng, is_known_float, NULL);
  type_t type = type_make(draw_storage_element(rng), 0, NULL);
  draw_quantization(rng, arena, expressed, -1, false, &type);
  const scalar_type_t first = scalar_type_of(&type);
  for (uint32_t i = 0; i < program->operand_count + program->result_count; i++) {
    type_t *tensor = i < program->operand_count ? &program->operands[i]
                                                : &program->results[i - program->operand_count];
    const scalar_type_t scalar = draw_quantized_like(rng, &first);
    *tensor = scalar_type_tensor(&scalar, tensor->rank, tensor->dims, arena);
  }
}

void batch_norm_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                     program_t *inout_program) {
  batch_norm_attributes_t *attributes = ARENA_NEW_ARRAY(arena, batch_norm_attributes_t, 1);
  program_t *program = inout_program;
  type_t whole = draw_shape(rng, limits, &attributes->feature_index);
  type_t channel = type_make(whole.element, 1, &whole.dims[attributes->feature_index]);
  attributes->epsilon = draw_epsilon(rng);
  program->attributes = attributes;
  program->operand_count = BATCH_NORM_TRAINING_OPERANDS;
  if (batch_norm_is_grad(program)) program->operand_count = BATCH_NORM_GRAD_OPERANDS;
  program->result_count = BATCH_NORM_RESULTS;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    program->operands[i] = batch_norm_is_whole(program, i) ? whole : channel;
  }
  for (uint32_t i = 0; i < BATCH_NORM_RESULTS; i++) program->results[i] = i == 0 ? whole : channel;
  if (rng_one_in(rng, 6)) quantize_all(rng, arena, program);
}

/* ---- Data: one channel ----------------------------------------------------------------------- */

/* How the numbers of one channel are drawn: base + spread * (-1..1), where the base may change its
 * sign from one number to the next. */
typedef struct recipe {
  double base;
  double spread;
  bool alternates;
  bool has_outlier;
  bool has_special; /* A NaN or an infinity, which must not leak into other channels. */
} recipe_t;

/* Where the elements of the channels lie. */
typedef struct places {
  size_t channels;
  size_t terms;
  const size_t *bases;
  const size_t *offsets;
} places_t;

static places_t find_places(const program_t *program, arena_t *arena) {
  const type_t *type = &program->operands[0];
  dimension_list_t terms = batch_norm_terms(program);
  dimension_list_t kept = dimension_list_rest(type->rank, &terms, NULL);
  return (places_t){.channels = dimension_list_extent(&kept, type),
                    .terms = dimension_list_extent(&terms, type),
                    .bases = dimension_list_offsets(&kept, type, arena),
                    .offsets = dimension_list_offsets(&terms, type, arena)};
}

static double draw_place(rng_t *rng) {
  return (double)rng_between(rng, -(1 << 30), 1 << 30) * 0x1p-30;
}

static void store(rng_t *rng, const tensor_t *tensor, size_t index, double value) {
  const element_t *element = tensor->type.element;
  uint64_t bits = format_from_double(element->format, value);
  if (format_is_infinity(element->format, bits)) bits = special_value_boundary(rng, element);
  element_store(element, tensor->data, index, bits);
}

/* A mean far from zero beside the deviations, down to a few units in the last place, constant
 * channels, and sums of squares that overflow: of f16 from 2^8 on, of f32 from 2^64. */
static recipe_t draw_recipe(rng_t *rng, const format_t *format) {
  static const double bases[] = {0, 0, 1, 1, 10, 100, 1e3, 1e4, 1e5, 1e7, 300, 1e30, 1e-30};
  double largest = format_to_double(format, format->largest_bits);
  double base = bases[rng_below(rng, G_N_ELEMENTS(bases))];
  double ulp = ldexp(base, 1 - format->precision);
  const double spreads[] = {1, 1, 1, 1e-3, 100, 4 * ulp, 64 * ulp, 0, base};
  bool is_largest = rng_one_in(rng, 24);
  return (recipe_t){.base = is_largest ? largest * 0.875 : MIN(base, largest),
                    .spread = spreads[rng_below(rng, G_N_ELEMENTS(spreads))],
                    .alternates = rng_one_in(rng, 6),
                    .has_outlier = rng_one_in(rng, 8),
                    .has_special = rng_one_in(rng, 40)};
}

static void draw_channel(rng_t *rng, const recipe_t *recipe, const tensor_t *tensor,
                         const places_t *places, size_t channel) {
  size_t odd_one = places->terms == 0 ? 0 : rng_below(rng, places->terms);
  for (size_t term = 0; term < places->terms; term++) {
    size_t index = places->bases[channel] + places->offsets[term];
    double base = recipe->alternates && term % 2 == 1 ? -recipe->base : recipe->base;
    double value = base + recipe->spread * draw_place(rng);
    if (recipe->has_outlier && term == odd_one) value *= 1e4;
    store(rng, tensor, index, value);
    if (!recipe->has_special || term != odd_one) continue;
    element_store(tensor->type.element, tensor->data, index,
                  special_value_special(rng, tensor->type.element));
  }
}

/* Near `usual`, as trained ones are, or any. */
static void draw_affine(rng_t *rng, const tensor_t *tensor, double usual) {
  const element_t *element = tensor->type.element;
  size_t count = type_element_count(&tensor->type);
  bool is_plain = rng_one_in(rng, 4);
  for (size_t i = 0; i < count; i++) {
    double size = rng_one_in(rng, 16) ? 1000 : 1;
    store(rng, tensor, i, is_plain ? usual : usual + draw_place(rng) * size);
    if (rng_one_in(rng, 100))
      element_store(element, tensor->data, i, special_value_any(rng, element));
  }
}

/* ---- Data: gradients ------------------------------------------------------------------------- */

/* Mean and variance mostly those that the operand was drawn by, or they have nothing to do with it;
 * a variance may be 0, or negative. */
static void draw_statistics(rng_t *rng, const recipe_t *recipe, const case_t *instance,
                            size_t channel) {
  static const double variances[] = {0, 1, 4, 0x1p-20, 1e10, 1e-30, -0.25};
  double mean = recipe->alternates ? 0 : recipe->base;
  double of_spread = recipe->spread * recipe->spread / 3;
  double variance = recipe->alternates ? of_spread + recipe->base * recipe->base : of_spread;
  if (rng_one_in(rng, 4)) mean = recipe->base * draw_place(rng);
  if (rng_one_in(rng, 4)) variance = variances[rng_below(rng, G_N_ELEMENTS(variances))];
  store(rng, &instance->operands[BATCH_NORM_GRAD_MEAN], channel, mean);
  store(rng, &instance->operands[BATCH_NORM_GRAD_VARIANCE], channel, variance);
}

/* Gradients whose mean is as large as their deviations, and that follow the operand or do not. */
static void draw_gradients(rng_t *rng, const recipe_t *of_operand, const case_t *instance,
                           const places_t *places, size_t channel) {
  static const double sizes[] = {1, 1, 1, 1e-3, 100, 1e5, 1e30, 1e-20};
  const tensor_t *gradients = &instance->operands[BATCH_NORM_GRAD_OUTPUT];
  const tensor_t *operand = &instance->operands[BATCH_NORM_GRAD_OPERAND];
  double size = sizes[rng_below(rng, G_N_ELEMENTS(sizes))];
  double spread = of_operand->spread > 0 ? of_operand->spread : 1;
  double shift = rng_one_in(rng, 3) ? 0 : draw_place(rng);
  double slope = rng_one_in(rng, 3) ? 0 : draw_place(rng) / spread;
  /* One NaN makes NaN of all sums of the channel: of long channels most are to have none. */
  size_t special_one_in = MAX(400, 2 * places->terms);
  for (size_t term = 0; term < places->terms; term++) {
    size_t index = places->bases[channel] + places->offsets[term];
    double x = format_to_double(operand->type.element->format,
                                element_load(operand->type.element, operand->data, index));
    double follows = isfinite(x) ? slope * (x - of_operand->base) : 0;
    store(rng, gradients, index, size * (shift + follows + draw_place(rng)));
    if (!rng_one_in(rng, special_one_in)) continue;
    element_store(gradients->type.element, gradients->data, index,
                  special_value_any(rng, gradients->type.element));
  }
}

/* Storage integers: variances are seldom negative. */
static void draw_quantized_edges(rng_t *rng, case_t *inout_case) {
  const program_t *program = &inout_case->program;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    tensor_t *tensor = &inout_case->operands[i];
    draw_stored(rng, tensor);
    bool is_variance = batch_norm_is_grad(program) && i == BATCH_NORM_GRAD_VARIANCE;
    if (!is_variance || rng_one_in(rng, 8)) continue;
    const element_t *element = tensor->type.element;
    int64_t zero_point = tensor->type.quantization->zero_points[0];
    for (size_t e = 0; e < type_element_count(&tensor->type); e++) {
      int64_t stored = element_signed_value(element, element_load(element, tensor->data, e));
      uint64_t bits = (uint64_t)MAX(stored, zero_point) & element_mask(element);
      element_store(element, tensor->data, e, bits);
    }
  }
}

void batch_norm_draw_edges(rng_t *rng, case_t *inout_case) {
  const program_t *program = &inout_case->program;
  if (program->operands[0].quantization != NULL) {
    draw_quantized_edges(rng, inout_case);
    return;
  }
  bool is_grad = batch_norm_is_grad(program);
  arena_t arena;
  arena_init(&arena);
  const places_t places = find_places(program, &arena);
  for (size_t channel = 0; channel < places.channels; channel++) {
    const recipe_t recipe = draw_recipe(rng, program->operands[0].element->format);
    draw_channel(rng, &recipe, &inout_case->operands[0], &places, channel);
    if (!is_grad) continue;
    draw_statistics(rng, &recipe, inout_case, channel);
    draw_gradients(rng, &recipe, inout_case, &places, channel);
  }
  arena_deinit(&arena);
  draw_affine(rng, &inout_case->operands[1], 1); /* The scale, of both. */
  if (!is_grad) draw_affine(rng, &inout_case->operands[BATCH_NORM_TRAINING_OFFSET], 0);
}
