/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oneDNN 2 that fill structures in, for a library that has them no longer. */
#include "harness/exec/plugins/onednn/version3/describe.h"

static dnnl_status_t describe_memory(dnnl_memory_desc_t *out, int rank, const dnnl_dims_t dims,
                                     dnnl_data_type_t type, const dnnl_dims_t strides) {
  if (rank < 0 || rank > DNNL_MAX_NDIMS) return dnnl_invalid_arguments;
  *out = (dnnl_memory_desc_t){
      .ndims = rank, .data_type = type, .format_kind = dnnl_blocked, .offset0 = 0};
  for (int d = 0; d < rank; d++) {
    out->dims[d] = out->padded_dims[d] = dims[d];
    out->format_desc.blocking.strides[d] = strides[d];
  }
  return dnnl_success;
}

static size_t bytes_of_element(dnnl_data_type_t type) {
  switch (type) {
    case dnnl_f16:
    case dnnl_bf16:
      return 2;
    case dnnl_f32:
    case dnnl_s32:
      return 4;
    case dnnl_s8:
    case dnnl_u8:
      return 1;
    case dnnl_data_type_undef:
    default:
      return 0;
  }
}

static size_t memory_size(const dnnl_memory_desc_t *memory) {
  size_t last = 0; /* The element that lies farthest. */
  for (int d = 0; d < memory->ndims; d++) {
    if (memory->dims[d] == 0) return 0;
    last += (size_t)(memory->dims[d] - 1) * (size_t)memory->format_desc.blocking.strides[d];
  }
  return (last + 1) * bytes_of_element(memory->data_type);
}

static dnnl_status_t describe_matmul(dnnl_matmul_desc_t *out, const dnnl_memory_desc_t *source,
                                     const dnnl_memory_desc_t *weights,
                                     const dnnl_memory_desc_t *bias,
                                     const dnnl_memory_desc_t *result) {
  *out = (dnnl_matmul_desc_t){.primitive_kind = dnnl_matmul,
                              .src_desc = *source,
                              .weights_desc = *weights,
                              .dst_desc = *result};
  if (bias != NULL) out->bias_desc = *bias;
  return dnnl_success;
}

static dnnl_status_t describe_reduction(dnnl_reduction_desc_t *out, dnnl_alg_kind_t algorithm,
                                        const dnnl_memory_desc_t *source,
                                        const dnnl_memory_desc_t *result, float p, float epsilon) {
  *out = (dnnl_reduction_desc_t){.primitive_kind = dnnl_reduction,
                                 .alg_kind = algorithm,
                                 .src_desc = *source,
                                 .dst_desc = *result,
                                 .p = p,
                                 .eps = epsilon};
  return dnnl_success;
}

static dnnl_status_t describe_softmax(dnnl_softmax_v2_desc_t *out, dnnl_prop_kind_t kind,
                                      dnnl_alg_kind_t algorithm, const dnnl_memory_desc_t *source,
                                      const dnnl_memory_desc_t *result, int axis) {
  const dnnl_memory_desc_t from = *source; /* It may lie in *out. */
  const dnnl_memory_desc_t to = *result;
  *out = (dnnl_softmax_v2_desc_t){.primitive_kind = dnnl_softmax_v2,
                                  .prop_kind = kind,
                                  .src_desc = from,
                                  .softmax_axis = axis,
                                  .alg_kind = algorithm,
                                  .dst_desc = to};
  return dnnl_success;
}

static dnnl_status_t describe_eltwise(dnnl_eltwise_desc_t *out, dnnl_prop_kind_t kind,
                                      dnnl_alg_kind_t algorithm, const dnnl_memory_desc_t *data,
                                      float alpha, float beta) {
  *out = (dnnl_eltwise_desc_t){.primitive_kind = dnnl_eltwise,
                               .prop_kind = kind,
                               .alg_kind = algorithm,
                               .data_desc = *data,
                               .alpha = alpha,
                               .beta = beta};
  return dnnl_success;
}

static dnnl_status_t describe_layer_normalization(dnnl_layer_normalization_desc_t *out,
                                                  dnnl_prop_kind_t kind,
                                                  const dnnl_memory_desc_t *data,
                                                  const dnnl_memory_desc_t *statistics,
                                                  float epsilon, unsigned flags) {
  *out = (dnnl_layer_normalization_desc_t){.primitive_kind = dnnl_layer_normalization,
                                           .prop_kind = kind,
                                           .data_desc = *data,
                                           .layer_norm_epsilon = epsilon,
                                           .flags = flags};
  return statistics == NULL ? dnnl_success : dnnl_unimplemented;
}

