/* convert, uniform_quantize and uniform_dequantize by the reorder primitive, where it is exact or
 * rounds as StableHLO does:
 *
 * - conversions to f32, and from f32 to bf16, to nearest.  Not to integers, where it rounds to
 * nearest and saturates: what StableHLO leaves open, a cast that most people call another one;
 * - uniform_quantize of f32: it multiplies by a scale, adds the zero point, rounds to nearest and
 *   saturates.  Multiplying by the inverse is dividing where the scale is a power of two, whose
 * inverse is a number;
 * - uniform_dequantize to f32: (stored - zero point) * scale. */
#include <math.h>

#include "harness/exec/plugins/onednn.h"
#include "harness/exec/plugins/plugin_quantized.h"

typedef struct reorder_types {
  const char *from;
  const char *to;
  dnnl_data_type_t from_type;
  dnnl_data_type_t to_type;
} reorder_types_t;

static const reorder_types_t conversions[] = {
    {"f32", "f32", dnnl_f32, dnnl_f32},     {"bf16", "f32", dnnl_bf16, dnnl_f32},
    {"f32", "bf16", dnnl_f32, dnnl_bf16},   {"i8", "f32", dnnl_s8, dnnl_f32},
    {"ui8", "f32", dnnl_u8, dnnl_f32},      {"i32", "f32", dnnl_s32, dnnl_f32},
    {"i8", "i32", dnnl_s8, dnnl_s32},       {"ui8", "i32", dnnl_u8, dnnl_s32},
    {"bf16", "bf16", dnnl_bf16, dnnl_bf16}, {"i8", "i8", dnnl_s8, dnnl_s8},
    {"ui8", "ui8", dnnl_u8, dnnl_u8},       {"i32", "i32", dnnl_s32, dnnl_s32},
};

static dnnl_data_type_t find_storage(const char *storage) {
  if (strcmp(storage, "i8") == 0) return dnnl_s8;
  return strcmp(storage, "ui8") == 0 ? dnnl_u8 : dnnl_data_type_undef;
}

static int32_t plan_convert(const assay_program_t *program, dnnl_data_type_t *out_from,
                            dnnl_data_type_t *out_to, assay_reason_t *reason) {
  for (size_t i = 0; i < sizeof conversions / sizeof conversions[0]; i++) {
    if (!plugin_is(&program->operands[0], conversions[i].from) ||
        !plugin_is(&program->results[0], conversions[i].to)) {
      continue;
    }
    *out_from = conversions[i].from_type;
    *out_to = conversions[i].to_type;
    return ASSAY_EXECUTOR_OK;
  }
  return plugin_say(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no reorder from %s to %s",
                    program->operands[0].element, program->results[0].element);
}

/* What the quantized type has that a reorder has not, or NULL. */
static const char *check_quantization(const plugin_quantization_t *quantization, bool is_result,
                                      float *out_scale, int32_t *out_zero_point) {
  const char *cursor = quantization->scales;
  double scale;
  int64_t zero_point;
  if (quantization->axis != -1) return "one scale";
  if (!plugin_next_scale(&cursor, &scale, &zero_point)) return "a scale";
  if (strcmp(quantization->expressed, "f32") != 0) return "f32 alone";
  if (find_storage(quantization->storage) == dnnl_data_type_undef) return "i8 or ui8";
  *out_zero_point = (int32_t)zero_point;
  *out_scale = (float)scale;
  if (!is_result) return NULL;
  if (quantization->has_range) return "saturates at the ends of the type";
  int exponent;
  *out_scale = (float)(1.0 / scale);
  bool has_inverse = frexp(scale, &exponent) == 0.5 && isnormal(*out_scale);
  return has_inverse ? NULL : "a scale that is a power of two, whose inverse is a number of f32";
}

static int32_t plan_quantization(const dnnl_functions_t *dnnl, const assay_program_t *program,
                                 plan_t *plan, dnnl_data_type_t *out_from, dnnl_data_type_t *out_to,
                                 assay_reason_t *reason) {
  bool is_result = strcmp(program->op, "stablehlo.uniform_quantize") == 0;
  const assay_type_t *quantized = is_result ? &program->results[0] : &program->operands[0];
  const assay_type_t *expressed = is_result ? &program->operands[0] : &program->results[0];
  plugin_quantization_t quantization;
  float scale = 1;
  int32_t zero_point = 0;
  if (!plugin_is(expressed, "f32") || !plugin_read_quantization(quantized, &quantization)) {
    return plugin_say(reason, ASSAY_EXECUTOR_UNSUPPORTED, "quantizes f32 and back");
  }
  const char *refused = check_quantization(&quantization, is_result, &scale, &zero_point);
  if (refused != NULL) return plugin_say(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", refused);
  dnnl_data_type_t storage = find_storage(quantization.storage);
  *out_from = is_result ? dnnl_f32 : storage;
  *out_to = is_result ? storage : dnnl_f32;
  dnnl_status_t status = dnnl->dnnl_primitive_attr_create(&plan->attributes);
  if (status == dnnl_success) {
    status = dnnl->dnnl_primitive_attr_set_output_scales(plan->attributes, 1, 0, &scale);
  }
  if (status == dnnl_success && zero_point != 0) {
    status = dnnl->dnnl_primitive_attr_set_zero_points(
        plan->attributes, is_result ? DNNL_ARG_TO : DNNL_ARG_FROM, 1, 0, &zero_point);
  }
  return plan_answer(dnnl, status, "attributes", reason);
}

static bool are_shaped_alike(const assay_type_t *a, const assay_type_t *b) {
  bool are_alike = a->rank == b->rank;
  for (uint32_t d = 0; are_alike && d < a->rank; d++) are_alike = a->dims[d] == b->dims[d];
  return are_alike;
}

int32_t plan_reorder(const dnnl_functions_t *dnnl, const assay_program_t *program,
                     bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  (void)takes_any_types;
  const char *unknown = plugin_find_unknown_key(program, NULL, 0);
  if (unknown != NULL) {
    return plugin_say(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no attribute %s here", unknown);
  }
  if (program->operand_count != 1 || program->result_count != 1 ||
      !are_shaped_alike(&program->operands[0], &program->results[0])) {
    return plugin_say(reason, ASSAY_EXECUTOR_INVALID, "broken C1: the shape of the operand");
  }
  if (plugin_is_empty(&program->operands[0])) {
    return plugin_say(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no reorder of nothing");
  }
  *out_plan = (plan_t){.kind = PLAN_REORDER, .input_count = 1, .input_arguments = {DNNL_ARG_FROM}};
  dnnl_data_type_t from = dnnl_data_type_undef;
  dnnl_data_type_t to = dnnl_data_type_undef;
  bool is_plain = strcmp(program->op, "stablehlo.convert") == 0;
  int32_t code = is_plain ? plan_convert(program, &from, &to, reason)
                          : plan_quantization(dnnl, program, out_plan, &from, &to, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  const int64_t count = (int64_t)plugin_count(&program->operands[0]);
  dnnl_status_t status = plan_describe(dnnl, 1, &count, from, &out_plan->inputs[0]);
  if (status == dnnl_success) status = plan_describe(dnnl, 1, &count, to, &out_plan->output);
  return plan_answer(dnnl, status, "reorder", reason);
}
