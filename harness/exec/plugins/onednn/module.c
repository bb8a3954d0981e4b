/* SPDX-License-Identifier: Apache-2.0 */
/* Modules as one primitive, by what they are about: a product, a sum of two tensors, a reduction,
 * or a softmax, with what stands around it.  All others are refused, with the step. */
#include "harness/exec/plugins/onednn/module.h"

bool module_is_op(const assay_step_t *step, const char *name) {
  return step != NULL && strcmp(step->program->op, name) == 0;
}

const assay_step_t *module_find_step(const assay_module_t *module, uint32_t value) {
  for (uint32_t i = 0; i < module->step_count; i++) {
    for (uint32_t k = 0; k < module->steps[i].program->result_count; k++) {
      if (module->steps[i].results[k] == value) return &module->steps[i];
    }
  }
  return NULL;
}

uint32_t module_find_constant(const assay_module_t *module, uint32_t value) {
  uint32_t number = value - module->constants_begin;
  return value >= module->constants_begin && number < module->constant_count ? number
                                                                             : MODULE_NO_VALUE;
}

bool module_is_operand(const assay_program_t *program, uint32_t value) {
  return value < program->operand_count;
}

size_t module_count_elements(const assay_type_t *type) {
  size_t count = 1;
  for (uint32_t i = 0; i < type->rank; i++) count *= (size_t)type->dims[i];
  return count;
}

bool module_is_i32(const assay_type_t *type) {
  static const char quantized[] = "!quant.uniform<i32";
  return assay_type_is(type, "i32") || strncmp(type->element, quantized, sizeof quantized - 1) == 0;
}

/* Whether all bytes of a constant are that one. */
static bool has_bytes(const assay_module_t *module, uint32_t number, size_t element_bytes,
                      unsigned char byte) {
  const unsigned char *data = module->constant_data[number];
  size_t bytes = module_count_elements(&module->constant_types[number]) * element_bytes;
  for (size_t i = 0; i < bytes; i++) {
    if (data[i] != byte) return false;
  }
  return true;
}

bool module_is_zero(const assay_module_t *module, uint32_t value) {
  uint32_t number = module_find_constant(module, value);
  if (number == MODULE_NO_VALUE) return false;
  const assay_type_t *type = &module->constant_types[number];
  module_quantized_t byte;
  if (module_read_quantized(type, &byte) == NULL) {
    return has_bytes(module, number, 1, (unsigned char)byte.zero_point);
  }
  if (!assay_type_is(type, "f32") && !module_is_i32(type)) return false;
  return has_bytes(module, number, sizeof(int32_t), 0);
}

/* ---- Around what a module is about ----------------------------------------------------------- */

const char *module_read_quantized(const assay_type_t *type, module_quantized_t *out) {
  if (!assay_read_quantization(type, &out->type)) return "what is quantized";
  const char *cursor = out->type.scales;
  if (out->type.axis != -1 || !assay_next_scale(&cursor, &out->scale, &out->zero_point)) {
    return "one scale";
  }
  if (strcmp(out->type.expressed, "f32") != 0) return "rescales in f32";
  bool is_signed = strcmp(out->type.storage, "i8") == 0;
  out->data_type = is_signed ? dnnl_s8 : dnnl_u8;
  return is_signed || strcmp(out->type.storage, "ui8") == 0 ? NULL : "i8 or ui8";
}

bool module_match_zeros(module_region_t *region, uint32_t value) {
  const assay_step_t *step = module_find_step(region->module, value);
  if (!module_is_op(step, "stablehlo.broadcast_in_dim")) {
    return module_is_zero(region->module, value);
  }
  if (!module_is_zero(region->module, step->operands[0])) return false;
  region->used++;
  return true;
}

uint32_t module_take_zeros(module_region_t *region, const assay_step_t *step) {
  for (int side = 1; side >= 0; side--) {
    if (module_match_zeros(region, step->operands[side])) return step->operands[1 - side];
  }
  return MODULE_NO_VALUE;
}

const assay_step_t *module_take_end(module_region_t *region) {
  const assay_step_t *step = module_find_step(region->module, region->module->returns[0]);
  if (module_is_op(step, "stablehlo.uniform_quantize")) {
    region->quantize = step;
    region->used++;
    step = module_find_step(region->module, step->operands[0]);
  }
  if (module_is_op(step, "stablehlo.maximum")) {
    uint32_t value = module_take_zeros(region, step);
    if (value == MODULE_NO_VALUE) return step;
    region->maximum = step;
    region->used++;
    step = module_find_step(region->module, value);
  }
  return step;
}

const assay_type_t *module_take_source(module_region_t *region, const assay_step_t *step,
                                       uint32_t side, uint32_t *out_value) {
  const assay_type_t *type = &step->program->operands[side];
  uint32_t value = step->operands[side];
  const assay_step_t *before = module_find_step(region->module, value);
  if (module_is_op(before, "stablehlo.uniform_dequantize")) {
    region->used++;
    type = &before->program->operands[0];
    value = before->operands[0];
  }
  *out_value = value;
  return module_is_operand(region->program, value) ? type : NULL;
}

dnnl_status_t module_set_post_ops(const dnnl_functions_t *dnnl, const module_post_op_t *list,
                                  size_t count, plan_t *plan) {
  dnnl_post_ops_t operations = NULL;
  dnnl_status_t status = dnnl_success;
  if (plan->attributes == NULL) status = dnnl->dnnl_primitive_attr_create(&plan->attributes);
  if (status == dnnl_success) status = dnnl->dnnl_post_ops_create(&operations);
  if (status != dnnl_success) return status;
  for (size_t i = 0; i < count && status == dnnl_success; i++) {
    const module_post_op_t *next = &list[i];
    status = next->added != NULL
                 ? dnnl->dnnl_post_ops_append_binary(operations, dnnl_binary_add, next->added)
                 : plan_append_eltwise(dnnl, operations, next->algorithm, next->alpha, next->beta);
  }
  if (status == dnnl_success) {
    status = dnnl->dnnl_primitive_attr_set_post_ops(plan->attributes, operations); /* A copy. */
  }
  dnnl->dnnl_post_ops_destroy(operations);
  return status;
}

/* ---- All ------------------------------------------------------------------------------------- */

static bool has_step(const assay_module_t *module, const char *name) {
  for (uint32_t i = 0; i < module->step_count; i++) {
    if (module_is_op(&module->steps[i], name)) return true;
  }
  return false;
}

typedef struct kind {
  const char *op;
  plan_make_t *make;
} kind_t;

/* The first whose op is a step. */
static const kind_t kinds[] = {
    {"stablehlo.convolution", module_plan_product},
    {"stablehlo.dot_general", module_plan_product},
    {"byteir.softmax", module_plan_softmax},
    {"byteir.log_softmax", module_plan_softmax},
    {"stablehlo.reduce", module_plan_reduction},
    {"stablehlo.reduce_window", module_plan_reduction},
    {"stablehlo.add", module_plan_binary},
    {"stablehlo.subtract", module_plan_binary},
    {"stablehlo.multiply", module_plan_binary},
    {"stablehlo.maximum", module_plan_binary},
    {"stablehlo.minimum", module_plan_binary},
};

int32_t plan_module(const dnnl_functions_t *dnnl, const assay_program_t *program,
                    bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  if (program->module == NULL || program->result_count != 1) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "modules of one result");
  }
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (!has_step(program->module, kinds[i].op)) continue;
    return kinds[i].make(dnnl, program, takes_any_types, out_plan, reason);
  }
  return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED,
                       "a module is about a product, a sum of two tensors, a reduction or a "
                       "softmax");
}
