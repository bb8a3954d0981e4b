/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the rows of the slicing ops: see the members of op_t of the same names. */
#ifndef ASSAY_ORACLES_OPS_SLICING_OP_OP_H
#define ASSAY_ORACLES_OPS_SLICING_OP_OP_H

#include "oracles/ops/slicing/slicing.h"

extern const op_t slice_op, pad_op, reverse_op, iota_op, dynamic_slice_op, dynamic_update_slice_op,
    gather_op;

extern const op_constraint_t slice_constraints[];
extern const op_constraint_t pad_constraints[];
extern const op_constraint_t reverse_constraints[];
extern const op_constraint_t iota_constraints[];
extern const op_constraint_t dynamic_slice_constraints[];
extern const op_constraint_t dynamic_update_slice_constraints[];
extern const op_constraint_t gather_constraints[];

/* For op_constraint_t.holds: slice_sizes has an entry for each dimension of the operand; each is at
 * most its size there; the result has the element type of the operand. */
bool slicing_takes_rank(const program_t *program);
bool slicing_takes_within(const program_t *program);
bool slicing_keeps_element(const program_t *program);

void slice_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program);
void pad_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program);
void reverse_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program);
void iota_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program);
void dynamic_slice_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                        program_t *out_program);
void dynamic_update_slice_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                               program_t *out_program);
void gather_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program);

/* Start indices of a case become mostly such as are within the operand, and some that are not. */
void slicing_settle(rng_t *rng, case_t *inout_case);

#endif
