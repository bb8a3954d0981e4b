/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of one result component of a reduce, as the oracle computes with them. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_GATHER_H
#define ASSAY_ORACLES_OPS_REDUCE_GATHER_H

#include "harness/num/element_value.h"
#include "oracles/exact/product/integer.h"
#include "oracles/exact/product/problem.h"
#include "oracles/exact/sum/problem.h"
#include "oracles/ops/reduce/reduce.h"

/* The body that combines result `result`: a sum_count is two independent additions.  Of programs
 * whose body has a name. */
fold_body_t reduce_fold_body(const program_t *program);

/* Each describes the terms of component `component` of result `result`; arrays in the arena.  The
 * first is for sums of floats and parts of complex sums, the second for products of floats and of
 * complex numbers (whole), the third for integers and booleans. */
sum_problem_t reduce_sum_question(const case_t *instance, const reduce_slices_t *slices,
                                  uint32_t result, size_t component, arena_t *arena);
product_problem_t reduce_product_question(const case_t *instance, const reduce_slices_t *slices,
                                          uint32_t result, size_t component, arena_t *arena);
integer_problem_t reduce_integer_question(const case_t *instance, const reduce_slices_t *slices,
                                          uint32_t result, size_t component, arena_t *arena);

/* Component `component` of a float or complex tensor as a binary64 carrier, and an element of an
 * integer or boolean one extended to 64 bits. */
static inline double reduce_load_float(const tensor_t *tensor, size_t component) {
  return element_load_float(tensor->type.element, tensor->data, component);
}

uint64_t reduce_load_integer(const tensor_t *tensor, size_t index);

#endif
