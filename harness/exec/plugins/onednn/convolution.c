/* SPDX-License-Identifier: Apache-2.0 */
/* convolution by the convolution primitive, whose logical order is batch, feature, spatial
 * dimensions; strides say how the operands of the program lie. */
#include "harness/exec/executor_quantized.h"
#include "harness/exec/plugins/onednn/quantized.h"
#include "harness/exec/plugins/plugin_windows.h"

enum { SPATIAL_MAX = 3, BATCH = 0, FEATURE = 1, KERNEL_INPUT = 0, KERNEL_OUTPUT = 1, FIRST = 2 };

typedef struct convolution {
  uint32_t spatial_count;
  plugin_window_t windows[SPATIAL_MAX];
  int64_t feature_groups;
  int64_t batch_groups;
  assay_convolution_dims_t places;
} convolution_t;

/* The constraint of the StableHLO specification that an attribute breaks, or NULL. */
static const char *read_convolution(const assay_program_t *program, convolution_t *out) {
  const assay_type_t *rhs = &program->operands[1];
  const uint32_t rank = rhs->rank;
  out->spatial_count = rank - FIRST;
  if (!assay_convolution_read(program, rank, &out->places)) {
    return "C12, C13, C17 to C20: dimension numbers";
  }
  assay_dims_t strides;
  assay_dims_t base;
  assay_dims_t dilations;
  assay_dims_t low;
  assay_dims_t high;
  bool reversals[ASSAY_RANK_MAX];
  const uint32_t count = out->spatial_count;
  if (!plugin_read_list(program, "window_strides", count, &strides) ||
      !plugin_read_list(program, "lhs_dilation", count, &base) ||
      !plugin_read_list(program, "rhs_dilation", count, &dilations) ||
      !assay_attribute_pairs(program, "padding", &low, &high) || low.count != count ||
      !assay_attribute_booleans(program, "window_reversal", count, reversals)) {
    return "C2 to C9: a number of the window for each spatial dimension";
  }
  for (uint32_t i = 0; i < count; i++) {
    out->windows[i] = (plugin_window_t){.size = rhs->dims[out->places.rhs[FIRST + i]],
                                        .stride = strides.dims[i],
                                        .low = low.dims[i],
                                        .high = high.dims[i],
                                        .base_dilation = base.dims[i],
                                        .dilation = dilations.dims[i],
                                        .is_reversed = reversals[i]};
    if (strides.dims[i] <= 0 || base.dims[i] <= 0 || dilations.dims[i] <= 0) {
      return "C3, C6, C8: strides and dilations are positive";
    }
  }
  bool are_groups = assay_attribute_integer(program, "feature_group_count", &out->feature_groups) &&
                    assay_attribute_integer(program, "batch_group_count", &out->batch_groups) &&
                    out->feature_groups > 0 && out->batch_groups > 0;
  return are_groups ? NULL : "C21, C22: group counts are positive";
}

/* The same, for the sizes; for those programs that the primitive may do. */
static const char *check_sizes(const assay_program_t *program, const convolution_t *c) {
  const assay_type_t *lhs = &program->operands[0];
  const assay_type_t *rhs = &program->operands[1];
  const assay_type_t *result = &program->results[0];
  int64_t features = lhs->dims[c->places.lhs[FEATURE]];
  int64_t outputs = rhs->dims[c->places.rhs[KERNEL_OUTPUT]];
  if (features % c->feature_groups != 0) return "C11: features in equal groups";
  if (rhs->dims[c->places.rhs[KERNEL_INPUT]] != features / c->feature_groups)
    return "C14: features of rhs";
  if (outputs % c->feature_groups != 0) return "C16: output features in equal groups";
  if (result->dims[c->places.result[BATCH]] != lhs->dims[c->places.lhs[BATCH]] ||
      result->dims[c->places.result[FEATURE]] != outputs) {
    return "C25: batch and features of the result";
  }
  for (uint32_t i = 0; i < c->spatial_count; i++) {
    int64_t size = lhs->dims[c->places.lhs[FIRST + i]];
    if (result->dims[c->places.result[FIRST + i]] != plugin_count_windows(size, &c->windows[i])) {
      return "C25: spatial sizes of the result";
    }
  }
  const char *precision = assay_attribute_text(program, "precision");
  const char *comma = precision == NULL ? NULL : strchr(precision, ',');
  bool are_two = precision == NULL || (comma != NULL && strchr(comma + 1, ',') == NULL);
  return are_two ? NULL : "C24: precision_config has two entries";
}

