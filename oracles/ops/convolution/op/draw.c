/* SPDX-License-Identifier: Apache-2.0 */
/* Random convolutions. Sizes, windows and groups are drawn against a budget of elements and
 * products, then laid out over the dimensions; edge data place infinities and NaN where they meet
 * padding. */
#include <string.h>

#include "harness/draw/draw.h"
#include "harness/draw/draw_quantization.h"
#include "harness/draw/special_values.h"
#include "harness/types/promotion.h"
#include "oracles/ops/convolution/op/op.h"

enum {
  USUAL_KERNEL_MAX = 5,
  PRODUCTS_MAX = 1 << 18,       /* Places under all windows: what an oracle gathers. */
  PRODUCTS_MAX_LARGE = 1 << 16, /* Of large programs, which are mostly as large as they may be. */
};

/* What may still be used up: a size of 0 counts as 1. */
typedef struct budget {
  int64_t lhs; /* Elements. */
  int64_t rhs;
  int64_t result;
  int64_t terms; /* Of one result element. */
  draw_sizes_t sizes;
} budget_t;

/* Sizes and groups, before anybody knows which dimension they go to. */
typedef struct shape {
  uint32_t spatial_count;
  convolution_axis_t axes[TYPE_RANK_MAX];
  int64_t windows[TYPE_RANK_MAX];
  int64_t feature_groups;
  int64_t batch_groups;
  int64_t batch;    /* Of one group. */
  int64_t features; /* Of one group. */
  int64_t channels; /* Output features of one group. */
} shape_t;

static void spend(int64_t *left, int64_t size) { *left = MAX(*left / MAX(size, 1), 1); }

/* ---- Sizes ----------------------------------------------------------------------------------- */

static int64_t draw_step(rng_t *rng, uint64_t odds) {
  return rng_one_in(rng, odds) ? rng_between(rng, 2, 4) : 1;
}

/* None, as much as keeps the size, or anything small, negative too. */
static convolution_padding_t draw_padding(rng_t *rng, int64_t kernel_size) {
  switch (rng_below(rng, 4)) {
    case 0:
      return (convolution_padding_t){0};
    case 1: {
      int64_t around = MAX(kernel_size - 1, 0);
      return (convolution_padding_t){.low = around / 2, .high = around - around / 2};
    }
    default:
      return (convolution_padding_t){.low = rng_between(rng, -2, 4),
                                     .high = rng_between(rng, -2, 4)};
  }
}

static convolution_axis_t draw_one_axis(rng_t *rng, const budget_t *budget) {
  int64_t kernel_max = MIN(budget->terms, budget->rhs);
  if (!rng_one_in(rng, 8)) kernel_max = MIN(kernel_max, USUAL_KERNEL_MAX);
  convolution_axis_t axis = {
      .kernel_size = draw_size(rng, budget->sizes, kernel_max),
      .input_size = draw_size(rng, budget->sizes, budget->lhs),
      .stride = draw_step(rng, 2),
      .lhs_dilation = draw_step(rng, 4),
      .rhs_dilation = draw_step(rng, 4),
      .is_reversed = rng_one_in(rng, 4),
  };
  axis.padding = draw_padding(rng, axis.kernel_size);
  return axis;
}

/* Seldom with no window. */
static void draw_axis(rng_t *rng, budget_t *budget, convolution_axis_t *axis,
                      int64_t *out_windows) {
  do {
    *axis = draw_one_axis(rng, budget);
  } while (convolution_window_count(axis) == 0 && !rng_one_in(rng, 16));
  while (convolution_window_count(axis) > budget->result) axis->stride *= 2;
  *out_windows = (int64_t)convolution_window_count(axis);
  spend(&budget->lhs, axis->input_size);
  spend(&budget->rhs, axis->kernel_size);
  spend(&budget->terms, axis->kernel_size);
  spend(&budget->result, *out_windows);
}

static void draw_features(rng_t *rng, budget_t *budget, shape_t *shape) {
  int64_t groups = draw_step(rng, 3);
  bool of_batch = rng_one_in(rng, 3);
  int64_t fits = MIN(MIN(budget->lhs, budget->rhs), budget->result);
  groups = MIN(groups, fits);
  shape->feature_groups = of_batch ? 1 : groups;
  shape->batch_groups = of_batch ? groups : 1;
  spend(&budget->lhs, groups);
  spend(&budget->rhs, groups);
  spend(&budget->result, groups);
  shape->features =
      draw_size(rng, budget->sizes, MIN(MIN(budget->lhs, budget->rhs), budget->terms));
  spend(&budget->lhs, shape->features);
  spend(&budget->rhs, shape->features);
  spend(&budget->terms, shape->features);
  shape->channels = draw_size(rng, budget->sizes, MIN(budget->rhs, budget->result));
  spend(&budget->rhs, shape->channels);
  spend(&budget->result, shape->channels);
  shape->batch = draw_size(rng, budget->sizes, MIN(budget->lhs, budget->result));
  spend(&budget->lhs, shape->batch);
  spend(&budget->result, shape->batch);
}

