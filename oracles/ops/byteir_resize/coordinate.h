/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinates: where, along one dimension, a result element of byteir.resize lies in the input.
 *
 * The formulas are those of the ByteIR document.  Implementations compute them in f32, whatever the
 * data are, or in f64, and may round what f64 gives to f32 at the end; in one of these ways, with x
 * the position, or the position + 0.5, n the length and m the resized length:
 *
 *   x / (m / n)        the text; ONNX Runtime
 *   x * (n / m)        PyTorch, TensorFlow
 *   x * n / m          oneDNN; of align_corners the text, ONNX Runtime
 *   x * (1 / (m / n))  JAX
 *
 * With a scale s that is given, s stands for m / n, which leaves the first and the last; with
 * align_corners n - 1 and m - 1 stand for n and m, and PyTorch and TensorFlow go the second way.
 * What they compute is a set of few numbers, of which the ends are told here; whoever computes in
 * whole numbers finds the floor of the exact coordinate. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RESIZE_COORDINATE_H
#define ASSAY_ORACLES_OPS_BYTEIR_RESIZE_COORDINATE_H

#include "oracles/ops/byteir_resize/byteir_resize.h"

/* One dimension. */
typedef struct resize_axis {
  resize_transformation_t transformation;
  int64_t length;  /* n */
  int64_t resized; /* m */
  double scale;    /* As it is given, or NaN: the ratio m / n. */
} resize_axis_t;

/* A dimension of a valid program; `takes_given`: with the target's scale, if it has one. */
resize_axis_t resize_axis_make(const case_t *instance, uint32_t dim, bool takes_given);

/* Whether all coordinates are the positions themselves, and nobody computes anything. */
bool resize_axis_is_copied(const resize_axis_t *axis);

/* The coordinate of a position, not yet clamped. */
typedef struct resize_coordinate {
  double low; /* The least and the largest that an implementation may compute; both are attained. */
  double high;
  double exact; /* The exact one is exact + tail, but for a rounding of the tail. */
  double tail;
} resize_coordinate_t;

resize_coordinate_t resize_coordinate_make(const resize_axis_t *axis, int64_t position);

/* Indices that nearest may take, from first to last, within the length. */
typedef struct resize_indices {
  int64_t first;
  int64_t last;
  int64_t exact;
} resize_indices_t;

resize_indices_t resize_indices_make(const resize_axis_t *axis, int64_t position);

/* One way to compute a coordinate. */
typedef enum resize_factor {
  RESIZE_DIVIDE,           /* x / (m / n) */
  RESIZE_MULTIPLY,         /* x * (n / m) */
  RESIZE_MULTIPLY_DIVIDE,  /* x * n / m */
  RESIZE_MULTIPLY_INVERSE, /* x * (1 / (m / n)) */
  RESIZE_FACTOR_COUNT,
} resize_factor_t;

typedef enum resize_precision {
  RESIZE_F32,
  RESIZE_F64,
  RESIZE_F64_TO_F32, /* In f64, and rounded to f32 at the end. */
  RESIZE_PRECISION_COUNT,
} resize_precision_t;

typedef struct resize_way {
  resize_factor_t factor;
  resize_precision_t precision;
  bool is_fused; /* A product less 0.5 is rounded once. */
} resize_way_t;

/* Whether coordinates of that dimension are computed with that factor. */
bool resize_axis_has_factor(const resize_axis_t *axis, resize_factor_t factor);

double resize_coordinate_by(const resize_axis_t *axis, int64_t position, const resize_way_t *way);

#endif
