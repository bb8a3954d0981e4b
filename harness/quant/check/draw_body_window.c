/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of kernels over windows of an image: NHWC tensors, weights HWIO. */
#include <math.h>
#include <stdio.h>

#include "harness/quant/check/draw_kernel.h"

/* A window over height and width. */
typedef struct window_plan {
  int64_t size[2];
  int64_t stride[2];
  int64_t low[2]; /* Padding before and after. */
  int64_t high[2];
} window_plan_t;

static window_plan_t draw_window(quant_region_draft_t *draft, bool with_padding) {
  window_plan_t plan;
  const type_t *type = &draft->operands[0].type;
  for (uint32_t d = 0; d < 2; d++) {
    int64_t size = type->dims[1 + d];
    plan.size[d] = rng_between(draft->rng, 1, size < 3 ? size : 3);
    plan.stride[d] = rng_between(draft->rng, 1, 2);
    /* Less padding than the window has elements, so that no window is all padding. */
    plan.low[d] = with_padding ? rng_between(draft->rng, 0, plan.size[d] - 1) : 0;
    plan.high[d] = with_padding ? rng_between(draft->rng, 0, plan.size[d] - 1) : 0;
  }
  return plan;
}

/* The type with height and width as the window leaves them, and as many channels. */
static type_t window_result(const window_plan_t *plan, const type_t *type, int64_t channels) {
  type_t result = *type;
  for (uint32_t d = 0; d < 2; d++) {
    int64_t padded = type->dims[1 + d] + plan->low[d] + plan->high[d];
    result.dims[1 + d] = (padded - plan->size[d]) / plan->stride[d] + 1;
  }
  result.dims[3] = channels;
  return result;
}

/* A convolution of the operand; `groups` of channels. */
static quant_draw_tensor_t draw_convolution(quant_region_draft_t *draft, int64_t groups,
                                            int64_t channels) {
  const type_t *type = &draft->operands[0].type;
  window_plan_t plan = draw_window(draft, true);
  type_t weights_type = type_make(
      type->element, 4, (int64_t[]){plan.size[0], plan.size[1], type->dims[3] / groups, channels});
  quant_draw_tensor_t weights = draft_weights(draft, "weights", &weights_type);
  char attributes[512];
  snprintf(attributes, sizeof attributes,
           "window_strides=[%d,%d] padding=[[%d,%d],[%d,%d]] lhs_dilation=[1,1] "
           "rhs_dilation=[1,1] window_reversal=[false,false] "
           "dimension_numbers=[b,0,1,f]x[0,1,i,o]->[b,0,1,f] feature_group_count=%d "
           "batch_group_count=1",
           (int)plan.stride[0], (int)plan.stride[1], (int)plan.low[0], (int)plan.high[0],
           (int)plan.low[1], (int)plan.high[1], (int)groups);
  type_t result = window_result(&plan, type, channels);
  return draft_op(draft, "stablehlo.convolution", attributes,
                  DRAFT_OPERANDS(&draft->operands[0], &weights), &result);
}

/* What may follow products and sums: a bias, a relu. */
static void finish_linear(quant_region_draft_t *draft, quant_draw_tensor_t tensor) {
  if (!rng_one_in(draft->rng, 4)) tensor = draft_add_bias(draft, &tensor);
  if (rng_one_in(draft->rng, 2)) tensor = draft_relu(draft, &tensor);
  draft_return(draft, &tensor);
}

void draw_body_conv_2d(quant_region_draft_t *draft) {
  finish_linear(draft, draw_convolution(draft, 1, rng_between(draft->rng, 1, 3)));
}

void draw_body_depthwise_conv_2d(quant_region_draft_t *draft) {
  int64_t channels = draft->operands[0].type.dims[3];
  finish_linear(draft, draw_convolution(draft, channels, channels));
}

void draw_body_fully_connected(quant_region_draft_t *draft) {
  const type_t *type = &draft->operands[0].type;
  int64_t outputs = rng_between(draft->rng, 1, 4);
  type_t weights_type = type_make(type->element, 2, (int64_t[]){type->dims[1], outputs});
  quant_draw_tensor_t weights = draft_weights(draft, "weights", &weights_type);
  type_t result = type_make(type->element, 2, (int64_t[]){type->dims[0], outputs});
  finish_linear(draft, draft_op(draft, "stablehlo.dot_general", "batch=[]x[] contract=[1]x[0]",
                                DRAFT_OPERANDS(&draft->operands[0], &weights), &result));
}

/* A window that is reduced, from an initial value on. */
static quant_draw_tensor_t draw_pool(quant_region_draft_t *draft, const char *body, double init,
                                     const window_plan_t *plan) {
  const type_t *type = &draft->operands[0].type;
  type_t scalar = type_make(type->element, 0, NULL);
  quant_draw_tensor_t start = draft_constant(draft, &scalar, init);
  char attributes[512];
  snprintf(attributes, sizeof attributes,
           "body=%s window_dimensions=[1,%d,%d,1] window_strides=[1,%d,%d,1] "
           "base_dilations=[1,1,1,1] window_dilations=[1,1,1,1] "
           "padding=[[0,0],[%d,%d],[%d,%d],[0,0]]",
           body, (int)plan->size[0], (int)plan->size[1], (int)plan->stride[0], (int)plan->stride[1],
           (int)plan->low[0], (int)plan->high[0], (int)plan->low[1], (int)plan->high[1]);
  type_t result = window_result(plan, type, type->dims[3]);
  return draft_op(draft, "stablehlo.reduce_window", attributes,
                  DRAFT_OPERANDS(&draft->operands[0], &start), &result);
}

void draw_body_max_pool_2d(quant_region_draft_t *draft) {
  window_plan_t plan = draw_window(draft, true);
  quant_draw_tensor_t maximum = draw_pool(draft, "maximum", -INFINITY, &plan);
  draft_return(draft, &maximum);
}

/* The sum of `count` elements into their mean. */
static void return_mean(quant_region_draft_t *draft, const quant_draw_tensor_t *sum,
                        int64_t count) {
  quant_draw_tensor_t factor = draft_splat(draft, &sum->type, 1.0 / (double)count);
  quant_draw_tensor_t mean =
      draft_op(draft, "stablehlo.multiply", "", DRAFT_OPERANDS(sum, &factor), &sum->type);
  draft_return(draft, &mean);
}

void draw_body_average_pool_2d(quant_region_draft_t *draft) {
  window_plan_t plan = draw_window(draft, false);
  quant_draw_tensor_t sum = draw_pool(draft, "add", 0, &plan);
  return_mean(draft, &sum, plan.size[0] * plan.size[1]);
}

void draw_body_mean(quant_region_draft_t *draft) {
  const type_t *type = &draft->operands[0].type;
  type_t scalar = type_make(type->element, 0, NULL);
  quant_draw_tensor_t zero = draft_constant(draft, &scalar, 0);
  type_t result = type_make(type->element, 2, (int64_t[]){type->dims[0], type->dims[3]});
  quant_draw_tensor_t sum = draft_op(draft, "stablehlo.reduce", "body=add dims=[1,2]",
                                     DRAFT_OPERANDS(&draft->operands[0], &zero), &result);
  return_mean(draft, &sum, type->dims[1] * type->dims[2]);
}
