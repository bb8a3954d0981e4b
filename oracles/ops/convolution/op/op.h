/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the row of stablehlo.convolution: see the members of op_t of the same names. */
#ifndef ASSAY_ORACLES_OPS_CONVOLUTION_OP_OP_H
#define ASSAY_ORACLES_OPS_CONVOLUTION_OP_OP_H

#include "harness/model/op.h"
#include "oracles/ops/convolution/convolution.h"

extern const op_t convolution_op;
extern const op_constraint_t convolution_constraints[];
extern const op_constraint_t convolution_contract_constraints[];

extern const attribute_row_t convolution_attribute_rows[];
void convolution_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                      program_t *out_program);
void convolution_draw_edges(rng_t *rng, case_t *inout_case);
void convolution_part_axes(const program_t *program, axes_t *out_axes);
void convolution_with_part_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                                program_t *out_program);

/* The sizes of the result that C25 asks for, as its dimension numbers order them.  The program
 * obeys everything else about shapes.  False if a size exceeds TYPE_ELEMENTS_MAX. */
bool convolution_result_sizes(const program_t *program, int64_t out_sizes[TYPE_RANK_MAX]);

#endif
