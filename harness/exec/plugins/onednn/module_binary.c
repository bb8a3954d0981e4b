/* SPDX-License-Identifier: Apache-2.0 */
/* Modules about add, subtract, multiply, maximum or minimum of two tensors, perhaps with a maximum
 * with zeros behind it: written on quantized types, or in floats between dequantize and quantize.
 * Both are the quantized op, which binary.c does (theory.md, T213); its result is clamped at the
 * zero point by one more post-op, before it is rounded (T178). */
#include <float.h>

#include "harness/exec/plugins/onednn/module.h"

typedef struct pair {
  module_region_t region;
  const assay_step_t *center;
  uint32_t sources[2]; /* Operands of the module. */
  assay_type_t types[2];
  assay_type_t result;
} pair_t;

/* Why the module is none; NULL if it is one. */
static const char *match(const assay_program_t *program, pair_t *out) {
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
    if (!assay_is_quantized(type)) return "an op of two operands takes what is quantized";
    out->types[side] = *type;
  }
  out->result = program->results[0];
  bool is_float = assay_type_is(&out->center->program->results[0], "f32");
  bool is_alike = is_float ? out->region.quantize != NULL
                           : assay_type_is(&out->center->program->results[0], out->result.element);
  if (!assay_is_quantized(&out->result) || !is_alike) {
    return "what is quantized is the result of the op, or a maximum of that with zeros";
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
  module_quantized_t result;
  const char *refused = match(program, &pair);
  if (refused == NULL) refused = module_read_quantized(&pair.result, &result);
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
  return plan_answer(dnnl, add_maximum(dnnl, result.zero_point, out_plan), "post-ops", reason);
}