/* What the primitive does not do, or NULL. */
static const char *check_window(const convolution_t *c) {
  for (uint32_t i = 0; i < c->spatial_count; i++) {
    const plugin_window_t *window = &c->windows[i];
    if (!plugin_window_is_small(window)) return "no such large windows";
    if (window->is_reversed && window->size > 1) return "no reversed windows";
    if (window->base_dilation != 1) return "no dilation of lhs";
    if (window->low < 0 || window->high < 0) return "no negative padding";
  }
  return c->batch_groups == 1 ? NULL : "no groups of the batch";
}

/* Strides in elements of a dense tensor. */
static void find_strides(const assay_type_t *type, int64_t *out_strides) {
  int64_t stride = 1;
  for (uint32_t d = type->rank; d-- > 0;) {
    out_strides[d] = stride;
    stride *= type->dims[d];
  }
}

/* A tensor with its dimensions in the order of `places`; a program without spatial dimensions has
 * one of size 1 here. */
static dnnl_status_t describe(const dnnl_functions_t *dnnl, const assay_type_t *type,
                              const uint32_t *places, dnnl_data_type_t element,
                              dnnl_memory_desc_t *out_memory) {
  int64_t all[ASSAY_RANK_MAX];
  dnnl_dims_t sizes = {0};
  dnnl_dims_t strides = {0};
  find_strides(type, all);
  uint32_t rank = type->rank;
  for (uint32_t i = 0; i < rank; i++) {
    sizes[i] = type->dims[places[i]];
    strides[i] = all[places[i]];
  }
  if (rank == FIRST) {
    sizes[rank] = 1;
    strides[rank++] = 1;
  }
  return dnnl->dnnl_memory_desc_init_by_strides(out_memory, (int)rank, sizes, element, strides);
}

/* Weights: groups if there are several, output features of a group, input features, spatial. */
static dnnl_status_t describe_weights(const dnnl_functions_t *dnnl, const assay_type_t *type,
                                      const convolution_t *c, dnnl_data_type_t element,
                                      dnnl_memory_desc_t *out_memory) {
  int64_t all[ASSAY_RANK_MAX];
  dnnl_dims_t sizes = {0};
  dnnl_dims_t strides = {0};
  find_strides(type, all);
  int rank = 0;
  int64_t outputs = type->dims[c->places.rhs[KERNEL_OUTPUT]] / c->feature_groups;
  if (c->feature_groups > 1) {
    sizes[rank] = c->feature_groups;
    strides[rank++] = outputs * all[c->places.rhs[KERNEL_OUTPUT]];
  }
  sizes[rank] = outputs;
  strides[rank++] = all[c->places.rhs[KERNEL_OUTPUT]];
  sizes[rank] = type->dims[c->places.rhs[KERNEL_INPUT]];
  strides[rank++] = all[c->places.rhs[KERNEL_INPUT]];
  for (uint32_t i = 0; i < c->spatial_count; i++) {
    sizes[rank] = c->windows[i].size;
    strides[rank++] = all[c->places.rhs[FIRST + i]];
  }
  if (c->spatial_count == 0) {
    sizes[rank] = 1;
    strides[rank++] = 1;
  }
  return dnnl->dnnl_memory_desc_init_by_strides(out_memory, rank, sizes, element, strides);
}

static dnnl_status_t describe_convolution(const dnnl_functions_t *dnnl,
                                          const assay_program_t *program, const convolution_t *c,
                                          dnnl_data_type_t operand_type,
                                          dnnl_data_type_t result_type, plan_t *plan) {
  dnnl_status_t status =
      describe(dnnl, &program->operands[0], c->places.lhs, operand_type, &plan->inputs[0]);
  if (status != dnnl_success) return status;
  status = describe_weights(dnnl, &program->operands[1], c, operand_type, &plan->inputs[1]);
  if (status != dnnl_success) return status;
  status = describe(dnnl, &program->results[0], c->places.result, result_type, &plan->output);
  if (status != dnnl_success) return status;
  plan_windows_t windows = {.strides = {1}};
  for (uint32_t i = 0; i < c->spatial_count; i++) {
    windows.strides[i] = c->windows[i].stride;
    windows.dilations[i] = c->windows[i].dilation - 1;
    windows.low[i] = c->windows[i].low;
    windows.high[i] = c->windows[i].high;
  }
  return plan_describe_convolution(dnnl, plan, &windows);
}

