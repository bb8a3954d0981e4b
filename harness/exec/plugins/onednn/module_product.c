/* SPDX-License-Identifier: Apache-2.0 */
/* Modules about a product, as one primitive with post-ops: a product of i8 by i8, a bias, a maximum
 * with zeros, and requantization, written on quantized types or in floats between dequantize and
 * quantize.  oneDNN multiplies the sum of integers and bias, as f32, by lhs scale * rhs scale /
 * result scale, clamps it at 0, adds the zero point and rounds: scales are merged (permission
 * intermediates=either). */
#include "harness/exec/plugins/onednn/module.h"

/* What a module is made of, as far as it is known. */
typedef struct fused {
  module_region_t region;
  const assay_step_t *addition; /* Or NULL. */
  const assay_step_t *product;
  uint32_t sources[2];          /* Values that the product takes, as they are stored. */
  const assay_type_t *types[2]; /* Quantized. */
  uint32_t bias;                /* The value of the bias in i32, or MODULE_NO_VALUE. */
  const assay_type_t *bias_type;
} fused_t;

/* ---- Matching -------------------------------------------------------------------------------- */

/* A constant of i32, or in floats a broadcast of one that is dequantized. */
static bool match_bias(fused_t *fused, uint32_t value) {
  const assay_module_t *module = fused->region.module;
  uint32_t number = module_find_constant(module, value);
  if (number != MODULE_NO_VALUE) {
    fused->bias_type = &module->constant_types[number];
    fused->bias = number;
    return module_is_i32(fused->bias_type);
  }
  const assay_step_t *spread = module_find_step(module, value);
  if (!module_is_op(spread, "stablehlo.broadcast_in_dim")) return false;
  const assay_step_t *source = module_find_step(module, spread->operands[0]);
  if (!module_is_op(source, "stablehlo.uniform_dequantize")) return false;
  fused->bias = module_find_constant(module, source->operands[0]);
  fused->bias_type = &source->program->operands[0];
  if (fused->bias == MODULE_NO_VALUE) return false;
  fused->region.used += 2;
  return true;
}

/* The operands of the product as they are stored. */
static bool match_operands(fused_t *fused) {
  for (int side = 0; side < 2; side++) {
    uint32_t value = fused->product->operands[side];
    fused->sources[side] = value;
    fused->types[side] = &fused->product->program->operands[side];
    if (assay_is_quantized(fused->types[side])) continue;
    const assay_step_t *step = module_find_step(fused->region.module, value);
    if (!module_is_op(step, "stablehlo.uniform_dequantize")) return false;
    fused->sources[side] = step->operands[0];
    fused->types[side] = &step->program->operands[0];
    fused->region.used++;
    if (module_find_step(fused->region.module, step->operands[0]) != NULL) return false;
  }
  return true;
}

/* Of an addition the side that is a bias is taken away; the other value, or MODULE_NO_VALUE. */
static uint32_t take_bias(fused_t *fused, const assay_step_t *step) {
  for (int side = 1; side >= 0; side--) {
    if (match_bias(fused, step->operands[side])) return step->operands[1 - side];
  }
  return MODULE_NO_VALUE;
}

/* Why the module is no product with post-ops; NULL if it is one. */
static const char *match(const assay_program_t *program, fused_t *out) {
  const assay_module_t *module = program->module;
  *out = (fused_t){.region = {.program = program, .module = module}, .bias = MODULE_NO_VALUE};
  const assay_step_t *step = module_take_end(&out->region);
  if (out->region.quantize == NULL) return "a module ends with uniform_quantize";
  if (module_is_op(step, "stablehlo.maximum")) return "a maximum is one with zeros";
  if (module_is_op(step, "stablehlo.add")) {
    out->addition = step;
    uint32_t value = take_bias(out, step);
    if (value == MODULE_NO_VALUE) return "what is added is a constant of i32";
    step = module_find_step(module, value);
    out->region.used++;
  }
  out->product = step;
  if (!module_is_op(step, "stablehlo.convolution") &&
      !module_is_op(step, "stablehlo.dot_general")) {
    return "a module is a convolution or dot_general with what follows";
  }
  out->region.used++;
  if (!match_operands(out)) return "a product takes what is quantized";
  return out->region.used == module->step_count ? NULL
                                                : "a step is used twice, or for something else";
}

