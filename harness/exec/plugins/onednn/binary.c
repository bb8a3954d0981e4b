/* SPDX-License-Identifier: Apache-2.0 */
/* add, subtract, multiply, maximum and minimum by the binary primitive, in f32, bf16, i8 and ui8.
 *
 * Of quantized types it multiplies each operand by an f32 scale of its own, does the operation in
 * f32, rounds to nearest and saturates.  That is the specification's
 * quantize(dequantize + dequantize) where nothing but the last step rounds otherwise: for scales
 * that are powers of two.  It knows no zero points: those of terms add up to one number, which a
 * linear post-op adds before the result is rounded, itself rounded to f32.  The maximum and minimum
 * of types with the same parameters are those of what is stored, whatever these are.
 *
 * Modules about one of these, of two tensors, perhaps with a maximum with zeros behind it: written
 * on quantized types, or in floats between dequantize and quantize.  Both are the quantized op
 * (theory.md, T213); its result is clamped at the zero point by one more post-op, before it is
 * rounded (T178). */
#include <float.h>
#include <math.h>

#include "harness/exec/plugins/onednn/module.h"

typedef struct binary_row {
  const char *op;
  dnnl_alg_kind_t algorithm;
  bool picks; /* One of the operands' values. */
} binary_row_t;

static const binary_row_t binary_rows[] = {
    {"stablehlo.add", dnnl_binary_add, false},      {"stablehlo.subtract", dnnl_binary_sub, false},
    {"stablehlo.multiply", dnnl_binary_mul, false}, {"stablehlo.maximum", dnnl_binary_max, true},
    {"stablehlo.minimum", dnnl_binary_min, true},
};

static const binary_row_t *find_row(const char *op) {
  for (size_t i = 0; i < sizeof binary_rows / sizeof binary_rows[0]; i++) {
    if (strcmp(binary_rows[i].op, op) == 0) return &binary_rows[i];
  }
  return NULL;
}

static bool are_shaped_alike(const assay_type_t *a, const assay_type_t *b) {
  bool are_alike = a->rank == b->rank;
  for (uint32_t d = 0; are_alike && d < a->rank; d++) are_alike = a->dims[d] == b->dims[d];
  return are_alike;
}

static dnnl_data_type_t find_type(const char *element) {
  static const char *const names[] = {"f32", "bf16", "i8", "ui8", "i32"};
  static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_s8, dnnl_u8, dnnl_s32};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(names[i], element) == 0) return types[i];
  }
  return dnnl_data_type_undef;
}

/* ---- Quantized types. ------------------------------------------------------------------------ */

typedef struct quantized {
  assay_quantization_t type;
  double scale;
  int64_t zero_point;
} quantized_t;

/* Why not, or NULL. */
static const char *read_quantized(const assay_type_t *type, quantized_t *out) {
  if (!assay_read_quantization(type, &out->type))
    return "operands and result are quantized, or none";
  const char *cursor = out->type.scales;
  if (out->type.axis != -1 || !assay_next_scale(&cursor, &out->scale, &out->zero_point)) {
    return "one scale";
  }
  if (strcmp(out->type.expressed, "f32") != 0) return "rescales in f32";
  bool is_byte = strcmp(out->type.storage, "i8") == 0 || strcmp(out->type.storage, "ui8") == 0;
  return is_byte ? NULL : "i8 or ui8";
}

/* What of the parameters the primitive has not. */
static const char *check_parameters(const quantized_t *types, const binary_row_t *row) {
  bool has_terms = row->algorithm == dnnl_binary_add || row->algorithm == dnnl_binary_sub;
  if (!has_terms && (types[0].zero_point != 0 || types[1].zero_point != 0)) {
    return "no zero points but of terms";
  }
  return types[2].type.has_range ? "saturates at the ends of the result's type" : NULL;
}

/* (a * s) op (b * t) / r is a * (s / r) op b * (t / r), and of products a * (s * t / r) * b.  What
 * the zero points add to a result: ((a - u) * s +- (b - v) * t) / r + w is
 * (a * s +- b * t) / r + (w - (u * s +- v * t) / r); factors have none. */
typedef struct rescaling {
  float scales[2];
  float shift;
} rescaling_t;

static rescaling_t find_rescaling(const quantized_t *types, const binary_row_t *row) {
  bool multiplies = row->algorithm == dnnl_binary_mul;
  double left = types[0].scale / types[2].scale, right = types[1].scale / types[2].scale;
  double added = (double)types[0].zero_point * left;
  double taken = (double)types[1].zero_point * right;
  double both = row->algorithm == dnnl_binary_sub ? added - taken : added + taken;
  return (rescaling_t){.scales = {(float)(multiplies ? left * types[1].scale : left),
                                  (float)(multiplies ? 1 : right)},
                       .shift = (float)((double)types[2].zero_point - both)};
}

