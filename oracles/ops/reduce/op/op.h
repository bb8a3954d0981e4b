/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the row of stablehlo.reduce: see the members of op_t of the same names. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_OP_OP_H
#define ASSAY_ORACLES_OPS_REDUCE_OP_OP_H

#include "harness/model/op.h"
#include "oracles/ops/reduce/reduce.h"

extern const op_t reduce_op;
extern const op_constraint_t reduce_constraints[];
extern const op_constraint_t reduce_contract_constraints[];

void reduce_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program);
void reduce_axes(const program_t *program, axes_t *out_axes);
void reduce_with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                      program_t *out_program);

#endif