static dnnl_status_t describe_resampling(dnnl_resampling_desc_t *out, dnnl_prop_kind_t kind,
                                         dnnl_alg_kind_t algorithm, const float *factors,
                                         const dnnl_memory_desc_t *source,
                                         const dnnl_memory_desc_t *result) {
  *out = (dnnl_resampling_desc_t){.primitive_kind = dnnl_resampling,
                                  .prop_kind = kind,
                                  .alg_kind = algorithm,
                                  .src_desc = *source,
                                  .dst_desc = *result};
  return factors == NULL ? dnnl_success : dnnl_unimplemented;
}

void version3_describe_convolution(plan_t *plan, const plan_windows_t *windows) {
  dnnl_convolution_desc_t *out = &plan->operation.convolution;
  *out = (dnnl_convolution_desc_t){.primitive_kind = dnnl_convolution,
                                   .prop_kind = dnnl_forward_inference,
                                   .alg_kind = dnnl_convolution_direct,
                                   .src_desc = plan->inputs[0],
                                   .weights_desc = plan->inputs[1],
                                   .dst_desc = plan->output};
  memcpy(out->strides, windows->strides, sizeof out->strides);
  memcpy(out->dilates, windows->dilations, sizeof out->dilates);
  memcpy(out->padding[0], windows->low, sizeof out->padding[0]);
  memcpy(out->padding[1], windows->high, sizeof out->padding[1]);
}

void version3_describe_pooling(plan_t *plan, dnnl_alg_kind_t algorithm,
                               const plan_windows_t *windows) {
  dnnl_pooling_v2_desc_t *out = &plan->operation.pooling;
  *out = (dnnl_pooling_v2_desc_t){.primitive_kind = dnnl_pooling_v2,
                                  .prop_kind = dnnl_forward_inference,
                                  .alg_kind = algorithm,
                                  .src_desc = plan->inputs[0],
                                  .dst_desc = plan->output};
  memcpy(out->strides, windows->strides, sizeof out->strides);
  memcpy(out->kernel, windows->kernel, sizeof out->kernel);
  memcpy(out->dilation, windows->dilations, sizeof out->dilation);
  memcpy(out->padding[0], windows->low, sizeof out->padding[0]);
  memcpy(out->padding[1], windows->high, sizeof out->padding[1]);
}

static dnnl_status_t describe_binary(dnnl_binary_desc_t *out, dnnl_alg_kind_t algorithm,
                                     const dnnl_memory_desc_t *lhs, const dnnl_memory_desc_t *rhs,
                                     const dnnl_memory_desc_t *result) {
  *out = (dnnl_binary_desc_t){.primitive_kind = dnnl_binary,
                              .alg_kind = algorithm,
                              .src_desc = {*lhs, *rhs},
                              .dst_desc = *result};
  return dnnl_success;
}

/* What a primitive of oneDNN 3 gets when it runs, if at all. */

static dnnl_status_t refuse_output_scales(dnnl_primitive_attr_t attributes, dnnl_dim_t count,
                                          int mask, const float *scales) {
  (void)attributes, (void)count, (void)mask, (void)scales;
  return dnnl_unimplemented;
}

static dnnl_status_t refuse_scales(dnnl_primitive_attr_t attributes, int argument, dnnl_dim_t count,
                                   int mask, const float *scales) {
  (void)attributes, (void)argument, (void)count, (void)mask, (void)scales;
  return dnnl_unimplemented;
}

static dnnl_status_t refuse_zero_points(dnnl_primitive_attr_t attributes, int argument,
                                        dnnl_dim_t count, int mask, const int32_t *zero_points) {
  (void)attributes, (void)argument, (void)count, (void)mask, (void)zero_points;
  return dnnl_unimplemented;
}

static dnnl_status_t refuse_append_binary(dnnl_post_ops_t operations, dnnl_alg_kind_t algorithm,
                                          const dnnl_memory_desc_t *memory) {
  (void)operations, (void)algorithm, (void)memory;
  return dnnl_unimplemented;
}

void version3_fill_in(dnnl_functions_t *dnnl) {
  dnnl->dnnl_memory_desc_init_by_strides = describe_memory;
  dnnl->dnnl_memory_desc_get_size = memory_size;
  dnnl->dnnl_matmul_desc_init = describe_matmul;
  dnnl->dnnl_reduction_desc_init = describe_reduction;
  dnnl->dnnl_softmax_v2_forward_desc_init = describe_softmax;
  dnnl->dnnl_eltwise_forward_desc_init = describe_eltwise;
  dnnl->dnnl_layer_normalization_forward_desc_init = describe_layer_normalization;
  dnnl->dnnl_resampling_forward_desc_init = describe_resampling;
  dnnl->dnnl_binary_desc_init = describe_binary;
  dnnl->dnnl_primitive_attr_set_output_scales = refuse_output_scales;
  dnnl->dnnl_primitive_attr_set_scales = refuse_scales;
  dnnl->dnnl_primitive_attr_set_zero_points = refuse_zero_points;
  dnnl->dnnl_post_ops_append_binary = refuse_append_binary;
}