/* Whether these are numbers of f32, and the last has halves there: else the library is not to blame
 * for what comes. */
static bool is_in_range(const rescaling_t *rescaling) {
  return isfinite(rescaling->scales[0]) && isfinite(rescaling->scales[1]) &&
         fabsf(rescaling->shift) < 0x1p23F;
}

static dnnl_status_t set_rescaling(const dnnl_functions_t *dnnl, const rescaling_t *rescaling,
                                   plan_t *plan) {
  dnnl_status_t status = dnnl->dnnl_primitive_attr_create(&plan->attributes);
  for (int i = 0; i < 2 && status == dnnl_success; i++) {
    int argument = i == 0 ? DNNL_ARG_SRC_0 : DNNL_ARG_SRC_1;
    status = dnnl->dnnl_primitive_attr_set_scales(plan->attributes, argument, 1, 0,
                                                  &rescaling->scales[i]);
  }
  plan->shift = rescaling->shift;
  if (status != dnnl_success || rescaling->shift == 0) return status;
  return plan_append_shift(dnnl, plan->attributes, rescaling->shift);
}

static int32_t plan_quantized(const plan_request_t *request, const binary_row_t *row, plan_t *plan,
                              dnnl_data_type_t *out_type, assay_reason_t *reason) {
  const assay_program_t *program = request->program;
  quantized_t types[3];
  const char *refused = read_quantized(&program->operands[0], &types[0]);
  if (refused == NULL) refused = read_quantized(&program->operands[1], &types[1]);
  if (refused == NULL) refused = read_quantized(&program->results[0], &types[2]);
  if (refused != NULL) return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", refused);
  if (strcmp(types[0].type.storage, types[1].type.storage) != 0 ||
      strcmp(types[0].type.storage, types[2].type.storage) != 0) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken C1, C3: one storage type");
  }
  *out_type = find_type(types[0].type.storage);
  bool are_one = assay_type_is(&program->operands[1], program->operands[0].element) &&
                 assay_type_is(&program->results[0], program->operands[0].element);
  if (row->picks && are_one && types[0].scale <= 0x1p60) return ASSAY_EXECUTOR_OK;
  refused = check_parameters(types, row);
  if (refused != NULL) return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", refused);
  const rescaling_t rescaling = find_rescaling(types, row);
  if (!is_in_range(&rescaling)) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "quotients of scales beyond f32");
  }
  const dnnl_status_t status = set_rescaling(request->dnnl, &rescaling, plan);
  return plan_answer(request->dnnl, status, "attributes", reason);
}

/* ---- The plan. ------------------------------------------------------------------------------- */

static int32_t find_types(const plan_request_t *request, const binary_row_t *row, plan_t *plan,
                          dnnl_data_type_t *out_type, assay_reason_t *reason) {
  const assay_program_t *program = request->program;
  const char *element = program->results[0].element;
  bool is_quantized = assay_is_quantized(&program->operands[0]) ||
                      assay_is_quantized(&program->operands[1]) ||
                      assay_is_quantized(&program->results[0]);
  if (is_quantized) return plan_quantized(request, row, plan, out_type, reason);
  if (!assay_type_is(&program->operands[0], element) ||
      !assay_type_is(&program->operands[1], element)) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken C1: one type");
  }
  *out_type = find_type(element);
  /* Documented for oneDNN 2.6 are the others: 32-bit integers it takes, and carries through f32. */
  bool is_documented = *out_type != dnnl_s32 && *out_type != dnnl_data_type_undef;
  bool is_taken = is_documented || (request->takes_any_types && *out_type == dnnl_s32);
  if (is_taken) return ASSAY_EXECUTOR_OK;
  return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no %s of %s", program->op, element);
}