/* ---- The bias -------------------------------------------------------------------------------- */

/* The dimension of the product's result that has a bias for each index. */
static uint32_t find_features(const assay_program_t *product) {
  const uint32_t rank = product->results[0].rank;
  assay_convolution_dims_t places;
  return assay_convolution_read(product, rank, &places) ? places.result[1] : rank - 1;
}

/* Whether a type has the products of the operands' scales, rounded to f32, and no zero points. */
static bool has_scales_of_sums(const fused_t *fused, const assay_type_t *type) {
  assay_quantization_t lhs, rhs, sums;
  if (!assay_read_quantization(fused->types[0], &lhs) ||
      !assay_read_quantization(fused->types[1], &rhs) || !assay_read_quantization(type, &sums)) {
    return false;
  }
  double scale, weight, sum;
  int64_t ignored, zero_point;
  if (!assay_next_scale(&lhs.scales, &scale, &ignored)) return false;
  while (assay_next_scale(&sums.scales, &sum, &zero_point)) {
    if (!assay_next_scale(&rhs.scales, &weight, &ignored)) return false;
    if (zero_point != 0 || sum != (double)(float)(scale * weight)) return false;
  }
  return !assay_next_scale(&rhs.scales, &weight, &ignored);
}

/* What the sums are, and what the bias is in floats, in integers. */
static bool are_integers_of_sums(const fused_t *fused) {
  const assay_type_t *sums = &fused->product->program->results[0];
  bool is_float = assay_type_is(sums, "f32");
  if (is_float) return fused->addition == NULL || has_scales_of_sums(fused, fused->bias_type);
  return has_scales_of_sums(fused, sums) &&
         has_scales_of_sums(fused, &fused->region.quantize->program->operands[0]);
}

/* One integer for each feature, in memory of its own; NULL if the constant has others. */
static int32_t *gather_bias(const fused_t *fused, int64_t *out_count) {
  const assay_type_t *result = &fused->addition->program->results[0];
  const int32_t *data = fused->region.module->constant_data[fused->bias];
  uint32_t features = find_features(fused->product->program);
  int64_t count = result->dims[features], inner = 1;
  for (uint32_t d = features + 1; d < result->rank; d++) inner *= result->dims[d];
  int32_t *bias = calloc((size_t)count, sizeof *bias);
  bool is_spread = assay_type_is(result, "f32");
  bool is_good = bias != NULL && (!is_spread || fused->bias_type->rank == 1);
  size_t elements = is_spread ? (size_t)count : module_count_elements(result);
  if (is_spread && is_good) is_good = fused->bias_type->dims[0] == count;
  for (size_t i = 0; i < elements && is_good; i++) {
    int64_t feature = is_spread ? (int64_t)i : (int64_t)i / inner % count;
    bool is_first = is_spread || (int64_t)i < count * inner;
    if (is_first && (int64_t)i % inner == 0) bias[feature] = data[i];
    is_good = bias[feature] == data[i];
  }
  *out_count = count;
  if (is_good) return bias;
  free(bias);
  return NULL;
}

/* A broadcast of a bias runs along the features. */
static bool runs_along_features(const fused_t *fused) {
  if (assay_type_is(&fused->addition->program->results[0], "i32")) return true;
  for (int side = 0; side < 2; side++) {
    const assay_step_t *step =
        module_find_step(fused->region.module, fused->addition->operands[side]);
    if (!module_is_op(step, "stablehlo.broadcast_in_dim")) continue;
    assay_dims_t dims;
    return assay_attribute_dims(step->program, "broadcast_dimensions", &dims) &&
           assay_dims_are(&dims, find_features(fused->product->program));
  }
  return false;
}