static uint32_t draw_spatial_count(rng_t *rng, uint32_t rank_max) {
  static const uint32_t usual[] = {0, 1, 1, 2, 2, 2, 2, 3};
  uint32_t rank = MIN(MAX(rank_max, 2), (uint32_t)TYPE_RANK_MAX); /* There is no smaller one. */
  uint32_t most = rank - 2;
  if (rng_one_in(rng, 16)) return (uint32_t)rng_below(rng, most + 1);
  return MIN(usual[rng_below(rng, G_N_ELEMENTS(usual))], most);
}

static int64_t count_products(const shape_t *shape) {
  int64_t products = shape->batch * shape->batch_groups * shape->features * shape->feature_groups;
  for (uint32_t i = 0; i < shape->spatial_count; i++) {
    products *= shape->windows[i] * shape->axes[i].kernel_size;
    if (products > PRODUCTS_MAX) break;
  }
  return products;
}

/* Spatial dimensions or features first, so that neither always gets the most. */
static void draw_shape(rng_t *rng, const draw_limits_t *limits, shape_t *shape) {
  draw_limits_t smaller = *limits;
  bool is_small = limits->sizes == DRAW_SIZES_SMALL;
  do {
    budget_t budget = {smaller.elements_max, smaller.elements_max, smaller.elements_max,
                       MIN(smaller.terms_max, smaller.elements_max), limits->sizes};
    shape->spatial_count = draw_spatial_count(rng, limits->rank_max);
    bool features_first = rng_one_in(rng, 2);
    if (features_first) draw_features(rng, &budget, shape);
    for (uint32_t i = 0; i < shape->spatial_count; i++) {
      draw_axis(rng, &budget, &shape->axes[i], &shape->windows[i]);
    }
    if (!features_first) draw_features(rng, &budget, shape);
    smaller.elements_max = MAX(smaller.elements_max / 2, 1); /* Should it be too much. */
  } while (count_products(shape) > (is_small ? PRODUCTS_MAX : PRODUCTS_MAX_LARGE));
}

/* ---- Layout ---------------------------------------------------------------------------------- */

/* Batch first and features last, features next to the batch, or any order. */
static convolution_numbers_t draw_numbers(rng_t *rng, uint32_t spatial_count, int style) {
  uint32_t rank = spatial_count + 2;
  dimension_list_t order = draw_permutation(rng, rank);
  for (uint32_t i = 0; style != 2 && i < rank; i++) order.dims[i] = i;
  uint32_t feature = style == 0 ? rank - 1 : 1;
  convolution_numbers_t numbers = {.batch = order.dims[0], .feature = order.dims[feature]};
  for (uint32_t i = 1; i < rank; i++) {
    if (i != feature) dimension_list_append(&numbers.spatial, order.dims[i]);
  }
  return numbers;
}

/* Of the kernel, the usual layouts are [0,1,i,o] and [o,i,0,1]. */
static convolution_numbers_t draw_kernel_numbers(rng_t *rng, uint32_t spatial_count, int style) {
  if (style != 0) return draw_numbers(rng, spatial_count, style);
  convolution_numbers_t numbers = {.feature = spatial_count, .batch = spatial_count + 1};
  for (uint32_t i = 0; i < spatial_count; i++) dimension_list_append(&numbers.spatial, i);
  return numbers;
}

static void lay_out(const shape_t *shape, convolution_attributes_t *attributes, type_t *lhs,
                    type_t *rhs, type_t *result) {
  lhs->rank = rhs->rank = result->rank = shape->spatial_count + 2;
  int64_t groups = shape->feature_groups * shape->batch_groups;
  lhs->dims[attributes->input.batch] = shape->batch * shape->batch_groups;
  lhs->dims[attributes->input.feature] = shape->features * shape->feature_groups;
  rhs->dims[attributes->kernel.batch] = shape->channels * groups;
  rhs->dims[attributes->kernel.feature] = shape->features;
  result->dims[attributes->output.batch] = shape->batch;
  result->dims[attributes->output.feature] = shape->channels * groups;
  for (uint32_t i = 0; i < shape->spatial_count; i++) {
    const convolution_axis_t *axis = &shape->axes[i];
    lhs->dims[attributes->input.spatial.dims[i]] = axis->input_size;
    rhs->dims[attributes->kernel.spatial.dims[i]] = axis->kernel_size;
    result->dims[attributes->output.spatial.dims[i]] = shape->windows[i];
    dimension_list_append(&attributes->window_strides, axis->stride);
    dimension_list_append(&attributes->lhs_dilation, axis->lhs_dilation);
    dimension_list_append(&attributes->rhs_dilation, axis->rhs_dilation);
    attributes->padding.low[i] = axis->padding.low;
    attributes->padding.high[i] = axis->padding.high;
    attributes->window_reversal[i] = axis->is_reversed;
  }
  attributes->padding.count = attributes->reversal_count = shape->spatial_count;
  attributes->feature_group_count = shape->feature_groups;
  attributes->batch_group_count = shape->batch_groups;
}

