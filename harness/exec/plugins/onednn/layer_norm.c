/* SPDX-License-Identifier: Apache-2.0 */
/* layer_norm by the layer normalization primitive: along the last dimensions, which are one to it.
 * Its weight and bias are of f32 always, and what it gives beside the result is a variance. */
#include "harness/exec/plugins/onednn/byteir.h"

static void widen_bf16(const plan_t *plan, uint32_t input, const void *operand, void *packed) {
  const uint16_t *from = operand;
  uint32_t *to = packed;
  for (size_t i = 0; i < plan->packed_bytes[input] / sizeof *to; i++)
    to[i] = (uint32_t)from[i] << 16;
}

/* Whether weight or bias has the dimensions of the axes, ascending, and the input's numbers or f32.
 */
static bool suits_axes(const assay_type_t *type, const assay_type_t *input,
                       const assay_dims_t *axes) {
  bool is_of_type = assay_type_is(type, input->element) || byteir_is_wider(type, input);
  if (type->rank != axes->count || !is_of_type) return false;
  uint32_t position = 0;
  for (uint32_t dim = 0; dim < input->rank; dim++) {
    if (!assay_dims_contain(axes, dim)) continue;
    if (type->dims[position++] != input->dims[dim]) return false;
  }
  return true;
}

static bool are_last(const assay_dims_t *axes, uint32_t rank) {
  for (uint32_t dim = rank - axes->count; dim < rank; dim++) {
    if (!assay_dims_contain(axes, dim)) return false;
  }
  return true;
}

/* ASSAY_EXECUTOR_OK, and the axes of a program that the primitive can do. */
static int32_t check_program(const assay_program_t *program, assay_dims_t *out_axes,
                             assay_reason_t *reason) {
  static const byteir_signature_t one = {3, 1, {"epsilon", "axis", "eps_outside_sqrt"}};
  static const byteir_signature_t three = {3, 3, {"epsilon", "axis", "eps_outside_sqrt"}};
  int32_t code =
      byteir_check_signature(program, program->result_count == 1 ? &one : &three, reason);
  if (code == ASSAY_EXECUTOR_OK) code = byteir_check_floats(program, reason);
  const assay_type_t *input = &program->operands[0];
  if (code == ASSAY_EXECUTOR_OK) code = byteir_read_axes(program, input->rank, out_axes, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  if (!suits_axes(&program->operands[1], input, out_axes) ||
      !suits_axes(&program->operands[2], input, out_axes)) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID,
                         "broken shape: weight and bias have the dimensions of the axes");
  }
  if (program->result_count == 3) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED,
                         "no inverse deviation, but a variance");
  }
  if (assay_attribute_is(program, "eps_outside_sqrt", "true")) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no epsilon outside the root");
  }
  if (are_last(out_axes, input->rank)) return ASSAY_EXECUTOR_OK;
  return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "normalizes the last dimensions only");
}

static dnnl_status_t describe_layer_norm(const dnnl_functions_t *dnnl,
                                         const assay_program_t *program, const assay_dims_t *axes,
                                         dnnl_data_type_t type, float epsilon, plan_t *plan) {
  const assay_type_t *input = &program->operands[0];
  assay_dims_t rest = assay_dims_rest(axes, input->rank);
  const int64_t sizes[] = {assay_dims_extent(&rest, input), assay_dims_extent(axes, input)};
  dnnl_status_t status = plan_describe(dnnl, 2, sizes, type, &plan->inputs[0]);
  plan->output = plan->inputs[0];
  for (uint32_t i = 1; i < 3 && status == dnnl_success; i++) {
    status = plan_describe(dnnl, 1, &sizes[1], dnnl_f32, &plan->inputs[i]);
    if (!assay_type_is(&program->operands[i], "bf16")) continue;
    plan->packed_bytes[i] = (size_t)sizes[1] * sizeof(float);
    plan->prepare[i] = widen_bf16;
  }
  if (status != dnnl_success) return status;
  return dnnl->dnnl_layer_normalization_forward_desc_init(
      &plan->operation.layer_normalization, dnnl_forward_inference, &plan->inputs[0], NULL, epsilon,
      dnnl_use_scale | dnnl_use_shift);
}

int32_t plan_layer_norm(const dnnl_functions_t *dnnl, const assay_program_t *program,
                        bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  (void)takes_any_types;
  assay_dims_t axes = {.count = 0};
  dnnl_data_type_t type = dnnl_f32;
  int32_t code = check_program(program, &axes, reason);
  const assay_type_t *input = &program->operands[0];
  if (code == ASSAY_EXECUTOR_OK) code = byteir_find_type(input, &type, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  double epsilon = 0;
  assay_attribute_number(program, "epsilon", &epsilon);
  *out_plan =
      (plan_t){.input_count = 3, .input_arguments = {DNNL_ARG_SRC, DNNL_ARG_SCALE, DNNL_ARG_SHIFT}};
  dnnl_status_t status = describe_layer_norm(dnnl, program, &axes, type, (float)epsilon, out_plan);
  return plan_answer(dnnl, status, "layer normalization", reason);
}