static int32_t find_types(const plan_request_t *request, const convolution_t *c, plan_t *plan,
                          dnnl_data_type_t *out_operand, dnnl_data_type_t *out_result,
                          assay_reason_t *reason) {
  const assay_program_t *program = request->program;
  const assay_type_t *lhs = &program->operands[0];
  const assay_type_t *rhs = &program->operands[1];
  const assay_type_t *result = &program->results[0];
  bool is_quantized =
      assay_is_quantized(lhs) || assay_is_quantized(rhs) || assay_is_quantized(result);
  if (!is_quantized) {
    if (!assay_type_is(rhs, lhs->element)) {
      return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken C27: one element type");
    }
    if (!assay_type_is(result, lhs->element)) {
      return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "a result of the operands' type");
    }
    *out_operand = assay_type_is(lhs, "f32")    ? dnnl_f32
                   : assay_type_is(lhs, "bf16") ? dnnl_bf16
                                                : dnnl_data_type_undef;
    *out_result = *out_operand;
    if (*out_operand != dnnl_data_type_undef) return ASSAY_EXECUTOR_OK;
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no convolution of %s", lhs->element);
  }
  *out_operand = dnnl_s8;
  assay_quantization_t quantization;
  plan_channels_t channels = {.dimension = 1,
                              .count = result->dims[c->places.result[FEATURE]],
                              .rhs_stride = 1,
                              .result_stride = 1};
  if (assay_read_quantization(rhs, &quantization) &&
      quantization.axis == (int64_t)c->places.rhs[KERNEL_OUTPUT]) {
    channels.rhs_size = channels.count;
  }
  if (assay_read_quantization(result, &quantization) &&
      quantization.axis == (int64_t)c->places.result[FEATURE]) {
    channels.result_size = channels.count;
  }
  return plan_quantized_product(request, &channels, plan, out_result, reason);
}

int32_t plan_convolution(const dnnl_functions_t *dnnl, const assay_program_t *program,
                         bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  static const char *const keys[] = {
      "window_strides",    "padding",         "lhs_dilation",
      "rhs_dilation",      "window_reversal", "feature_group_count",
      "batch_group_count", "precision",       "dimension_numbers",
  };
  const char *unknown = assay_find_unknown_key(program, keys, sizeof keys / sizeof keys[0]);
  if (unknown != NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no attribute %s here", unknown);
  }
  const uint32_t rank = program->operand_count == 2 ? program->operands[0].rank : 0;
  if (program->operand_count != 2 || program->result_count != 1 ||
      program->operands[1].rank != rank || program->results[0].rank != rank || rank < FIRST) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken C1, C26: ranks");
  }
  if (rank > FIRST + SPATIAL_MAX) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no more than 3 spatial dimensions");
  }
  convolution_t convolution;
  const char *broken = read_convolution(program, &convolution);
  if (broken != NULL) return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken %s", broken);
  const char *refused = check_window(&convolution);
  if (refused != NULL) return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", refused);
  broken = check_sizes(program, &convolution);
  if (broken != NULL) return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken %s", broken);
  if (assay_type_is_empty(&program->operands[0]) || assay_type_is_empty(&program->operands[1]) ||
      assay_type_is_empty(&program->results[0])) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no convolution of nothing");
  }
  dnnl_data_type_t operand_type = dnnl_data_type_undef;
  dnnl_data_type_t result_type = dnnl_data_type_undef;
  *out_plan = (plan_t){.input_count = 2, .input_arguments = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS}};
  const plan_request_t request = {
      .dnnl = dnnl, .program = program, .takes_any_types = takes_any_types};
  int32_t code = find_types(&request, &convolution, out_plan, &operand_type, &result_type, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  return plan_answer(
      dnnl, describe_convolution(dnnl, program, &convolution, operand_type, result_type, out_plan),
      "convolution", reason);
}
