/* SPDX-License-Identifier: Apache-2.0 */
/* Windows that slide over the dimensions of a tensor, as reduce_window, select_and_scatter and
 * convolution have them (StableHLO specification, reduce_window). */
#ifndef ASSAY_KINDS_WINDOW_H
#define ASSAY_KINDS_WINDOW_H

#include "harness/draw/draw.h"
#include "harness/model/attribute.h"
#include "harness/types/window_geometry.h"

/* "[[0,1],[-1,2]]": what is put before and behind each dimension; below 0 cuts off. */
typedef struct padding_list {
  uint32_t count;
  int64_t low[TYPE_RANK_MAX];
  int64_t high[TYPE_RANK_MAX];
} padding_list_t;

/* Its codec; MLIR: "dense<[[0, 1], [-1, 2]]> : tensor<2x2xi64>".  More than TYPE_RANK_MAX pairs are
 * refused: no valid program has them.  A row may say in two words what is said of too many, such as
 * "this list holds" and "entries". */
extern const attribute_codec_t padding_list;
void padding_list_print(const padding_list_t *list, GString *out_text);

/* Whether every entry is at least 1. */
bool dimension_list_is_positive(const dimension_list_t *list);

/* How many windows there are over a dimension of `length` elements, 0 or more; INT64_MAX if they
 * are more than any tensor could have elements. */
int64_t window_count(const window_t *window, int64_t length);

/* The element of the dimension that is element `position` of window `number`, both of them from 0;
 * -1 if it is padding or a hole. */
int64_t window_source(const window_t *window, int64_t length, int64_t number, int64_t position);

/* Bounds of a draw, each at least 1. */
typedef struct window_limits {
  int64_t size;  /* Of a window. */
  int64_t count; /* Of windows. */
  int64_t work;  /* Elements of all windows together; at least `size`. */
  draw_sizes_t sizes;
} window_limits_t;

/* Draws windows over a dimension of `length` elements; seldom none. */
window_t window_draw(rng_t *rng, int64_t length, const window_limits_t *limits, bool has_dilations);

#endif
