/* SPDX-License-Identifier: Apache-2.0 */
/* Planted faults of fused kernels: what one makes of a step in the light of the steps around it.  A
 * row changes what the step reads before it runs, or what it has written. */
#ifndef ASSAY_ORACLES_OPS_MODULE_FUSED_H
#define ASSAY_ORACLES_OPS_MODULE_FUSED_H

#include "generated/module_faults.h"
#include "oracles/ops/module/module.h"

/* One step as the kernel is about to run it. */
typedef struct fused {
  const module_faulty_step_t *faulty;
  program_t program;                           /* What is run, */
  const tensor_t *operands[CASE_OPERANDS_MAX]; /* and of what; both may be changed. */
  tensor_t *results;
  bool is_done; /* The results are written: nothing is run. */
} fused_t;

/* Either may be NULL. */
typedef void fused_change_t(fused_t *fused);
typedef struct fused_fault {
  fault_t fault;
  fused_change_t *before, *after;
} fused_fault_t;

/* The families; the last row of each has FAULT_NONE. */
extern const fused_fault_t fused_elementwise_faults[];
extern const fused_fault_t fused_reduction_faults[];
extern const fused_fault_t fused_product_faults[];
extern const fused_fault_t fused_movement_faults[];
extern const fused_fault_t fused_quantized_faults[];

/* ---- What stands around a step --------------------------------------------------------------- */

static inline const module_step_t *fused_step(const fused_t *fused) { return fused->faulty->step; }

/* The step that gives an operand, if that is stablehlo.NAME; or, of any name, if it computes. */
const module_step_t *fused_operand(const fused_t *fused, uint32_t operand, const char *name);
const module_step_t *fused_computed(const fused_t *fused, uint32_t operand);

/* The value that a step took as an operand. */
const tensor_t *fused_value(const fused_t *fused, const module_step_t *step, uint32_t operand);

/* Whether a step is elementwise arithmetic of two operands, or a negation. */
bool fused_is_elementwise(const module_step_t *step);

/* Whether an operand is a constant of which all elements are one number, or a broadcast of one;
 * which is told. */
bool fused_is_number(const fused_t *fused, uint32_t operand, double *out_number);

/* Whether a value is one that the module returns. */
bool fused_is_returned(const fused_t *fused);

/* ---- Tensors --------------------------------------------------------------------------------- */

/* A copy that may be written to, in the place of an operand. */
tensor_t *fused_edit(fused_t *fused, uint32_t operand);

double fused_number(const tensor_t *tensor, size_t element); /* NaN stays NaN. */
void fused_store(tensor_t *inout_tensor, size_t element, double number);
void fused_copy_element(const tensor_t *from, size_t from_element, tensor_t *inout_to,
                        size_t element);

/* Another tensor of as many bytes becomes the result. */
void fused_finish(fused_t *fused, const tensor_t *result);

/* Whether two types have one element type and shape. */
bool fused_are_alike(const type_t *a, const type_t *b);

#endif