static int32_t add_bias(const dnnl_functions_t *dnnl, const fused_t *fused, plan_t *plan,
                        assay_reason_t *reason) {
  bool is_matmul = module_is_op(fused->product, "stablehlo.dot_general");
  if (is_matmul && fused->product->program->results[0].rank != 2) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "a bias of matrices");
  }
  int64_t count = 0;
  bool is_one = runs_along_features(fused);
  int32_t *bias = is_one ? gather_bias(fused, &count) : NULL;
  if (bias == NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "one bias for each feature");
  }
  plan->constants[2] = bias;
  plan->input_arguments[2] = DNNL_ARG_BIAS;
  plan->input_count = 3;
  const int64_t sizes[] = {1, count};
  dnnl_status_t status = plan_describe(dnnl, is_matmul ? 2 : 1, is_matmul ? sizes : sizes + 1,
                                       dnnl_s32, &plan->inputs[2]);
  if (is_matmul) {
    plan->operation.matmul.bias_desc = plan->inputs[2];
  } else {
    plan->operation.convolution.bias_desc = plan->inputs[2];
  }
  return plan_answer(dnnl, status, "bias", reason);
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Where the inputs come from: operands of the module, or constants, of which the plan has copies.
 */
static int32_t wire(const fused_t *fused, plan_t *plan, assay_reason_t *reason) {
  plan->is_wired = true;
  for (int side = 0; side < 2; side++) {
    uint32_t number = module_find_constant(fused->region.module, fused->sources[side]);
    plan->operand_of[side] = fused->sources[side];
    if (number == MODULE_NO_VALUE) {
      if (fused->sources[side] < fused->region.module->constants_begin) continue;
      return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED,
                           "a product of operands and constants");
    }
    size_t bytes = module_count_elements(fused->types[side]); /* Of i8. */
    plan->constants[side] = malloc(bytes);
    if (plan->constants[side] == NULL) {
      return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
    }
    memcpy(plan->constants[side], fused->region.module->constant_data[number], bytes);
  }
  return ASSAY_EXECUTOR_OK;
}

int32_t module_plan_product(const dnnl_functions_t *dnnl, const assay_program_t *program,
                            bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  (void)takes_any_types; /* Its multipliers are rounded, as modules permit. */
  fused_t fused;
  const char *refused = match(program, &fused);
  if (refused == NULL && !are_integers_of_sums(&fused)) {
    refused = "sums and biases with the product of the operands' scales";
  }
  if (refused != NULL) return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", refused);
  /* The product alone, from stored operands to the stored result. */
  const assay_type_t operands[] = {*fused.types[0], *fused.types[1]};
  assay_program_t product = *fused.product->program;
  product.operands = operands;
  product.results = &fused.region.quantize->program->results[0];
  assay_quantization_t storage;
  bool is_byte =
      assay_read_quantization(product.results, &storage) && strcmp(storage.storage, "i32") != 0;
  if (!is_byte) return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "results of i8 or ui8");
  int32_t code = plan_make(dnnl, &product, true, out_plan, reason);
  if (code == ASSAY_EXECUTOR_OK) code = wire(&fused, out_plan, reason);
  if (code == ASSAY_EXECUTOR_OK && fused.addition != NULL) {
    code = add_bias(dnnl, &fused, out_plan, reason);
  }
  if (code == ASSAY_EXECUTOR_OK && fused.region.maximum != NULL) {
    const module_post_op_t maximum = {dnnl_eltwise_relu, 0, 0, NULL};
    code = plan_answer(dnnl, module_set_post_ops(dnnl, &maximum, 1, out_plan), "post-ops", reason);
  }
  return code;
}
