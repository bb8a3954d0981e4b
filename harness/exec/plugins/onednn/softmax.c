/* SPDX-License-Identifier: Apache-2.0 */
/* softmax and log_softmax by the softmax primitive, in its accurate and its logarithmic algorithm;
 * the accurate one subtracts the maximum.
 *
 * Modules about a softmax of what is dequantized, or whose result is quantized.  The primitive has
 * an output scale, by whose reciprocal it multiplies (permission intermediates=either, theory.md,
 * T177), but no zero point of its result, and no scale of what it takes: that is dequantized by a
 * reorder before. */
#include <float.h>

#include "harness/exec/plugins/onednn/byteir.h"
#include "harness/exec/plugins/onednn/module.h"

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

/* ---- Modules --------------------------------------------------------------------------------- */

/* The result as a number of i8 or ui8 in place of f32. */
static int32_t quantize(const dnnl_functions_t *dnnl, const assay_program_t *program, plan_t *plan,
                        assay_reason_t *reason) {
  module_quantized_t to;
  const assay_type_t *type = &program->results[0];
  const char *refused = module_read_quantized(type, &to);
  if (refused == NULL && to.zero_point != 0) refused = "a softmax has no zero point of its result";
  if (refused == NULL && to.type.has_range) refused = "saturates at the ends of the type";
  if (refused == NULL && !(1 / to.scale <= (double)FLT_MAX)) refused = "no multiplier beyond f32";
  if (refused != NULL) return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", refused);
  const float multiplier = (float)(1 / to.scale);
  dnnl_softmax_v2_desc_t *softmax = &plan->operation.softmax;
  dnnl_status_t status = plan_describe(dnnl, type->rank, type->dims, to.data_type, &plan->output);
  if (status == dnnl_success) {
    status = dnnl->dnnl_softmax_v2_forward_desc_init(softmax, dnnl_forward_inference,
                                                     softmax->alg_kind, &plan->inputs[0],
                                                     &plan->output, softmax->softmax_axis);
  }
  if (status == dnnl_success) status = dnnl->dnnl_primitive_attr_create(&plan->attributes);
  if (status == dnnl_success) {
    status = dnnl->dnnl_primitive_attr_set_output_scales(plan->attributes, 1, 0, &multiplier);
  }
  return plan_answer(dnnl, status, "softmax", reason);
}

int32_t module_plan_softmax(const dnnl_functions_t *dnnl, const assay_program_t *program,
                            bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  module_region_t region = {.program = program, .module = program->module};
  const assay_step_t *softmax = module_take_end(&region);
  bool is_softmax =
      module_is_op(softmax, "byteir.softmax") || module_is_op(softmax, "byteir.log_softmax");
  uint32_t source = 0, used = region.used;
  const assay_type_t *type = is_softmax ? module_take_source(&region, softmax, 0, &source) : NULL;
  if (type == NULL || region.maximum != NULL || region.used + 1 != program->module->step_count) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED,
                         "a module with a softmax is that of an operand, and uniform_quantize");
  }
  int32_t code = plan_make(dnnl, softmax->program, takes_any_types, out_plan, reason);
  if (code == ASSAY_EXECUTOR_OK && region.quantize != NULL) {
    code = quantize(dnnl, program, out_plan, reason);
  }
  if (code != ASSAY_EXECUTOR_OK) return code;
  out_plan->is_wired = true;
  out_plan->operand_of[0] = source;
  if (region.used == used) return ASSAY_EXECUTOR_OK;
  const assay_step_t *before = module_find_step(program->module, softmax->operands[0]);
  return plan_before(dnnl, before->program, takes_any_types, out_plan, reason);
}
