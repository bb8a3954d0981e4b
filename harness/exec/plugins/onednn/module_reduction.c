/* SPDX-License-Identifier: Apache-2.0 */
/* Modules about a sum along dimensions or over windows, or a mean of these: written on quantized
 * types, in floats between dequantize and quantize, or in floats throughout.  The reduction
 * primitive adds what is stored, of so few elements that all sums are numbers of f32; post-ops add
 * what zero points make, which is exact too, multiply by one quotient of scales (permission
 * intermediates=either), add the zero point of the result, and clamp it there (theory.md, T177,
 * T178).  Of windows the pooling primitive divides the sum of what is stored by the size of a
 * window, with which the same post-ops multiply again: one rounding more. */
#include <float.h>
#include <math.h>

#include "harness/exec/plugins/onednn/module.h"

/* 2^15 integers of 8 bits, less as many zero points, are less than 2^24. */
enum { TERMS_MAX = 1 << 15 };

typedef struct sum {
  module_region_t region;
  const assay_step_t *reduce;
  uint32_t source; /* An operand of the module. */
  bool is_window;
  module_quantized_t from; /* Floats of f32 are what is stored, with scale 1. */
  module_quantized_t to;
  double scale; /* Of the sum of integers, before it is divided by that of the result. */
} sum_t;

/* The number that all elements of a constant are, or of what is broadcast; NULL for none. */
static const float *find_share(module_region_t *region, uint32_t value) {
  const assay_step_t *step = module_find_step(region->module, value);
  bool is_spread = module_is_op(step, "stablehlo.broadcast_in_dim");
  uint32_t number = module_find_constant(region->module, is_spread ? step->operands[0] : value);
  if (number == MODULE_NO_VALUE) return NULL;
  const assay_type_t *type = &region->module->constant_types[number];
  size_t count = module_count_elements(type);
  if (!assay_type_is(type, "f32") || count == 0) return NULL;
  const float *data = region->module->constant_data[number];
  for (size_t i = 1; i < count; i++) {
    if (data[i] != data[0]) return NULL;
  }
  region->used += is_spread;
  return data;
}

/* Of a mean the step before the multiplication. */
static const assay_step_t *take_share(sum_t *sum, const assay_step_t *step) {
  for (int side = 1; side >= 0; side--) {
    const float *share = find_share(&sum->region, step->operands[side]);
    if (share == NULL) continue;
    sum->region.used++;
    sum->scale *= (double)*share;
    return module_find_step(sum->region.module, step->operands[1 - side]);
  }
  return NULL;
}

/* One scale of i32, without a zero point. */
static bool read_sums(const assay_type_t *type, double *out_scale) {
  assay_quantization_t sums;
  int64_t zero_point;
  if (!assay_read_quantization(type, &sums) || sums.axis != -1 || sums.has_range) return false;
  const char *cursor = sums.scales;
  return strcmp(sums.storage, "i32") == 0 && assay_next_scale(&cursor, out_scale, &zero_point) &&
         zero_point == 0;
}

/* Scales: what is added is in that of the operand, and what is quantized is called another. */
static const char *match_scales(sum_t *sum) {
  const assay_type_t *sums = &sum->reduce->program->results[0];
  if (assay_type_is(sums, "f32") && !assay_is_quantized(sums)) {
    sum->scale *= sum->from.scale;
    return NULL;
  }
  double scale;
  if (sum->region.quantize == NULL) return "sums of integers are quantized at the end";
  bool is_one = read_sums(sums, &scale) && scale == sum->from.scale &&
                read_sums(&sum->region.quantize->program->operands[0], &sum->scale);
  return is_one ? NULL : "sums are i32 with the operand's scale, or floats";
}

/* A type as what is stored of it. */
static const char *read_stored(const assay_type_t *type, module_quantized_t *out) {
  if (!assay_type_is(type, "f32")) return module_read_quantized(type, out);
  *out = (module_quantized_t){.scale = 1, .data_type = dnnl_f32};
  return NULL;
}

