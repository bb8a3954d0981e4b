/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the row of stablehlo.dot_general: see the members of op_t of the same names. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_OP_OP_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_OP_OP_H

#include "harness/model/op.h"
#include "oracles/ops/dot_general/dot_general.h"

extern const op_t dot_general_op;
extern const op_constraint_t dot_general_constraints[];
extern const op_constraint_t dot_general_contract_constraints[];

/* Parts of the tables. */
bool dot_general_has_quantized(const program_t *program);
bool dot_general_mixes_f8(const program_t *program);
bool dot_general_has_lhs_components(const program_t *program);
bool dot_general_has_rhs_components(const program_t *program);
bool dot_general_has_primitives(const program_t *program);

void dot_general_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                      program_t *out_program);
void dot_general_axes(const program_t *program, axes_t *out_axes);
void dot_general_with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                           program_t *out_program);
/* Makes the operand and result types of a valid program, of which only the shapes count, quantized
 * or hybrid; it must not ask for an algorithm. */
void dot_general_draw_quantization(rng_t *rng, bool is_hybrid, arena_t *arena,
                                   program_t *inout_program);

#endif
