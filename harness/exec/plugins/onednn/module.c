/* SPDX-License-Identifier: Apache-2.0 */
/* Modules as one primitive with post-ops: a product of i8 by i8, a bias, a maximum with zeros, and
 * requantization, written on quantized types or in floats between dequantize and quantize.  oneDNN
 * multiplies the sum of integers and bias, as f32, by lhs scale * rhs scale / result scale, clamps
 * it at 0, adds the zero point and rounds: scales are merged (permission intermediates=either). All
 * other modules are refused, with the step. */
#include "harness/exec/executor_quantized.h"
#include "harness/exec/plugins/onednn/onednn.h"

enum { NO_VALUE = UINT32_MAX };

/* What a module is made of, as far as it is known. */
typedef struct fused {
  const assay_module_t *module;
  uint32_t used; /* Steps that belong to it. */
  const assay_step_t *quantize;
  const assay_step_t *maximum; /* Or NULL, as below. */
  const assay_step_t *addition;
  const assay_step_t *product;
  uint32_t sources[2];          /* Values that the product takes, as they are stored. */
  const assay_type_t *types[2]; /* Quantized. */
  uint32_t bias;                /* The value of the bias in i32, or NO_VALUE. */
  const assay_type_t *bias_type;
} fused_t;

static bool is_op(const assay_step_t *step, const char *name) {
  return step != NULL && strcmp(step->program->op, name) == 0;
}

/* The step that gives a value, or NULL. */
static const assay_step_t *find_step(const assay_module_t *module, uint32_t value) {
  for (uint32_t i = 0; i < module->step_count; i++) {
    for (uint32_t k = 0; k < module->steps[i].program->result_count; k++) {
      if (module->steps[i].results[k] == value) return &module->steps[i];
    }
  }
  return NULL;
}

/* The number of a constant, or NO_VALUE. */
static uint32_t find_constant(const assay_module_t *module, uint32_t value) {
  uint32_t number = value - module->constants_begin;
  return value >= module->constants_begin && number < module->constant_count ? number : NO_VALUE;
}

static size_t count_elements(const assay_type_t *type) {
  size_t count = 1;
  for (uint32_t i = 0; i < type->rank; i++) count *= (size_t)type->dims[i];
  return count;
}

/* i32, whatever it stands for: what is added to sums, or compared with them, has their zero point.
 */
static bool is_i32(const assay_type_t *type) {
  static const char quantized[] = "!quant.uniform<i32";
  return assay_type_is(type, "i32") || strncmp(type->element, quantized, sizeof quantized - 1) == 0;
}

/* Whether it is a constant of f32 or i32 all of whose bytes are 0. */
static bool is_zero(const assay_module_t *module, uint32_t value) {
  uint32_t number = find_constant(module, value);
  if (number == NO_VALUE) return false;
  const assay_type_t *type = &module->constant_types[number];
  if (!assay_type_is(type, "f32") && !is_i32(type)) return false;
  const unsigned char *data = module->constant_data[number];
  size_t bytes = count_elements(type) * sizeof(int32_t);
  for (size_t i = 0; i < bytes; i++) {
    if (data[i] != 0) return false;
  }
  return true;
}

/* ---- Matching -------------------------------------------------------------------------------- */

/* Zeros, or a broadcast of them, which is then a step of the module. */
static bool match_zeros(fused_t *fused, uint32_t value) {
  const assay_step_t *step = find_step(fused->module, value);
  if (!is_op(step, "stablehlo.broadcast_in_dim")) return is_zero(fused->module, value);
  if (!is_zero(fused->module, step->operands[0])) return false;
  fused->used++;
  return true;
}

/* Of a step with two operands, the one of which `match` is true is taken away; the other value. */
static uint32_t take_side(fused_t *fused, const assay_step_t *step,
                          bool (*match)(fused_t *fused, uint32_t value)) {
  for (int side = 1; side >= 0; side--) {
    if (match(fused, step->operands[side])) return step->operands[1 - side];
  }
  return NO_VALUE;
}

/* A constant of i32, or in floats a broadcast of one that is dequantized. */
static bool match_bias(fused_t *fused, uint32_t value) {
  const assay_module_t *module = fused->module;
  uint32_t number = find_constant(module, value);
  if (number != NO_VALUE) {
    fused->bias_type = &module->constant_types[number];
    fused->bias = number;
    return is_i32(fused->bias_type);
  }
  const assay_step_t *spread = find_step(module, value);
  if (!is_op(spread, "stablehlo.broadcast_in_dim")) return false;
  const assay_step_t *source = find_step(module, spread->operands[0]);
  if (!is_op(source, "stablehlo.uniform_dequantize")) return false;
  fused->bias = find_constant(module, source->operands[0]);
  fused->bias_type = &source->program->operands[0];
  if (fused->bias == NO_VALUE) return false;
  fused->used += 2;
  return true;
}

/* The operands of the product as they are stored. */
static bool match_operands(fused_t *fused) {
  for (int side = 0; side < 2; side++) {
    uint32_t value = fused->product->operands[side];
    fused->sources[side] = value;
    fused->types[side] = &fused->product->program->operands[side];
    if (assay_is_quantized(fused->types[side])) continue;
    const assay_step_t *step = find_step(fused->module, value);
    if (!is_op(step, "stablehlo.uniform_dequantize")) return false;
    fused->sources[side] = step->operands[0];
    fused->types[side] = &step->program->operands[0];
    fused->used++;
    if (find_step(fused->module, step->operands[0]) != NULL) return false;
  }
  return true;
}

