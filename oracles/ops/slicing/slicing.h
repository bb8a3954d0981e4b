/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.slice, pad, reverse, iota, dynamic_slice, dynamic_update_slice and gather: ops that
 * compute nothing.  Each element of the result is one element of an operand, to the bit, or its
 * own index. */
#ifndef ASSAY_ORACLES_OPS_SLICING_SLICING_H
#define ASSAY_ORACLES_OPS_SLICING_SLICING_H

#include "harness/model/op.h"

typedef enum slicing {
  SLICING_SLICE,
  SLICING_PAD, /* (operand, padding value) */
  SLICING_REVERSE,
  SLICING_IOTA,
  SLICING_DYNAMIC_SLICE,        /* (operand, a scalar start for each dimension) */
  SLICING_DYNAMIC_UPDATE_SLICE, /* (operand, update, a scalar start for each dimension) */
  SLICING_GATHER,               /* (operand, start indices) */
  SLICING_COUNT
} slicing_t;

/* Of all of them. */
typedef struct slicing_attributes {
  dimension_list_t low;      /* start_indices of a slice, edge_padding_low */
  dimension_list_t high;     /* limit_indices, edge_padding_high */
  dimension_list_t between;  /* strides, interior_padding */
  dimension_list_t reversed; /* dimensions of a reverse */
  int64_t iota_dimension;
  dimension_list_t slice_sizes; /* Of a dynamic_slice and a gather; and of that alone: */
  dimension_list_t offset_dims;
  dimension_list_t collapsed_slice_dims;
  dimension_list_t operand_batching_dims;
  dimension_list_t start_indices_batching_dims;
  dimension_list_t start_index_map;
  int64_t index_vector_dim;
  uint8_t indices_are_sorted;
} slicing_attributes_t;

static inline const slicing_attributes_t *slicing_attributes(const program_t *program) {
  return program->attributes;
}

/* Which of the ops the program's is. */
slicing_t slicing_of(const program_t *program);

/* The first operand that is a start index; those of dynamic ops alone have any. */
static inline uint32_t slicing_first_start(slicing_t op) {
  return op == SLICING_DYNAMIC_SLICE ? 1 : 2;
}

/* The integer in an operand of indices; of ui64 beyond the range of int64_t the largest one. */
int64_t slicing_index(const tensor_t *tensor, size_t element);

#endif
