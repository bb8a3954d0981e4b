/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the rows of the four ops: see the members of op_t of the same names. */
#ifndef ASSAY_ORACLES_OPS_DATA_MOVEMENT_OP_OP_H
#define ASSAY_ORACLES_OPS_DATA_MOVEMENT_OP_OP_H

#include "harness/model/op.h"
#include "oracles/ops/data_movement/data_movement.h"

extern const op_t movement_reshape_op;
extern const op_t movement_transpose_op;
extern const op_t movement_broadcast_op;
extern const op_t movement_concatenate_op;

extern const op_constraint_t movement_reshape_constraints[];
extern const op_constraint_t movement_transpose_constraints[];
extern const op_constraint_t movement_broadcast_constraints[];
extern const op_constraint_t movement_concatenate_constraints[];

void movement_broadcast_part_axes(const program_t *program, axes_t *out_axes);
void movement_concatenate_part_axes(const program_t *program, axes_t *out_axes);
void movement_with_part_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                             program_t *out_program);

void movement_reshape_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                           program_t *out_program);
void movement_transpose_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                             program_t *out_program);
void movement_broadcast_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                             program_t *out_program);
void movement_concatenate_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                               program_t *out_program);

#endif