int32_t plan_binary(const dnnl_functions_t *dnnl, const assay_program_t *program,
                    bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  const binary_row_t *row = find_row(program->op);
  const char *unknown = assay_find_unknown_key(program, NULL, 0);
  if (row == NULL || unknown != NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no attribute %s here",
                         unknown == NULL ? program->op : unknown);
  }
  if (program->operand_count != 2 || program->result_count != 1 ||
      !are_shaped_alike(&program->operands[0], &program->results[0]) ||
      !are_shaped_alike(&program->operands[1], &program->results[0])) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken C1: two operands and one shape");
  }
  if (assay_type_is_empty(&program->results[0])) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "nothing to do");
  }
  *out_plan = (plan_t){.input_count = 2, .input_arguments = {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1}};
  dnnl_data_type_t type = dnnl_data_type_undef;
  const plan_request_t request = {
      .dnnl = dnnl, .program = program, .takes_any_types = takes_any_types};
  int32_t code = find_types(&request, row, out_plan, &type, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  const int64_t count = (int64_t)assay_type_count(&program->results[0]);
  dnnl_memory_desc_t *all[] = {&out_plan->inputs[0], &out_plan->inputs[1], &out_plan->output};
  dnnl_status_t status = dnnl_success;
  for (size_t i = 0; i < 3 && status == dnnl_success; i++) {
    status = plan_describe(dnnl, 1, &count, type, all[i]);
  }
  if (status == dnnl_success) {
    status =
        dnnl->dnnl_binary_desc_init(&out_plan->operation.binary, row->algorithm,
                                    &out_plan->inputs[0], &out_plan->inputs[1], &out_plan->output);
  }
  return plan_answer(dnnl, status, "binary", reason);
}

/* ---- Modules --------------------------------------------------------------------------------- */

typedef struct pair {
  module_region_t region;
  const assay_step_t *center;
  uint32_t sources[2]; /* Operands of the module. */
  assay_type_t types[2];
  assay_type_t result;
} pair_t;

/* Why the module is none; NULL if it is one. */
static const char *match_pair(const assay_program_t *program, pair_t *out) {
  *out = (pair_t){.region = {.program = program, .module = program->module}};
  out->center = module_take_end(&out->region);
  if (out->center == NULL || out->center->program->operand_count != 2) {
    return "a module is an op of two operands with what follows";
  }
  out->region.used++;
  for (uint32_t side = 0; side < 2; side++) {
    const assay_type_t *type =
        module_take_source(&out->region, out->center, side, &out->sources[side]);
    if (type == NULL) return "an op of two operands takes operands of the module";
    out->types[side] = *type;
  }
  out->result = program->results[0];
  bool is_float = assay_type_is(&out->center->program->results[0], "f32");
  bool is_plain = is_float && out->region.quantize == NULL && out->region.maximum != NULL;
  for (uint32_t side = 0; side < 2; side++) {
    if (assay_is_quantized(&out->types[side]) == is_plain) {
      return "an op of two operands takes what is quantized, or f32 throughout";
    }
  }
  bool is_alike = is_plain ? assay_type_is(&out->result, "f32")
                  : is_float
                      ? out->region.quantize != NULL
                      : assay_type_is(&out->center->program->results[0], out->result.element);
  if (assay_is_quantized(&out->result) == is_plain || !is_alike) {
    return "the result is that of the op, or a maximum of that with zeros";
  }
  return out->region.used == program->module->step_count
             ? NULL
             : "a step is used twice, or for something else";
}

static dnnl_status_t add_maximum(const dnnl_functions_t *dnnl, int64_t zero_point, plan_t *plan) {
  const module_post_op_t list[] = {{dnnl_eltwise_linear, 1, plan->shift, NULL},
                                   {dnnl_eltwise_clip, (float)zero_point, FLT_MAX, NULL}};
  size_t first = plan->shift == 0;
  return module_set_post_ops(dnnl, list + first, 2 - first, plan);
}

int32_t module_plan_binary(const dnnl_functions_t *dnnl, const assay_program_t *program,
                           bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  pair_t pair;
  module_quantized_t result = {0};
  const char *refused = match_pair(program, &pair);
  if (refused == NULL && assay_is_quantized(&pair.result)) {
    refused = module_read_quantized(&pair.result, &result);
  }
  if (refused != NULL) return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", refused);
  assay_program_t quantized = *pair.center->program;
  quantized.operands = pair.types;
  quantized.results = &pair.result;
  int32_t code = plan_make(dnnl, &quantized, takes_any_types, out_plan, reason);
  if (code == ASSAY_EXECUTOR_INVALID) return ASSAY_EXECUTOR_UNSUPPORTED; /* Not as one op. */
  if (code != ASSAY_EXECUTOR_OK) return code;
  out_plan->is_wired = true;
  for (int side = 0; side < 2; side++) out_plan->operand_of[side] = pair.sources[side];
  if (pair.region.maximum == NULL) return ASSAY_EXECUTOR_OK;
  static const module_post_op_t relu = {dnnl_eltwise_relu, 0, 0, NULL};
  dnnl_status_t status = assay_is_quantized(&pair.result)
                             ? add_maximum(dnnl, result.zero_point, out_plan)
                             : module_set_post_ops(dnnl, &relu, 1, out_plan);
  return plan_answer(dnnl, status, "post-ops", reason);
}
