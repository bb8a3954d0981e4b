/* SPDX-License-Identifier: Apache-2.0 */
/* resize by the resampling primitive, whose coordinates are (x_resized + 0.5) / scale - 0.5: linear
 * in them is ByteIR's half_pixel, and pytorch_half_pixel where no size shrinks to 1.  Its nearest
 * rounds them, where ByteIR takes the next lower number. */
#include "harness/exec/plugins/onednn/byteir.h"

/* Sizes of a batch, a channel and one to three spatial dimensions; false if there are no such. */
static bool find_image(const assay_type_t *input, const assay_type_t *result, uint32_t *out_rank,
                       dnnl_dims_t out_input, dnnl_dims_t out_result) {
  bool keeps_two =
      input->rank >= 3 && input->dims[0] == result->dims[0] && input->dims[1] == result->dims[1];
  uint32_t added = keeps_two ? 0 : 2; /* All dimensions are spatial: a batch of one channel. */
  *out_rank = input->rank + added;
  if (*out_rank < 3 || *out_rank > 5) return false;
  for (uint32_t i = 0; i < *out_rank; i++) {
    out_input[i] = i < added ? 1 : input->dims[i - added];
    out_result[i] = i < added ? 1 : result->dims[i - added];
  }
  return true;
}

/* The rule that the program breaks, or NULL. */
static const char *check_resize(const assay_program_t *program) {
  const assay_type_t *input = &program->operands[0];
  const assay_type_t *target = &program->operands[1];
  const assay_type_t *result = &program->results[0];
  bool has_scales = assay_attribute_is(program, "target_mode", "scale");
  if (!has_scales && !assay_attribute_is(program, "target_mode", "size")) return "target_mode";
  if (has_scales ? !assay_type_is(target, "f32")
                 : !assay_type_is(target, "i32") && !assay_type_is(target, "i64")) {
    return "target: f32 scales, i32 or i64 sizes";
  }
  if (target->rank != 1 || target->dims[0] != (int64_t)input->rank) {
    return "target: a number for each dimension";
  }
  if (result->rank != input->rank || !assay_type_is(result, input->element)) {
    return "result: the rank and the type of the operand";
  }
  for (uint32_t i = 0; i < input->rank; i++) {
    if ((input->dims[i] == 0) != (result->dims[i] == 0)) return "empty: as it was";
  }
  return NULL;
}

/* What of a valid program the primitive does not mean, or NULL. */
static const char *check_meaning(const assay_program_t *program) {
  const assay_type_t *input = &program->operands[0];
  const assay_type_t *result = &program->results[0];
  if (!assay_attribute_is(program, "mode", "linear")) return "nearest rounds down in ByteIR only";
  if (!byteir_is_float(input)) return "of integers is not asked for here";
  const char *key = "coordinate_transformation_mode";
  if (assay_attribute_is(program, key, "half_pixel")) return NULL;
  if (!assay_attribute_is(program, key, "pytorch_half_pixel")) return "knows half_pixel only";
  for (uint32_t i = 0; i < input->rank; i++) {
    if (result->dims[i] == 1 && input->dims[i] != 1) return "has no other rule for a size of 1";
  }
  return NULL;
}

int32_t plan_resize(const dnnl_functions_t *dnnl, const assay_program_t *program,
                    bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  (void)takes_any_types;
  static const byteir_signature_t signature = {
      2, 1, {"target_mode", "mode", "coordinate_transformation_mode"}};
  int32_t code = byteir_check_signature(program, &signature, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  const char *broken = check_resize(program);
  if (broken != NULL) return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken %s", broken);
  const char *meaning = check_meaning(program);
  if (meaning != NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "resampling %s", meaning);
  }
  dnnl_data_type_t type = dnnl_f32;
  code = byteir_find_type(&program->operands[0], &type, reason);
  if (code == ASSAY_EXECUTOR_OK) {
    code = byteir_find_type(&program->results[0], &type, reason);
  }
  if (code != ASSAY_EXECUTOR_OK) return code;
  uint32_t rank = 0;
  dnnl_dims_t sizes, resized;
  if (!find_image(&program->operands[0], &program->results[0], &rank, sizes, resized)) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "resamples one to three dimensions");
  }
  *out_plan = (plan_t){.input_count = 1, .input_arguments = {DNNL_ARG_SRC}};
  dnnl_status_t status = plan_describe(dnnl, rank, sizes, type, &out_plan->inputs[0]);
  if (status == dnnl_success) {
    status = plan_describe(dnnl, rank, resized, type, &out_plan->output);
  }
  if (status == dnnl_success) {
    status = dnnl->dnnl_resampling_forward_desc_init(&out_plan->operation.resampling,
                                                     dnnl_forward_inference, dnnl_resampling_linear,
                                                     NULL, &out_plan->inputs[0], &out_plan->output);
  }
  return plan_answer(dnnl, status, "resampling", reason);
}
