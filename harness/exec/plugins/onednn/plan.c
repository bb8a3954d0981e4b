/* SPDX-License-Identifier: Apache-2.0 */
/* Which primitive does which op, and what plans have in common. */
#include "harness/exec/plugins/onednn/version3/describe.h"
#include "harness/exec/plugins/onednn/version3/version3.h"

int32_t plan_answer(const dnnl_functions_t *dnnl, dnnl_status_t status, const char *what,
                    assay_reason_t *reason) {
  if (status == dnnl_success) return ASSAY_EXECUTOR_OK;
  bool is_refusal = status == dnnl_unimplemented || status == dnnl_invalid_arguments;
  return assay_explain(reason, is_refusal ? ASSAY_EXECUTOR_UNSUPPORTED : ASSAY_EXECUTOR_FAILED,
                       "%s: oneDNN says %s", what, dnnl->dnnl_status2str(status));
}

dnnl_status_t plan_describe(const dnnl_functions_t *dnnl, uint32_t rank, const int64_t *sizes,
                            dnnl_data_type_t type, dnnl_memory_desc_t *out_memory) {
  dnnl_dims_t strides;
  int64_t stride = 1;
  for (uint32_t d = rank; d-- > 0;) {
    strides[d] = stride;
    stride *= sizes[d];
  }
  return dnnl->dnnl_memory_desc_init_by_strides(out_memory, (int)rank, sizes, type, strides);
}

dnnl_status_t plan_describe_convolution(const dnnl_functions_t *dnnl, plan_t *plan,
                                        const plan_windows_t *windows) {
  if (dnnl->version3 != NULL) {
    version3_describe_convolution(plan, windows);
    return dnnl_success;
  }
  return dnnl->dnnl_dilated_convolution_forward_desc_init(
      &plan->operation.convolution, dnnl_forward_inference, dnnl_convolution_direct,
      &plan->inputs[0], &plan->inputs[1], NULL, &plan->output, windows->strides, windows->dilations,
      windows->low, windows->high);
}

dnnl_status_t plan_describe_pooling(const dnnl_functions_t *dnnl, plan_t *plan,
                                    dnnl_alg_kind_t algorithm, const plan_windows_t *windows) {
  if (dnnl->version3 != NULL) {
    version3_describe_pooling(plan, algorithm, windows);
    return dnnl_success;
  }
  return dnnl->dnnl_pooling_v2_forward_desc_init(
      &plan->operation.pooling, dnnl_forward_inference, algorithm, &plan->inputs[0], &plan->output,
      windows->strides, windows->kernel, windows->dilations, windows->low, windows->high);
}

dnnl_status_t plan_append_eltwise(const dnnl_functions_t *dnnl, dnnl_post_ops_t operations,
                                  dnnl_alg_kind_t algorithm, float alpha, float beta) {
  if (dnnl->version3 != NULL) {
    return version3_append_eltwise(dnnl->version3, operations, algorithm, alpha, beta);
  }
  return dnnl->dnnl_post_ops_append_eltwise(operations, 1, algorithm, alpha, beta);
}

dnnl_status_t plan_append_shift(const dnnl_functions_t *dnnl, dnnl_primitive_attr_t attributes,
                                float shift) {
  dnnl_post_ops_t operations = NULL;
  dnnl_status_t status = dnnl->dnnl_post_ops_create(&operations);
  if (status != dnnl_success) return status;
  const float keep = 1;
  status = plan_append_eltwise(dnnl, operations, dnnl_eltwise_linear, keep, shift);
  if (status == dnnl_success) {
    status = dnnl->dnnl_primitive_attr_set_post_ops(attributes, operations); /* A copy. */
  }
  dnnl->dnnl_post_ops_destroy(operations);
  return status;
}

typedef struct planner {
  const char *op;
  plan_make_t *make;
} planner_t;

static const planner_t planners[] = {
    {"stablehlo.dot_general", plan_matmul},
    {"stablehlo.reduce", plan_reduction},
    {"stablehlo.convolution", plan_convolution},
    {"stablehlo.reduce_window", plan_pooling},
    {"stablehlo.convert", plan_reorder},
    {"stablehlo.uniform_quantize", plan_reorder},
    {"stablehlo.uniform_dequantize", plan_reorder},
    {"stablehlo.add", plan_binary},
    {"stablehlo.subtract", plan_binary},
    {"stablehlo.multiply", plan_binary},
    {"stablehlo.maximum", plan_binary},
    {"stablehlo.minimum", plan_binary},
    {"stablehlo.reshape", plan_movement},
    {"stablehlo.transpose", plan_movement},
    {"stablehlo.broadcast_in_dim", plan_broadcast},
    {"stablehlo.concatenate", plan_concatenate},
    {"byteir.softmax", plan_softmax},
    {"byteir.log_softmax", plan_softmax},
    {"byteir.gelu", plan_gelu},
    {"byteir.layer_norm", plan_layer_norm},
    {"byteir.resize", plan_resize},
    {"byteir.dequantize", plan_dequantize},
    {"module", plan_module},
};

void plan_release(const dnnl_functions_t *dnnl, plan_t *plan) {
  if (plan->attributes != NULL) dnnl->dnnl_primitive_attr_destroy(plan->attributes);
  for (uint32_t i = 0; i < PLAN_INPUTS_MAX; i++) free(plan->constants[i]);
  if (plan->before == NULL) return;
  plan_release(dnnl, plan->before);
  free(plan->before);
}

int32_t plan_before(const dnnl_functions_t *dnnl, const assay_program_t *program,
                    bool takes_any_types, plan_t *inout_plan, assay_reason_t *reason) {
  inout_plan->before = calloc(1, sizeof *inout_plan->before);
  if (inout_plan->before == NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
  }
  return plan_make(dnnl, program, takes_any_types, inout_plan->before, reason);
}

int32_t plan_make(const dnnl_functions_t *dnnl, const assay_program_t *program,
                  bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  *out_plan = (plan_t){.input_count = 0};
  for (size_t i = 0; i < sizeof planners / sizeof planners[0]; i++) {
    if (strcmp(planners[i].op, program->op) != 0) continue;
    return planners[i].make(dnnl, program, takes_any_types, out_plan, reason);
  }
  return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no %s here", program->op);
}

int32_t plan_choose(const dnnl_functions_t *dnnl, const plan_t *plan, dnnl_engine_t engine,
                    dnnl_primitive_attr_t strict, dnnl_primitive_desc_t *out_descriptor,
                    assay_reason_t *reason) {
  dnnl_primitive_attr_t attributes = plan->attributes == NULL ? strict : plan->attributes;
  dnnl_status_t status = dnnl_unimplemented;
  if (dnnl->version3 != NULL) {
    status = version3_choose(dnnl->version3, plan, attributes, engine, out_descriptor);
    return plan_answer(dnnl, status, "primitive", reason);
  }
  switch (plan->kind) {
    case PLAN_OPERATION:
      status = dnnl->dnnl_primitive_desc_create(out_descriptor, &plan->operation, attributes,
                                                engine, NULL);
      break;
    case PLAN_REORDER:
      status = dnnl->dnnl_reorder_primitive_desc_create(out_descriptor, &plan->inputs[0], engine,
                                                        &plan->output, engine, attributes);
      break;
    case PLAN_CONCATENATE:
      status = dnnl->dnnl_concat_primitive_desc_create(out_descriptor, &plan->output,
                                                       (int)plan->input_count, plan->dimension,
                                                       plan->inputs, attributes, engine);
      break;
  }
  return plan_answer(dnnl, status, "primitive", reason);
}