/* A sum along dimensions or over windows, or NULL. */
static const assay_step_t *find_reduction(const assay_step_t *step, bool *out_is_window) {
  static const char *const keys[] = {"body",           "window_dimensions", "window_strides",
                                     "base_dilations", "window_dilations",  "padding"};
  static const char *const dims[] = {"body", "dims"};
  const char *body = step == NULL ? NULL : assay_attribute_text(step->program, "body");
  *out_is_window = module_is_op(step, "stablehlo.reduce_window");
  if (body == NULL || strcmp(body, "add") != 0 || step->program->operand_count != 2) return NULL;
  if (*out_is_window) {
    return assay_find_unknown_key(step->program, keys, sizeof keys / sizeof keys[0]) == NULL ? step
                                                                                             : NULL;
  }
  bool is_reduce = module_is_op(step, "stablehlo.reduce") &&
                   assay_find_unknown_key(step->program, dims, 2) == NULL;
  return is_reduce ? step : NULL;
}

/* Why the module is none; NULL if it is one. */
static const char *match(const assay_program_t *program, sum_t *out) {
  *out = (sum_t){.region = {.program = program, .module = program->module}, .scale = 1};
  const assay_step_t *step = module_take_end(&out->region);
  if (module_is_op(step, "stablehlo.multiply")) {
    step = take_share(out, step);
    if (step == NULL) return "a sum is multiplied by one constant";
  }
  out->reduce = find_reduction(step, &out->is_window);
  if (out->reduce == NULL) return "a module with a reduction is a sum with what follows";
  out->region.used++;
  if (!module_is_zero(out->region.module, step->operands[1])) return "a sum begins with zero";
  const assay_type_t *type = module_take_source(&out->region, step, 0, &out->source);
  if (type == NULL) return "a sum is one of an operand of the module";
  const char *refused = read_stored(type, &out->from);
  if (refused == NULL) refused = read_stored(&program->results[0], &out->to);
  if (refused == NULL && out->to.type.has_range) refused = "saturates at the ends of the type";
  if (refused == NULL) refused = match_scales(out);
  if (refused != NULL) return refused;
  return out->region.used == program->module->step_count
             ? NULL
             : "a step is used twice, or for something else";
}

static dnnl_status_t describe(const dnnl_functions_t *dnnl, const sum_t *sum,
                              const assay_dims_t *reduced, plan_t *plan) {
  const assay_type_t *input = &sum->reduce->program->operands[0];
  dnnl_dims_t sizes;
  for (uint32_t d = 0; d < input->rank; d++) {
    sizes[d] = assay_dims_contain(reduced, d) ? 1 : input->dims[d];
  }
  dnnl_status_t status =
      plan_describe(dnnl, input->rank, input->dims, sum->from.data_type, &plan->inputs[0]);
  if (status != dnnl_success) return status;
  status = plan_describe(dnnl, input->rank, sizes, sum->to.data_type, &plan->output);
  if (status != dnnl_success) return status;
  return dnnl->dnnl_reduction_desc_init(&plan->operation.reduction, dnnl_reduction_sum,
                                        &plan->inputs[0], &plan->output, 0, 0);
}

/* What zero points add up to, as one more input. */
static dnnl_status_t add_zero_points(const dnnl_functions_t *dnnl, const sum_t *sum, size_t terms,
                                     plan_t *plan) {
  float *taken = malloc(sizeof *taken);
  if (taken == NULL) return dnnl_out_of_memory;
  *taken = -(float)((int64_t)terms * sum->from.zero_point);
  plan->constants[1] = taken;
  plan->input_arguments[1] = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;
  plan->input_count = 2;
  uint32_t rank = sum->reduce->program->operands[0].rank;
  dnnl_dims_t sizes;
  for (uint32_t d = 0; d < rank; d++) sizes[d] = 1;
  return plan_describe(dnnl, rank, sizes, dnnl_f32, &plan->inputs[1]);
}

