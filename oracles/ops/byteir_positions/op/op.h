/* SPDX-License-Identifier: Apache-2.0 */
/* What the op rows of this folder share. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_POSITIONS_OP_OP_H
#define ASSAY_ORACLES_OPS_BYTEIR_POSITIONS_OP_OP_H

#include "oracles/ops/byteir_positions/byteir_positions.h"

extern const op_t byteir_arg_max_op;
extern const op_t byteir_arg_min_op;
extern const op_t byteir_top_k_op;
extern const op_t byteir_one_hot_op;

/* f16, bf16, f32, f64, integers of 8 bits or more and i1: what is compared here.  `unused` makes it
 * a draw_filter_t. */
bool byteir_positions_is_comparable(const element_t *element, const void *unused);

/* Whether indices cannot have that type, whatever an implementation extends: it is of floats or
 * complex numbers. */
bool byteir_positions_cannot_be(const type_t *type);

/* Whether operand, values (or NULL) and indices, which may be of any other type by byteir's word,
 * are of types that are modelled; that in words. */
bool byteir_positions_is_modelled(const type_t *operand, const type_t *values,
                                  const type_t *indices);
#define BYTEIR_POSITIONS_TYPES                                                              \
  "the operand is an unquantized tensor of f16, bf16, f32, f64, i1 or integers of 8 to 64 " \
  "bits, values have its element type, and indices are not quantized"

/* Whether the type is an integer that holds the indices of `size` elements. */
bool byteir_positions_holds_indices(const element_t *element, int64_t size);

/* Draws such a type. */
const element_t *byteir_positions_draw_index(rng_t *rng, int64_t size);

/* Fills the operand row by row with ties, NaNs, zeros, subnormals, extremes and sorted runs. */
void byteir_positions_draw_rows(rng_t *rng, uint32_t axis, case_t *inout_case);

#endif