/* Why the module is no product with post-ops; NULL if it is one. */
static const char *match(const assay_program_t *program, fused_t *out) {
  const assay_module_t *module = program->module;
  *out = (fused_t){.module = module, .bias = NO_VALUE};
  if (module == NULL || program->result_count != 1) return "modules of one result";
  out->quantize = find_step(module, module->returns[0]);
  if (!is_op(out->quantize, "stablehlo.uniform_quantize")) {
    return "a module ends with uniform_quantize";
  }
  const assay_step_t *step = find_step(module, out->quantize->operands[0]);
  out->used = 1;
  if (is_op(step, "stablehlo.maximum")) {
    out->maximum = step;
    uint32_t value = take_side(out, step, match_zeros);
    if (value == NO_VALUE) return "a maximum is one with zeros";
    step = find_step(module, value);
    out->used++;
  }
  if (is_op(step, "stablehlo.add")) {
    out->addition = step;
    uint32_t value = take_side(out, step, match_bias);
    if (value == NO_VALUE) return "what is added is a constant of i32";
    step = find_step(module, value);
    out->used++;
  }
  out->product = step;
  if (!is_op(step, "stablehlo.convolution") && !is_op(step, "stablehlo.dot_general")) {
    return "a module is a convolution or dot_general with what follows";
  }
  out->used++;
  if (!match_operands(out)) return "a product takes what is quantized";
  return out->used == module->step_count ? NULL : "a step is used twice, or for something else";
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
         has_scales_of_sums(fused, &fused->quantize->program->operands[0]);
}

/* One integer for each feature, in memory of its own; NULL if the constant has others. */
static int32_t *gather_bias(const fused_t *fused, int64_t *out_count) {
  const assay_type_t *result = &fused->addition->program->results[0];
  const int32_t *data = fused->module->constant_data[fused->bias];
  uint32_t features = find_features(fused->product->program);
  int64_t count = result->dims[features], inner = 1;
  for (uint32_t d = features + 1; d < result->rank; d++) inner *= result->dims[d];
  int32_t *bias = calloc((size_t)count, sizeof *bias);
  bool is_spread = assay_type_is(result, "f32");
  bool is_good = bias != NULL && (!is_spread || fused->bias_type->rank == 1);
  size_t elements = is_spread ? (size_t)count : count_elements(result);
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
    const assay_step_t *step = find_step(fused->module, fused->addition->operands[side]);
    if (!is_op(step, "stablehlo.broadcast_in_dim")) continue;
    assay_dims_t dims;
    return assay_attribute_dims(step->program, "broadcast_dimensions", &dims) &&
           assay_dims_are(&dims, find_features(fused->product->program));
  }
  return false;
}

static int32_t add_bias(const dnnl_functions_t *dnnl, const fused_t *fused, plan_t *plan,
                        assay_reason_t *reason) {
  bool is_matmul = is_op(fused->product, "stablehlo.dot_general");
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

static dnnl_status_t add_maximum(const dnnl_functions_t *dnnl, plan_t *plan) {
  dnnl_post_ops_t operations = NULL;
  dnnl_status_t status = dnnl->dnnl_post_ops_create(&operations);
  if (status != dnnl_success) return status;
  status = dnnl->dnnl_post_ops_append_eltwise(operations, 1, dnnl_eltwise_relu, 0, 0);
  if (status == dnnl_success) {
    status = dnnl->dnnl_primitive_attr_set_post_ops(plan->attributes, operations);
  }
  dnnl->dnnl_post_ops_destroy(operations);
  return status;
}

/* Where the inputs come from: operands of the module, or constants, of which the plan has copies.
 */
static int32_t wire(const fused_t *fused, plan_t *plan, assay_reason_t *reason) {
  plan->is_wired = true;
  for (int side = 0; side < 2; side++) {
    uint32_t number = find_constant(fused->module, fused->sources[side]);
    plan->operand_of[side] = fused->sources[side];
    if (number == NO_VALUE) {
      if (fused->sources[side] < fused->module->constants_begin) continue;
      return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED,
                           "a product of operands and constants");
    }
    size_t bytes = count_elements(fused->types[side]); /* Of i8. */
    plan->constants[side] = malloc(bytes);
    if (plan->constants[side] == NULL) {
      return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
    }
    memcpy(plan->constants[side], fused->module->constant_data[number], bytes);
  }
  return ASSAY_EXECUTOR_OK;
}

int32_t plan_module(const dnnl_functions_t *dnnl, const assay_program_t *program,
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
  product.results = &fused.quantize->program->results[0];
  assay_quantization_t storage;
  bool is_byte =
      assay_read_quantization(product.results, &storage) && strcmp(storage.storage, "i32") != 0;
  if (!is_byte) return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "results of i8 or ui8");
  int32_t code = plan_make(dnnl, &product, true, out_plan, reason);
  if (code == ASSAY_EXECUTOR_OK) code = wire(&fused, out_plan, reason);
  if (code == ASSAY_EXECUTOR_OK && fused.addition != NULL) {
    code = add_bias(dnnl, &fused, out_plan, reason);
  }
  if (code == ASSAY_EXECUTOR_OK && fused.maximum != NULL) {
    code = plan_answer(dnnl, add_maximum(dnnl, out_plan), "post-ops", reason);
  }
  return code;
}