/* ---- Elements -------------------------------------------------------------------------------- */

static bool holds(const element_t *element, const void *from) {
  return element_promotion_is_exact(from, element);
}

/* The element types, and how the tensors are quantized; shapes are there. */
static void draw_elements(rng_t *rng, const convolution_attributes_t *attributes, arena_t *arena,
                          type_t *lhs, type_t *rhs, type_t *result) {
  bool is_quantized = rng_one_in(rng, 3), is_hybrid = rng_one_in(rng, 3);
  if (!is_quantized) {
    lhs->element = rhs->element = result->element = draw_element(rng, NULL, NULL);
    if (rng_one_in(rng, 4)) result->element = draw_element(rng, holds, lhs->element);
    return;
  }
  const element_t *expressed = draw_expressed_element(rng);
  const element_t *storage = draw_storage_element(rng);
  bool is_per_axis = rng_one_in(rng, 2) && type_takes_axis(rhs, attributes->kernel.batch);
  rhs->element = storage;
  draw_quantization(rng, arena, expressed, is_per_axis ? (int32_t)attributes->kernel.batch : -1,
                    rng_one_in(rng, 3), rhs);
  lhs->element = result->element = expressed;
  if (is_hybrid) return;
  lhs->element = storage;
  draw_quantization(rng, arena, expressed, -1, false, lhs);
  result->element = rng_one_in(rng, 2) ? storage : draw_storage_element(rng);
  bool has_axis = is_per_axis && rng_one_in(rng, 2);
  draw_quantization(rng, arena, expressed, has_axis ? (int32_t)attributes->output.feature : -1,
                    false, result);
}

static bool is_added_in(const element_t *element, const void *context) {
  const element_t *from = context;
  bool are_integers = element_is_integer(element) && element_is_integer(from);
  return element->is_tensor_element &&
         (are_integers || (element->kind == ELEMENT_FLOAT && from->kind == ELEMENT_FLOAT));
}

/* Seldom a type of accumulation, which RFC 000 alone knows, where all is of one real type. */
static void draw_accumulation(rng_t *rng, const program_t *program,
                              convolution_attributes_t *attributes) {
  const type_t *lhs = &program->operands[CONVOLUTION_LHS];
  const element_t *element = lhs->element;
  bool is_real = element->kind == ELEMENT_FLOAT || element_is_integer(element);
  bool is_one = element == program->operands[CONVOLUTION_RHS].element &&
                element == program->results[0].element &&
                program->operands[CONVOLUTION_RHS].quantization == NULL;
  if (!is_real || !is_one || !rng_one_in(rng, 16)) return;
  attributes->accumulation = draw_element(rng, is_added_in, element);
}

void convolution_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                      program_t *out_program) {
  convolution_attributes_t *attributes = ARENA_NEW_ARRAY(arena, convolution_attributes_t, 1);
  *attributes = (convolution_attributes_t){0};
  shape_t shape = {0};
  draw_shape(rng, limits, &shape);
  int style = rng_one_in(rng, 2) ? 2 : (int)rng_below(rng, 2);
  attributes->input = draw_numbers(rng, shape.spatial_count, style);
  attributes->kernel = draw_kernel_numbers(rng, shape.spatial_count, style);
  attributes->output = draw_numbers(rng, shape.spatial_count, style);
  attributes->precision = precision_list_draw(rng);
  *out_program = (program_t){
      .op = &convolution_op, .attributes = attributes, .operand_count = 2, .result_count = 1};
  type_t *lhs = &out_program->operands[CONVOLUTION_LHS];
  type_t *rhs = &out_program->operands[CONVOLUTION_RHS];
  type_t *result = &out_program->results[0];
  lay_out(&shape, attributes, lhs, rhs, result);
  draw_elements(rng, attributes, arena, lhs, rhs, result);
  draw_accumulation(rng, out_program, attributes);
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* Small integers, all exact in every order, with infinities and NaNs in the kernel: those that meet
 * padding show whether it takes part. */
void convolution_draw_edges(rng_t *rng, case_t *inout_case) {
  uint64_t odds = (uint64_t)1 << rng_between(rng, 1, 6);
  for (uint32_t i = 0; i < 2; i++) {
    tensor_t *tensor = &inout_case->operands[i];
    const element_t *element = tensor->type.element;
    if (tensor->type.quantization != NULL) {
      draw_stored(rng, tensor);
      continue;
    }
    bool has_specials = i == CONVOLUTION_RHS;
    for (size_t c = 0; c < type_component_count(&tensor->type); c++) {
      uint64_t bits = has_specials && rng_one_in(rng, odds)
                          ? special_value_special(rng, element)
                          : special_value_integer(element, (int)rng_between(rng, -3, 5));
      element_store(element, tensor->data, c, bits);
    }
  }
}
