/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.layer_norm and byteir.l2_norm: their attributes, which are the same, and the decisions
 * where their document is silent:
 *
 * - weight and bias have the dimensions named by `axis`, ascending; mean and inv_std_dev have those
 *   of the operand, the named ones being 1, and its element type.
 * - The variance is that of the population: squared deviations divided by their count.
 * - layer_norm divides by sqrt(variance + epsilon), or, with eps_outside_sqrt, by sqrt(variance) +
 *   epsilon; inv_std_dev is the inverse of that.
 * - l2_norm divides by sqrt(max(sum x^2, epsilon)), or, with eps_outside_sqrt, by max(sqrt(sum
 *   x^2), epsilon), as ByteIR's own decomposition does.  So a row of zeros is NaN if epsilon is 0.
 */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_NORM_BYTEIR_NORM_H
#define ASSAY_ORACLES_OPS_BYTEIR_NORM_BYTEIR_NORM_H

#include "harness/kinds/byteir.h"

typedef struct byteir_norm_attributes {
  double epsilon;
  dimension_list_t axis;
  optional_boolean_t eps_outside_sqrt; /* False if absent. */
} byteir_norm_attributes_t;

enum layer_norm_operand { LAYER_NORM_INPUT, LAYER_NORM_WEIGHT, LAYER_NORM_BIAS };
enum layer_norm_result { LAYER_NORM_OUTPUT, LAYER_NORM_MEAN, LAYER_NORM_INVERSE_DEVIATION };

static inline const byteir_norm_attributes_t *byteir_norm_attributes(const program_t *program) {
  return program->attributes;
}

static inline bool byteir_norm_eps_outside_sqrt(const program_t *program) {
  return byteir_norm_attributes(program)->eps_outside_sqrt == OPTIONAL_TRUE;
}

/* The dimensions over which a valid program normalizes, ascending. */
static inline dimension_list_t byteir_norm_dimensions(const program_t *program) {
  return byteir_axes(&byteir_norm_attributes(program)->axis, program->operands[0].rank);
}

/* The type of weight and bias, and that of mean and inv_std_dev. */
type_t byteir_norm_weight_type(const type_t *operand, const dimension_list_t *dimensions);
type_t byteir_norm_moment_type(const type_t *operand, const dimension_list_t *dimensions);

/* op/edges.c: op_t.draw_edges of both. */
void byteir_layer_norm_draw_edges(rng_t *rng, case_t *inout_case);
void byteir_l2_norm_draw_edges(rng_t *rng, case_t *inout_case);

/* op/axes.c: op_t.axes and with_axes of both. */
void byteir_norm_axes(const program_t *program, axes_t *out_axes);
void byteir_norm_with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                           program_t *out_program);

#endif
