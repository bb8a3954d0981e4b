/* SPDX-License-Identifier: Apache-2.0 */
/* Constants that export folds: quantized data, plain integers, and data moved about. */
#ifndef ASSAY_QUANT_LOWER_CONSTANT_H
#define ASSAY_QUANT_LOWER_CONSTANT_H

#include "harness/model/case.h"

/* The index of the scale of an element, by its row-major index; `axis` may be -1. */
size_t quant_channel(const type_t *type, int32_t axis, size_t element);

/* The storage value of a number by the StableHLO specification, "Quantization computations":
 * rne(clamp(rn(min), rn(rn(value / scale) + rn(zero point)), rn(max))), each step rounded to the
 * expressed type; an end of the range where a rounded end lies beyond it; the zero point for NaN.
 * The quotient and the sum are computed in binary64 and rounded again, which is what one rounding
 * gives, as 53 >= 2 p + 2 for all formats up to f32 (Figueroa 1995); f64 is binary64 itself. */
int64_t quant_store(const quantization_t *quantization, size_t channel, double value);

/* Data of a float type as a quantized type over the same shape, in the arena. */
const tensor_t *quant_tensor_quantize(const tensor_t *data, const type_t *quantized,
                                      arena_t *arena);

/* Data of a float type rounded to nearest even in another; the data itself where that is its own.
 */
const tensor_t *quant_tensor_round(const tensor_t *data, const element_t *element, arena_t *arena);

/* The other way: rn(rn(stored - zero point) * scale). */
const tensor_t *quant_tensor_dequantize(const tensor_t *data, arena_t *arena);

/* The number of a float tensor's element. */
double quant_float_at(const tensor_t *data, size_t element);

/* The storage value of an element of an integer or quantized tensor. */
int64_t quant_integer_at(const tensor_t *data, size_t element);

/* A tensor of an integer element whose element e is values[channel of e along `axis`]; with axis -1
 * all are values[0]. */
const tensor_t *quant_tensor_of_channels(const element_t *element, const type_t *shape,
                                         int32_t axis, const int64_t *values, arena_t *arena);

/* The result of a valid reshape, transpose or broadcast_in_dim of constant data, whose elements are
 * of type `result`, over the program's result shape; NULL for any other op. */
const tensor_t *quant_fold_movement(const program_t *program, const tensor_t *data,
                                    const type_t *result, arena_t *arena);

#endif
