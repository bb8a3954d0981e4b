/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the rows of the pointwise ops. */
#ifndef ASSAY_ORACLES_OPS_POINTWISE_OP_OP_H
#define ASSAY_ORACLES_OPS_POINTWISE_OP_OP_H

#include "oracles/ops/pointwise/pointwise.h"

extern const op_constraint_t pointwise_constraints[];
extern const op_constraint_t pointwise_bit_constraints[];
extern const op_constraint_t pointwise_abs_constraints[];
extern const op_constraint_t pointwise_compare_constraints[];
extern const op_constraint_t pointwise_select_constraints[];
extern const op_constraint_t pointwise_clamp_constraints[];

/* Whether a program, which may break anything, has as many operands and results as its op. */
bool pointwise_has_arity(const program_t *program);

/* The type of the operand that is computed with, of a program with that arity. */
const type_t *pointwise_main_type(const program_t *program);

#endif
