/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of operands of any type as factors of a dot algorithm: rounded to the precision type, or
 * split into components of it (theory.md, D7 and T131). */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_COMPONENTS_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_COMPONENTS_H

#include "harness/model/case.h"
#include "oracles/ops/dot_general/plan.h"

/* Component `component` of the operand (complex ones have two per element), split into `count`
 * numbers of the precision type, which may be an integer type if count is 1.  False, with NaNs for
 * the numbers, where nobody says what is to be made of it: an integer type has no such number, or a
 * type without NaN is given what is not finite. */
bool dot_components_load(split_t split, const element_t *precision, int count,
                         const tensor_t *operand, size_t component,
                         double out_components[DOT_COMPONENTS_MAX]);

/* The same of the plan's operand `side`, which the plan says how to split. */
bool dot_general_load_components(const tensor_t *operand, const dot_plan_t *plan, split_t split,
                                 uint32_t side, size_t component,
                                 double out_components[DOT_COMPONENTS_MAX]);

/* An integer that a number of an operand rounds to, extended to 64 bits by the signedness of the
 * precision type; false where that has none. */
bool dot_components_load_integer(split_t split, const element_t *precision, const tensor_t *operand,
                                 size_t component, uint64_t *out_integer);

#endif
