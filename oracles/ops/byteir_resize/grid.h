/* SPDX-License-Identifier: Apache-2.0 */
/* A resize as its oracle walks through it: which elements of the input stand around the coordinates
 * of a result element. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RESIZE_GRID_H
#define ASSAY_ORACLES_OPS_BYTEIR_RESIZE_GRID_H

#include "oracles/ops/byteir_resize/coordinate.h"
#include "oracles/ops/byteir_resize/formulas.h"

typedef struct resize_grid {
  const case_t *instance;
  uint32_t rank;
  size_t count; /* Elements of the result. */
  bool takes_given;
  resize_axis_t axes[TYPE_RANK_MAX];
  size_t strides[TYPE_RANK_MAX]; /* Of the input. */
  uint32_t moved[TYPE_RANK_MAX]; /* The dimensions that are not copied. */
  uint32_t moved_count;
} resize_grid_t;

/* Of a valid program; `takes_given`: the target's scales stand for ratios of lengths. */
resize_grid_t resize_grid_make(const case_t *instance, bool takes_given);

/* Whether given scales mean something else than the ratios do. */
bool resize_scales_differ(const case_t *instance);

/* STATUS_UNSUPPORTED, with the reason, if the target's data are not those of the result's shape. */
status_t resize_check_target(const case_t *instance, failure_t *error);

/* The positions of a result element; the element of the input at some indices. */
void resize_positions(const resize_grid_t *grid, size_t component, int64_t out[TYPE_RANK_MAX]);
size_t resize_element(const resize_grid_t *grid, const int64_t indices[TYPE_RANK_MAX]);

/* What a linear resize takes along one dimension, for each position. */
typedef struct resize_track {
  int64_t *lower;
  int64_t *upper;
  double *weight; /* Of the upper one. */
} resize_track_t;

resize_track_t resize_track_make(const resize_axis_t *axis, arena_t *arena);

/* Where a coordinate lies: clamped to the input's elements, or with its indices clamped. */
void resize_track_set(const resize_track_t *track, const resize_axis_t *axis, int64_t position,
                      double coordinate, bool clamps_indices);

/* Rows of models have so many numbers at the most: they stay in the second-level cache. */
enum { RESIZE_BLOCK = 1024 };

/* The cells of `count` result elements from `first` on in rows of numbers, for models: corners as
 * they are read by an implementation with the schedule's fault, weights rounded to the formula's
 * format.  tracks[i] is that of grid->moved[i]; there are RESIZE_AXES_MAX of these at the most. */
resize_cell_t resize_gather(const resize_grid_t *grid, formula_t *formula,
                            const resize_track_t *tracks, size_t first, size_t count);

#endif
