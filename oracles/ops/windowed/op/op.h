/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the rows of stablehlo.reduce_window and stablehlo.select_and_scatter: see the
 * members of op_t of the same names. */
#ifndef ASSAY_ORACLES_OPS_WINDOWED_OP_OP_H
#define ASSAY_ORACLES_OPS_WINDOWED_OP_OP_H

#include "oracles/ops/windowed/windowed.h"

extern const op_t reduce_window_op;
extern const op_t select_and_scatter_op;

extern const op_constraint_t reduce_window_constraints[];
extern const op_constraint_t reduce_window_contract_constraints[];
extern const op_constraint_t select_and_scatter_constraints[];
extern const op_constraint_t select_and_scatter_contract_constraints[];

void reduce_window_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                        program_t *out_program);
void select_and_scatter_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                             program_t *out_program);
void reduce_window_draw_edges(rng_t *rng, case_t *inout_case);
void select_and_scatter_draw_edges(rng_t *rng, case_t *inout_case);

void reduce_window_part_axes(const program_t *program, axes_t *out_axes);
void select_and_scatter_part_axes(const program_t *program, axes_t *out_axes);
void windowed_with_part_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                             program_t *out_program);

void reduce_window_print_mlir(const program_t *program, GString *out_text);
void select_and_scatter_print_mlir(const program_t *program, GString *out_text);

#endif
