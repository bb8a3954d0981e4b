/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of types, attributes and axes that the oneDNN plug-in's ByteIR ops share, with reasons
 * that tell invalid programs from unsupported ones. */
#include "harness/exec/plugins/onednn/byteir.h"

int32_t byteir_check_signature(const assay_program_t *program, const byteir_signature_t *signature,
                               assay_reason_t *reason) {
  size_t count = 0;
  while (signature->keys[count] != NULL) count++;
  const char *unknown = assay_find_unknown_key(program, signature->keys, count);
  if (unknown != NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no attribute %s here", unknown);
  }
  if (program->operand_count == signature->operands &&
      program->result_count == signature->results) {
    return ASSAY_EXECUTOR_OK;
  }
  return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken count: %u operands, %u results",
                       signature->operands, signature->results);
}

bool byteir_types_equal(const assay_type_t *a, const assay_type_t *b) {
  if (a->rank != b->rank || !assay_type_is(a, b->element)) return false;
  for (uint32_t i = 0; i < a->rank; i++) {
    if (a->dims[i] != b->dims[i]) return false;
  }
  return true;
}

bool byteir_is_float(const assay_type_t *type) {
  return assay_type_is(type, "f16") || assay_type_is(type, "bf16") || assay_type_is(type, "f32") ||
         assay_type_is(type, "f64");
}

bool byteir_is_wider(const assay_type_t *type, const assay_type_t *first) {
  return assay_type_is(type, "f32") &&
         (assay_type_is(first, "f16") || assay_type_is(first, "bf16"));
}

int32_t byteir_check_floats(const assay_program_t *program, assay_reason_t *reason) {
  const assay_type_t *operand = &program->operands[0];
  if (!byteir_is_float(operand)) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID,
                         "broken types: %s is no f16, bf16, f32, f64", operand->element);
  }
  if (byteir_types_equal(operand, &program->results[0])) return ASSAY_EXECUTOR_OK;
  if (byteir_is_wider(&program->results[0], operand)) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no result of f32 from %s",
                         operand->element);
  }
  return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken result: it has the operand's type");
}

int32_t byteir_find_type(const assay_type_t *type, dnnl_data_type_t *out_type,
                         assay_reason_t *reason) {
  if (assay_type_is_empty(type)) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "nothing of no numbers");
  }
  if (assay_type_is(type, "f32")) {
    *out_type = dnnl_f32;
  } else if (assay_type_is(type, "bf16")) {
    *out_type = dnnl_bf16;
  } else {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no primitive here for %s",
                         type->element);
  }
  return ASSAY_EXECUTOR_OK;
}

static int32_t check_axes(const assay_dims_t *axes, uint32_t rank, assay_reason_t *reason) {
  assay_dims_t counted = *axes;
  bool has_negative = false;
  for (uint32_t i = 0; i < counted.count; i++) {
    has_negative = has_negative || counted.dims[i] < 0;
    if (counted.dims[i] < 0) counted.dims[i] += rank;
  }
  if (!assay_dims_are_distinct(&counted, rank)) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken axis: distinct dimensions");
  }
  if (!has_negative) return ASSAY_EXECUTOR_OK;
  return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED,
                       "axes are not negative, says ByteIR's document of today");
}

int32_t byteir_read_axis(const assay_program_t *program, uint32_t rank, int64_t *out_axis,
                         assay_reason_t *reason) {
  assay_dims_t axes = {.count = 1};
  if (!assay_attribute_integer(program, "axis", &axes.dims[0])) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken axis: it is there");
  }
  *out_axis = axes.dims[0];
  return check_axes(&axes, rank, reason);
}

int32_t byteir_read_axes(const assay_program_t *program, uint32_t rank, assay_dims_t *out_axes,
                         assay_reason_t *reason) {
  if (!assay_attribute_dims(program, "axis", out_axes)) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken axis: it is there");
  }
  if (out_axes->count == 0) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "nothing along no axis");
  }
  return check_axes(out_axes, rank, reason);
}
