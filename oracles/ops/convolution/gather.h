/* SPDX-License-Identifier: Apache-2.0 */
/* A group of a convolution as a product of two matrices: by the specification the contracting
 * dimensions are input_spatial_dimensions + [input_feature_dimension], in this order (`dot_product`
 * there).  Quantized operands are dequantized and then padded with 0.0, which is the zero point. */
#ifndef ASSAY_ORACLES_OPS_CONVOLUTION_GATHER_H
#define ASSAY_ORACLES_OPS_CONVOLUTION_GATHER_H

#include "oracles/ops/convolution/windows.h"

/* Strides of one tensor in elements, by what its dimensions are. */
typedef struct convolution_strides {
  size_t batch;
  size_t feature;
  size_t spatial[TYPE_RANK_MAX];
} convolution_strides_t;

/* One group, in one block of windows. */
typedef struct convolution_part {
  const window_block_t *blocks[TYPE_RANK_MAX]; /* By spatial dimension. */
  size_t tail_places[TYPE_RANK_MAX + 1]; /* Places of the kernel along this dimension and later. */
  size_t window_count;                   /* Along all of them. */
  size_t lhs_base;                       /* First elements of the group. */
  size_t rhs_base;
  size_t result_base;
} convolution_part_t;

typedef struct convolution_geometry {
  const case_t *instance;
  fault_t fault;
  arena_t *arena;
  uint32_t spatial_count;
  convolution_strides_t lhs;
  convolution_strides_t rhs; /* `batch` is that of the output features. */
  convolution_strides_t result;
  size_t batch;    /* Of one group, and so is the rest. */
  size_t features; /* Terms of one place. */
  size_t channels; /* Output features. */
  size_t groups;
  uint64_t padding; /* The pattern of padding in the first component of lhs elements. */
  window_blocks_t blocks[TYPE_RANK_MAX];
} convolution_geometry_t;

/* Rows: entries of the batch and windows, `batch` times `window_count` of them.  Terms: places of
 * the kernel and features, `tail_places[0]` times `features` of them.  Columns: channels.  This
 * fills the matrix of rows and terms, and that of terms and columns. */
void convolution_gather_lhs(const convolution_geometry_t *geometry, const convolution_part_t *part,
                            uint8_t *out);
void convolution_gather_rhs(const convolution_geometry_t *geometry, const convolution_part_t *part,
                            uint8_t *out);

/* Where the elements of the product are in the result. */
void convolution_map_elements(const convolution_geometry_t *geometry,
                              const convolution_part_t *part, size_t *out);

#endif