static dnnl_status_t add_rescaling(const dnnl_functions_t *dnnl, const sum_t *sum, size_t terms,
                                   plan_t *plan) {
  bool has_zero_points = sum->from.zero_point != 0;
  dnnl_status_t status = dnnl_success;
  if (has_zero_points) status = add_zero_points(dnnl, sum, sum->is_window ? 1 : terms, plan);
  if (status != dnnl_success) return status;
  double share = sum->is_window ? (double)terms : 1; /* Pooling has divided by as much. */
  const float multiplier = (float)(sum->scale / sum->to.scale * share);
  const float zero_point = (float)sum->to.zero_point;
  const module_post_op_t end =
      sum->to.data_type == dnnl_f32
          ? (module_post_op_t){dnnl_eltwise_relu, 0, 0, NULL}
          : (module_post_op_t){dnnl_eltwise_clip, zero_point, FLT_MAX, NULL};
  const module_post_op_t list[] = {{dnnl_binary_add, 0, 0, &plan->inputs[1]},
                                   {dnnl_eltwise_linear, multiplier, zero_point, NULL},
                                   end};
  size_t first = !has_zero_points, last = sum->region.maximum == NULL ? 2 : 3;
  return module_set_post_ops(dnnl, list + first, last - first, plan);
}

/* How many terms each sum has, or why oneDNN does not add them. */
static const char *count_terms(const sum_t *sum, assay_dims_t *out_reduced, size_t *out_terms) {
  const assay_type_t *input = &sum->reduce->program->operands[0];
  if (assay_type_is_empty(input) || assay_type_is_empty(&sum->reduce->program->results[0])) {
    return "no reduction of nothing";
  }
  *out_terms =
      module_count_elements(input) / module_count_elements(&sum->reduce->program->results[0]);
  assay_dims_t *reduced = out_reduced;
  if (sum->is_window) {
    if (!assay_attribute_dims(sum->reduce->program, "window_dimensions", reduced)) return "windows";
    *out_terms = 1;
    for (uint32_t i = 0; i < reduced->count; i++) *out_terms *= (size_t)reduced->dims[i];
    if (sum->from.data_type == dnnl_f32) return "windows of what is quantized";
  } else if (!assay_attribute_dims(sum->reduce->program, "dims", reduced) || reduced->count == 0) {
    return "no reduction of nothing";
  }
  bool is_exact = sum->from.data_type == dnnl_f32 || *out_terms <= TERMS_MAX;
  return is_exact ? NULL : "sums of at most 32768 terms";
}

int32_t module_plan_reduction(const dnnl_functions_t *dnnl, const assay_program_t *program,
                              bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  (void)takes_any_types; /* Sums of f32, i8 and ui8 are documented. */
  sum_t sum;
  assay_dims_t reduced;
  size_t terms = 0;
  const char *refused = match(program, &sum);
  if (refused == NULL) refused = count_terms(&sum, &reduced, &terms);
  if (refused == NULL && !(fabs(sum.scale / sum.to.scale) * (double)terms <= (double)FLT_MAX)) {
    refused = "no multiplier beyond f32";
  }
  if (refused != NULL) return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", refused);
  *out_plan = (plan_t){.input_count = 1, .input_arguments = {DNNL_ARG_SRC}, .is_wired = true};
  out_plan->operand_of[0] = sum.source;
  if (sum.is_window) {
    plan_average_t average = {.from = sum.from.data_type, .to = sum.to.data_type};
    int32_t code = plan_describe_average(dnnl, sum.reduce->program, &average, out_plan, reason);
    if (code != ASSAY_EXECUTOR_OK) return code;
  }
  dnnl_status_t status = add_rescaling(dnnl, &sum, terms, out_plan);
  if (status == dnnl_success && !sum.is_window) status = describe(dnnl, &sum, &reduced, out_plan);
  return plan_answer(dnnl, status, sum.is_window ? "pooling" : "reduction", reason);
}
