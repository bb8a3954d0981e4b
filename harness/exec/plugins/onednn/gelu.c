/* SPDX-License-Identifier: Apache-2.0 */
/* gelu by the eltwise primitive.  It has no erf of its own. */
#include "harness/exec/plugins/onednn/byteir.h"

int32_t plan_gelu(const dnnl_functions_t *dnnl, const assay_program_t *program,
                  bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  (void)takes_any_types;
  static const byteir_signature_t signature = {1, 1, {"approximate"}};
  int32_t code = byteir_check_signature(program, &signature, reason);
  if (code == ASSAY_EXECUTOR_OK) code = byteir_check_floats(program, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  bool is_tanh = assay_attribute_is(program, "approximate", "tanh");
  if (!is_tanh && !assay_attribute_is(program, "approximate", "erf") &&
      !assay_attribute_is(program, "approximate", "none")) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken approximate: none, erf or tanh");
  }
  const assay_type_t *operand = &program->operands[0];
  dnnl_data_type_t type = dnnl_f32;
  code = byteir_find_type(operand, &type, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  *out_plan = (plan_t){.input_count = 1, .input_arguments = {DNNL_ARG_SRC}};
  const int64_t count = (int64_t)assay_type_count(operand);
  dnnl_status_t status = plan_describe(dnnl, 1, &count, type, &out_plan->inputs[0]);
  out_plan->output = out_plan->inputs[0];
  if (status == dnnl_success) {
    status = dnnl->dnnl_eltwise_forward_desc_init(
        &out_plan->operation.eltwise, dnnl_forward_inference,
        is_tanh ? dnnl_eltwise_gelu_tanh : dnnl_eltwise_gelu_erf, &out_plan->inputs[0], 0, 0);
  }
  return plan_answer(dnnl, status, "eltwise", reason);
}
