/* SPDX-License-Identifier: Apache-2.0 */
/* dequantize by the reorder primitive with a scale and a zero point: (q - zero point) * scale.  One
 * zero point a channel it does not know.  quantize it does not do: its reorder multiplies by a
 * scale, and rounds after it has added the zero point, where ByteIR's op divides, rounds, and then
 * adds. */
#include "harness/exec/plugins/onednn/byteir.h"

static void widen_i8(const plan_t *plan, uint32_t input, const void *operand, void *packed) {
  (void)plan, (void)input;
  *(int32_t *)packed = *(const int8_t *)operand;
}

static void widen_ui8(const plan_t *plan, uint32_t input, const void *operand, void *packed) {
  (void)plan, (void)input;
  *(int32_t *)packed = *(const uint8_t *)operand;
}

/* Scale and zero point come with each execution. */
static dnnl_status_t create_attributes(const dnnl_functions_t *dnnl, plan_t *plan) {
  const float scale = DNNL_RUNTIME_F32_VAL;
  const int32_t zero_point = DNNL_RUNTIME_S32_VAL;
  dnnl_status_t status = dnnl->dnnl_primitive_attr_create(&plan->attributes);
  if (status != dnnl_success) return status;
  status = dnnl->dnnl_primitive_attr_set_output_scales(plan->attributes, 1, 0, &scale);
  if (status != dnnl_success) return status;
  return dnnl->dnnl_primitive_attr_set_zero_points(plan->attributes, DNNL_ARG_FROM, 1, 0,
                                                   &zero_point);
}

/* The rule that the program breaks, or NULL. */
static const char *check_dequantize(const assay_program_t *program) {
  assay_type_t quantized = program->results[0];
  quantized.element = program->operands[0].element;
  const assay_type_t *scale = &program->operands[1];
  const assay_type_t *zero_point = &program->operands[2];
  if (!byteir_types_equal(&quantized, &program->operands[0])) {
    return "result: the shape of the operand";
  }
  if (!byteir_is_float(scale) || !assay_type_is(scale, program->results[0].element)) {
    return "types: scale and result are floats of one type";
  }
  bool is_storage = assay_type_is(zero_point, "i8") || assay_type_is(zero_point, "ui8") ||
                    assay_type_is(zero_point, "i16") || assay_type_is(zero_point, "ui16");
  if (!is_storage || !assay_type_is(zero_point, quantized.element)) {
    return "types: integers of one type of 8 or 16 bits";
  }
  bool is_one = scale->rank == zero_point->rank &&
                (scale->rank == 0 || (scale->rank == 1 && scale->dims[0] == zero_point->dims[0]));
  if (!is_one) return "shape: one scale and zero point, or one a channel";
  bool has_axis = assay_attribute_text(program, "axis") != NULL;
  return has_axis == (scale->rank == 1) ? NULL : "axis: there if there are channels";
}

int32_t plan_dequantize(const dnnl_functions_t *dnnl, const assay_program_t *program,
                        bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  (void)takes_any_types;
  static const byteir_signature_t signature = {3, 1, {"axis"}};
  int32_t code = byteir_check_signature(program, &signature, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  const char *broken = check_dequantize(program);
  if (broken != NULL) return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken %s", broken);
  const assay_type_t *operand = &program->operands[0];
  bool is_signed = assay_type_is(operand, "i8");
  if (program->operands[1].rank != 0) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no zero point for each channel");
  }
  if ((!is_signed && !assay_type_is(operand, "ui8")) ||
      !assay_type_is(&program->results[0], "f32") || !assay_type_is(&program->operands[1], "f32") ||
      assay_type_is_empty(operand)) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "dequantizes i8 or ui8 to f32");
  }
  plan_prepare_t *widen = is_signed ? widen_i8 : widen_ui8;
  *out_plan = (plan_t){.kind = PLAN_REORDER,
                       .input_count = 3,
                       .input_arguments = {DNNL_ARG_FROM, DNNL_ARG_ATTR_OUTPUT_SCALES,
                                           DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_FROM},
                       .prepare = {NULL, NULL, widen},
                       .packed_bytes = {0, 0, sizeof(int32_t)}};
  const int64_t count = (int64_t)assay_type_count(operand);
  const int64_t one = 1;
  dnnl_status_t status =
      plan_describe(dnnl, 1, &count, is_signed ? dnnl_s8 : dnnl_u8, &out_plan->inputs[0]);
  if (status == dnnl_success) {
    status = plan_describe(dnnl, 1, &one, dnnl_f32, &out_plan->inputs[1]);
  }
  if (status == dnnl_success) {
    status = plan_describe(dnnl, 1, &one, dnnl_s32, &out_plan->inputs[2]);
  }
  if (status == dnnl_success) {
    status = plan_describe(dnnl, 1, &count, dnnl_f32, &out_plan->output);
  }
  if (status == dnnl_success) status = create_attributes(dnnl, out_plan);
  return plan_answer(dnnl, status, "reorder", reason);
}
