/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.batch_norm_training and stablehlo.batch_norm_grad: their attributes, which are the
 * same, and where their operands lie.  A channel is an index of dimension feature_index; its terms
 * are the elements along all other dimensions, N of them.
 *
 * - epsilon is a constant of f32: any finite number of that type, of either sign.  (f32 has NaN and
 *   infinities too; a case line has no spelling for them.)
 * - The specification allows every float type.  The oracle knows f16, bf16, f32 and f64, and
 *   refuses the others by name, since nobody says how they are computed.
 * - All operands and results may be quantized per tensor: they are dequantized, and the results
 *   quantized (dequantize_batch_norm_grad_or_training_quantize); see composite/quantized.h. */
#ifndef ASSAY_ORACLES_OPS_BATCH_NORM_BATCH_NORM_H
#define ASSAY_ORACLES_OPS_BATCH_NORM_BATCH_NORM_H

#include "harness/model/op.h"

typedef struct batch_norm_attributes {
  double epsilon; /* Finite. */
  int64_t feature_index;
} batch_norm_attributes_t;

enum batch_norm_training_operand {
  BATCH_NORM_TRAINING_OPERAND,
  BATCH_NORM_TRAINING_SCALE,
  BATCH_NORM_TRAINING_OFFSET,
  BATCH_NORM_TRAINING_OPERANDS
};
enum batch_norm_training_result {
  BATCH_NORM_TRAINING_OUTPUT,
  BATCH_NORM_TRAINING_MEAN,
  BATCH_NORM_TRAINING_VARIANCE
};
enum batch_norm_grad_operand {
  BATCH_NORM_GRAD_OPERAND,
  BATCH_NORM_GRAD_SCALE,
  BATCH_NORM_GRAD_MEAN,
  BATCH_NORM_GRAD_VARIANCE,
  BATCH_NORM_GRAD_OUTPUT,
  BATCH_NORM_GRAD_OPERANDS
};
enum batch_norm_grad_result {
  BATCH_NORM_GRAD_OF_OPERAND,
  BATCH_NORM_GRAD_OF_SCALE,
  BATCH_NORM_GRAD_OF_OFFSET
};
enum { BATCH_NORM_RESULTS = 3 }; /* Of both: one like the operand, and two by channel. */

static inline const batch_norm_attributes_t *batch_norm_attributes(const program_t *program) {
  return program->attributes;
}

/* Whether epsilon is a number of its type. */
static inline bool batch_norm_epsilon_is_f32(const batch_norm_attributes_t *attributes) {
  const format_t *f32 = &format_table[FORMAT_f32];
  return format_round_double(f32, attributes->epsilon) == attributes->epsilon;
}

static inline bool batch_norm_is_grad(const program_t *program) {
  return strcmp(program->op->name, "stablehlo.batch_norm_grad") == 0;
}

/* Whether operand `operand` has the dimensions of the first one; the others are by channel. */
static inline bool batch_norm_is_whole(const program_t *program, uint32_t operand) {
  return operand == 0 || (batch_norm_is_grad(program) && operand == BATCH_NORM_GRAD_OUTPUT);
}

/* All dimensions of a valid program's operand but feature_index, ascending. */
static inline dimension_list_t batch_norm_terms(const program_t *program) {
  dimension_list_t feature = {.count = 1, .dims = {batch_norm_attributes(program)->feature_index}};
  return dimension_list_rest(program->operands[0].rank, &feature, NULL);
}

/* op/constraints.c. */
extern const op_constraint_t batch_norm_training_constraints[];
extern const op_constraint_t batch_norm_grad_constraints[];

/* op/draw.c: the part of op_t.draw after out_program->op is set, and draw_edges. */
void batch_norm_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                     program_t *inout_program);
void batch_norm_draw_edges(rng_t *rng, case_t *inout_case);

/* op/axes.c: op_t.axes and with_axes of both. */
void batch_norm_axes(const program_t *program, axes_t *out_axes);
void batch_norm_with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                          program_t *out_program);

#endif
