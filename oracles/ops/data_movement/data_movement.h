/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.reshape, transpose, broadcast_in_dim and concatenate: ops that compute nothing.  Each
 * element of the result is one element of an operand, to the bit, and of quantized types the stored
 * integer: their constraints see to it that it means the same there. */
#ifndef ASSAY_ORACLES_OPS_DATA_MOVEMENT_DATA_MOVEMENT_H
#define ASSAY_ORACLES_OPS_DATA_MOVEMENT_DATA_MOVEMENT_H

#include "harness/model/op.h"

/* Of all four ops. */
typedef struct data_movement_attributes {
  dimension_list_t dimensions; /* A transpose's permutation, a broadcast's broadcast_dimensions. */
  int64_t dimension;           /* Of a concatenate. */
} data_movement_attributes_t;

typedef enum movement {
  MOVEMENT_RESHAPE,
  MOVEMENT_TRANSPOSE,
  MOVEMENT_BROADCAST,
  MOVEMENT_CONCATENATE
} movement_t;

static inline const data_movement_attributes_t *data_movement_attributes(const program_t *program) {
  return program->attributes;
}

/* Which of the four the program's op is. */
movement_t data_movement_of(const program_t *program);

/* Whether the specification says what a valid program means.  It lets the scales of a broadcast
 * along a quantized dimension that keeps its size differ from the operand's, and says no more. */
bool data_movement_is_defined(const program_t *program);

#endif
