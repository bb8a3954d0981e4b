/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the row of op `module`. */
#ifndef ASSAY_ORACLES_OPS_MODULE_OP_OP_H
#define ASSAY_ORACLES_OPS_MODULE_OP_OP_H

#include "harness/kinds/module/module.h"

extern const op_t module_op;

/* A program of one of the families of patterns.h. */
void module_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program);

#endif
