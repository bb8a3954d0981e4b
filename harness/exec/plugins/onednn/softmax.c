/* SPDX-License-Identifier: Apache-2.0 */
/* softmax and log_softmax by the softmax primitive, in its accurate and its logarithmic algorithm;
 * the accurate one subtracts the maximum. */
#include "harness/exec/plugins/onednn/byteir.h"

int32_t plan_softmax(const dnnl_functions_t *dnnl, const assay_program_t *program,
                     bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  (void)takes_any_types;
  static const byteir_signature_t signature = {1, 1, {"axis"}};
  int32_t code = byteir_check_signature(program, &signature, reason);
  if (code == ASSAY_EXECUTOR_OK) code = byteir_check_floats(program, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  const assay_type_t *operand = &program->operands[0];
  int64_t axis = 0;
  dnnl_data_type_t type = dnnl_f32;
  code = byteir_read_axis(program, operand->rank, &axis, reason);
  if (code == ASSAY_EXECUTOR_OK) code = byteir_find_type(operand, &type, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  *out_plan = (plan_t){.input_count = 1, .input_arguments = {DNNL_ARG_SRC}};
  bool is_log = strcmp(program->op, "byteir.log_softmax") == 0;
  dnnl_status_t status =
      plan_describe(dnnl, operand->rank, operand->dims, type, &out_plan->inputs[0]);
  out_plan->output = out_plan->inputs[0];
  if (status == dnnl_success) {
    status = dnnl->dnnl_softmax_v2_forward_desc_init(
        &out_plan->operation.softmax, dnnl_forward_inference,
        is_log ? dnnl_softmax_log : dnnl_softmax_accurate, &out_plan->inputs[0], &out_plan->output,
        (int)axis);
  }
  return plan_answer(dnnl, status, "softmax", reason);
}
