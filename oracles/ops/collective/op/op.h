/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the rows of stablehlo.all_reduce and stablehlo.reduce_scatter: see the members of
 * op_t of the same names. */
#ifndef ASSAY_ORACLES_OPS_COLLECTIVE_OP_OP_H
#define ASSAY_ORACLES_OPS_COLLECTIVE_OP_OP_H

#include "oracles/ops/collective/collective.h"

extern const op_t all_reduce_op;
extern const op_t reduce_scatter_op;

extern const op_constraint_t all_reduce_constraints[];
extern const op_constraint_t all_reduce_contract_constraints[];
extern const op_constraint_t reduce_scatter_constraints[];
extern const op_constraint_t reduce_scatter_contract_constraints[];

void all_reduce_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                     program_t *out_program);
void reduce_scatter_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                         program_t *out_program);

/* The program that each process runs, of tensors without the processes' dimension. */
void collective_print_mlir(const program_t *program, GString *out_text);

void all_reduce_axes(const program_t *program, axes_t *out_axes);
void all_reduce_with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                          program_t *out_program);
const size_t *all_reduce_leaders(const program_t *program, uint32_t result, arena_t *arena);

#endif
