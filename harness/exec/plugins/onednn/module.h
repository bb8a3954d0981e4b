/* SPDX-License-Identifier: Apache-2.0 */
/* What the plans of modules share: steps by the values that they give, and what stands around what
 * a module is about. */
#ifndef ASSAY_EXEC_PLUGINS_ONEDNN_MODULE_H
#define ASSAY_EXEC_PLUGINS_ONEDNN_MODULE_H

#include "harness/exec/executor_quantized.h"
#include "harness/exec/plugins/onednn/onednn.h"

enum { MODULE_NO_VALUE = UINT32_MAX };

/* As plan_make_t, of modules with a product, an op of two tensors, a reduction, or a softmax. */
plan_make_t module_plan_product, module_plan_binary, module_plan_reduction, module_plan_softmax;

bool module_is_op(const assay_step_t *step, const char *name);

/* The step that gives a value, or NULL. */
const assay_step_t *module_find_step(const assay_module_t *module, uint32_t value);

/* The number of a constant, or MODULE_NO_VALUE. */
uint32_t module_find_constant(const assay_module_t *module, uint32_t value);

/* Whether a value is an operand of the module. */
bool module_is_operand(const assay_program_t *program, uint32_t value);

size_t module_count_elements(const assay_type_t *type);

/* i32, whatever it stands for: what is added to sums, or compared with them, has their zero point.
 */
bool module_is_i32(const assay_type_t *type);

/* Whether it is a constant that stands for zeros: of f32, of i32, or zero points of i8 or ui8. */
bool module_is_zero(const assay_module_t *module, uint32_t value);

/* A type of i8 or ui8 with one scale, which expresses f32. */
typedef struct module_quantized {
  assay_quantization_t type;
  double scale;
  int64_t zero_point;
  dnnl_data_type_t data_type;
} module_quantized_t;

/* NULL, or why the type is none. */
const char *module_read_quantized(const assay_type_t *type, module_quantized_t *out);

/* A module, as far as it is known what its steps are. */
typedef struct module_region {
  const assay_program_t *program;
  const assay_module_t *module;
  uint32_t used;                /* Steps that are known. */
  const assay_step_t *quantize; /* The last step; or NULL. */
  const assay_step_t *maximum;  /* With zeros, before it; or NULL. */
} module_region_t;

/* Zeros, or a broadcast of them, which is then a step of the module. */
bool module_match_zeros(module_region_t *region, uint32_t value);

/* Of a step with two operands of which one is zeros, the other; MODULE_NO_VALUE if none is. */
uint32_t module_take_zeros(module_region_t *region, const assay_step_t *step);

/* Takes quantize and maximum away; the step before them, or NULL. */
const assay_step_t *module_take_end(module_region_t *region);

/* What the step's operand is as it is stored, before a uniform_dequantize if there is one, and the
 * operand of the module that this is; NULL if it is none. */
const assay_type_t *module_take_source(module_region_t *region, const assay_step_t *step,
                                       uint32_t side, uint32_t *out_value);

/* What is done to each number of f32 before it is stored: a function, or a sum with what an input
 * of the primitive is, DNNL_ARG_ATTR_MULTIPLE_POST_OP(number) | DNNL_ARG_SRC_1. */
typedef struct module_post_op {
  dnnl_alg_kind_t algorithm;
  float alpha;
  float beta;
  const dnnl_memory_desc_t *added; /* NULL: a function. */
} module_post_op_t;

/* In their order.  No two linear ones behind a reduction: its JIT kernels (2.6.3) give all of them
 * the constants of the first. */
dnnl_status_t module_set_post_ops(const dnnl_functions_t *dnnl, const module_post_op_t *list,
                                  size_t count, plan_t *plan);

#endif
