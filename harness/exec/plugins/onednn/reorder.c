/* SPDX-License-Identifier: Apache-2.0 */
/* convert, uniform_quantize and uniform_dequantize by the reorder primitive, where it is exact or
 * rounds as StableHLO does:
 *
 * - conversions to f32, and from f32 to bf16, to nearest.  Not to integers, where it rounds to
 * nearest and saturates: what StableHLO leaves open, a cast that most people call another one;
 * - uniform_quantize of f32, and of what is quantized, to 8 bits: it multiplies by a scale, a
 * channel's own perhaps, adds the zero point, rounds to nearest and saturates.  Multiplying by the
 * inverse of a scale, or by a quotient of two, is what contracts with quantize=reciprocal and
 * requantize=merged permit;
 * - uniform_dequantize to f32: (stored - zero point) * scale. */
#include <math.h>

#include "harness/exec/executor_quantized.h"
#include "harness/exec/plugins/onednn/onednn.h"

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
  return strcmp(storage, "i8") == 0    ? dnnl_s8
         : strcmp(storage, "ui8") == 0 ? dnnl_u8
         : strcmp(storage, "i32") == 0 ? dnnl_s32
                                       : dnnl_data_type_undef;
}

static int32_t plan_convert(const assay_program_t *program, dnnl_data_type_t *out_from,
                            dnnl_data_type_t *out_to, assay_reason_t *reason) {
  for (size_t i = 0; i < sizeof conversions / sizeof conversions[0]; i++) {
    if (!assay_type_is(&program->operands[0], conversions[i].from) ||
        !assay_type_is(&program->results[0], conversions[i].to)) {
      continue;
    }
    *out_from = conversions[i].from_type;
    *out_to = conversions[i].to_type;
    return ASSAY_EXECUTOR_OK;
  }
  return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no reorder from %s to %s",
                       program->operands[0].element, program->results[0].element);
}

/* ---- Quantized types. ------------------------------------------------------------------------ */

/* One side of a reorder: a quantized type, or f32, whose scale is 1. */
typedef struct side {
  bool is_quantized;
  assay_quantization_t quantization;
  dnnl_data_type_t type;
  int32_t zero_point; /* Of all channels. */
} side_t;

/* What the type has that a reorder has not, or NULL. */
static const char *read_side(const assay_type_t *type, side_t *out_side) {
  *out_side = (side_t){.type = dnnl_f32};
  out_side->is_quantized = assay_read_quantization(type, &out_side->quantization);
  if (!out_side->is_quantized) return assay_type_is(type, "f32") ? NULL : "quantizes f32 and back";
  const assay_quantization_t *quantization = &out_side->quantization;
  out_side->type = find_storage(quantization->storage);
  if (out_side->type == dnnl_data_type_undef) return "i8, ui8 or i32";
  if (strcmp(quantization->expressed, "f32") != 0) return "f32 alone";
  const char *cursor = quantization->scales;
  double scale;
  int64_t zero_point;
  for (bool is_first = true; assay_next_scale(&cursor, &scale, &zero_point); is_first = false) {
    if (!is_first && (int32_t)zero_point != out_side->zero_point) return "one zero point";
    out_side->zero_point = (int32_t)zero_point;
  }
  return NULL;
}

/* What the two types together have, or NULL. */
static const char *check_sides(const side_t *from, const side_t *to) {
  if (to->is_quantized && to->quantization.has_range) return "saturates at the ends of the type";
  if (to->type == dnnl_s32) return "no result of i32";
  /* It subtracts zero points as f32, after the stored value was rounded to that. */
  if (from->type == dnnl_s32 && from->zero_point != 0) return "no zero point of i32";
  bool have_one_axis = !from->is_quantized || !to->is_quantized || from->quantization.axis < 0 ||
                       to->quantization.axis < 0 ||
                       from->quantization.axis == to->quantization.axis;
  return have_one_axis ? NULL : "scales along one dimension";
}

/* The next scale, or the only one again. */
static double next_scale(const side_t *side, const char **cursor) {
  double scale = 1;
  int64_t zero_point;
  if (!side->is_quantized) return scale;
  if (side->quantization.axis < 0) *cursor = side->quantization.scales;
  assay_next_scale(cursor, &scale, &zero_point);
  return scale;
}

/* What is stored is multiplied by these, quotients of scales rounded to f32. */
static void find_multipliers(const side_t *from, const side_t *to, int64_t count,
                             float *out_multipliers, bool *out_are_finite) {
  const char *from_cursor = from->quantization.scales, *to_cursor = to->quantization.scales;
  for (int64_t i = 0; i < count; i++) {
    double scale = next_scale(from, &from_cursor), divisor = next_scale(to, &to_cursor);
    out_multipliers[i] = (float)(scale / divisor);
    *out_are_finite = *out_are_finite && isfinite(out_multipliers[i]);
  }
}

