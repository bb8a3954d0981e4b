/* The parts of the rows of the four ops: see the members of op_t of the same names. */
#ifndef ASSAY_OPS_DATA_MOVEMENT_OP_H
#define ASSAY_OPS_DATA_MOVEMENT_OP_H

#include "harness/model/op.h"
#include "oracles/ops/data_movement/data_movement.h"

extern const op_t movement_reshape_op;
extern const op_t movement_transpose_op;
extern const op_t movement_broadcast_op;
extern const op_t movement_concatenate_op;

const char *movement_reshape_validate(const program_t *program);
const char *movement_transpose_validate(const program_t *program);
const char *movement_broadcast_validate(const program_t *program);
const char *movement_concatenate_validate(const program_t *program);

void movement_reshape_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                           program_t *out_program);
void movement_transpose_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                             program_t *out_program);
void movement_broadcast_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                             program_t *out_program);
void movement_concatenate_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                               program_t *out_program);

/* Different patterns in as many elements as the type has patterns for. */
void movement_draw_edges(rng_t *rng, case_t *inout_case);

bool movement_reshape_break(rng_t *rng, const char *id, arena_t *arena, program_t *inout_program);
bool movement_transpose_break(rng_t *rng, const char *id, arena_t *arena, program_t *inout_program);
bool movement_broadcast_break(rng_t *rng, const char *id, arena_t *arena, program_t *inout_program);
bool movement_concatenate_break(rng_t *rng, const char *id, arena_t *arena,
                                program_t *inout_program);

/* A quantized type's parameters along another dimension, in the arena. */
const quantization_t *movement_along(const quantization_t *quantization, int32_t axis,
                                     arena_t *arena);

/* `count` times the first scale and zero point, along another dimension, in the arena. */
const quantization_t *movement_repeated(const quantization_t *quantization, int32_t axis,
                                        uint32_t count, arena_t *arena);

#endif
