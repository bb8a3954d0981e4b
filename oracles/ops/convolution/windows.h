/* SPDX-License-Identifier: Apache-2.0 */
/* Which elements of lhs lie under which places of which windows: spatial dimension by spatial
 * dimension. */
#ifndef ASSAY_ORACLES_OPS_CONVOLUTION_WINDOWS_H
#define ASSAY_ORACLES_OPS_CONVOLUTION_WINDOWS_H

#include "harness/model/implementation_model.h"
#include "oracles/ops/convolution/convolution.h"

/* Some windows along one spatial dimension, and the places of the kernel that count there. */
typedef struct window_block {
  size_t window_count;
  const size_t *windows; /* Which they are, ascending. */
  size_t place_count;
  const size_t *places; /* Likewise. */
  /* [window_count][place_count]: what the place adds to the index of an lhs element, or -1 where
   * there is padding, or a hole between dilated elements. */
  const int64_t *sources;
} window_block_t;

/* The blocks of one spatial dimension: each window is in one of them. */
typedef struct window_blocks {
  size_t count;
  const window_block_t *blocks;
} window_blocks_t;

/* Along spatial dimension `dim` of a valid program: all windows in one block, with every place; or,
 * if padding is skipped, blocks of windows that have padding under the same places, without these.
 * `window_count` windows, as the result has; `stride` is that of the lhs dimension in elements. */
window_blocks_t window_blocks_make(const convolution_axis_t *axis, size_t window_count,
                                   size_t stride, bool skips_padding, fault_t fault,
                                   arena_t *arena);

#endif