static dnnl_status_t set_attributes(const dnnl_functions_t *dnnl, const side_t *from,
                                    const side_t *to, int64_t count, const float *multipliers,
                                    plan_t *plan) {
  enum { CHANNELS = 1 }; /* Of the three dimensions of what is reordered. */
  dnnl_status_t status = dnnl->dnnl_primitive_attr_create(&plan->attributes);
  if (status == dnnl_success) {
    status = dnnl->dnnl_primitive_attr_set_output_scales(
        plan->attributes, count, count == 1 ? 0 : 1 << CHANNELS, multipliers);
  }
  if (status == dnnl_success && from->zero_point != 0) {
    status = dnnl->dnnl_primitive_attr_set_zero_points(plan->attributes, DNNL_ARG_FROM, 1, 0,
                                                       &from->zero_point);
  }
  if (status == dnnl_success && to->zero_point != 0) {
    status = dnnl->dnnl_primitive_attr_set_zero_points(plan->attributes, DNNL_ARG_TO, 1, 0,
                                                       &to->zero_point);
  }
  return status;
}

/* Also the dimension of the channels, or -1. */
static int32_t plan_quantization(const plan_request_t *request, plan_t *plan,
                                 dnnl_data_type_t *out_from, dnnl_data_type_t *out_to,
                                 int64_t *out_axis, assay_reason_t *reason) {
  const assay_program_t *program = request->program;
  side_t from;
  side_t to;
  const char *refused = read_side(&program->operands[0], &from);
  if (refused == NULL) refused = read_side(&program->results[0], &to);
  if (refused == NULL) refused = check_sides(&from, &to);
  if (refused != NULL) return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", refused);
  *out_from = from.type;
  *out_to = to.type;
  *out_axis = from.is_quantized && from.quantization.axis >= 0 ? from.quantization.axis
              : to.is_quantized                                ? to.quantization.axis
                                                               : -1;
  int64_t count = *out_axis < 0 ? 1 : program->operands[0].dims[*out_axis];
  float *multipliers = calloc((size_t)count, sizeof *multipliers);
  if (multipliers == NULL) return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
  bool are_finite = true;
  find_multipliers(&from, &to, count, multipliers, &are_finite);
  dnnl_status_t status = set_attributes(request->dnnl, &from, &to, count, multipliers, plan);
  free(multipliers);
  if (!are_finite) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no quotient of scales beyond f32");
  }
  return plan_answer(request->dnnl, status, "attributes", reason);
}

/* The tensor as what is before the channels, these, and what is behind them. */
static dnnl_status_t describe_channels(const dnnl_functions_t *dnnl, const assay_type_t *type,
                                       int64_t axis, dnnl_data_type_t from, dnnl_data_type_t to,
                                       plan_t *plan) {
  int64_t sizes[3] = {1, 1, 1};
  for (int64_t d = 0; d < (int64_t)type->rank; d++) {
    int place = axis < 0 || d < axis ? 0 : d == axis ? 1 : 2;
    sizes[place] = assay_multiply_size(sizes[place], type->dims[d]);
  }
  dnnl_status_t status = plan_describe(dnnl, 3, sizes, from, &plan->inputs[0]);
  return status == dnnl_success ? plan_describe(dnnl, 3, sizes, to, &plan->output) : status;
}

static bool are_shaped_alike(const assay_type_t *a, const assay_type_t *b) {
  bool are_alike = a->rank == b->rank;
  for (uint32_t d = 0; are_alike && d < a->rank; d++) are_alike = a->dims[d] == b->dims[d];
  return are_alike;
}

/* uniform_quantize makes a quantized tensor, uniform_dequantize a float one of it. */
static bool has_quantized_sides(const assay_program_t *program) {
  assay_quantization_t ignored;
  bool from = assay_read_quantization(&program->operands[0], &ignored);
  bool to = assay_read_quantization(&program->results[0], &ignored);
  if (strcmp(program->op, "stablehlo.uniform_quantize") == 0) return to;
  if (strcmp(program->op, "stablehlo.uniform_dequantize") == 0) return from && !to;
  return true;
}

int32_t plan_reorder(const dnnl_functions_t *dnnl, const assay_program_t *program,
                     bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  const char *unknown = assay_find_unknown_key(program, NULL, 0);
  if (unknown != NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no attribute %s here", unknown);
  }
  if (program->operand_count != 1 || program->result_count != 1 ||
      !are_shaped_alike(&program->operands[0], &program->results[0])) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken C1: the shape of the operand");
  }
  if (!has_quantized_sides(program)) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID,
                         "broken: which of the types are quantized");
  }
  if (assay_type_is_empty(&program->operands[0])) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no reorder of nothing");
  }
  *out_plan = (plan_t){.kind = PLAN_REORDER, .input_count = 1, .input_arguments = {DNNL_ARG_FROM}};
  dnnl_data_type_t from = dnnl_data_type_undef;
  dnnl_data_type_t to = dnnl_data_type_undef;
  int64_t axis = -1;
  bool is_plain = strcmp(program->op, "stablehlo.convert") == 0;
  const plan_request_t request = {
      .dnnl = dnnl, .program = program, .takes_any_types = takes_any_types};
  int32_t code = is_plain ? plan_convert(program, &from, &to, reason)
                          : plan_quantization(&request, out_plan, &from, &to, &axis, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  const dnnl_status_t status =
      describe_channels(dnnl, &program->operands[0], axis, from, to, out_plan);
  return plan_answer(dnnl, status, "reorder", reason);
}
