/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized types, storage values and their range: what draw() functions and generators share. */
#ifndef ASSAY_DRAW_DRAW_QUANTIZATION_H
#define ASSAY_DRAW_DRAW_QUANTIZATION_H

#include "harness/base/rng.h"
#include "harness/model/case.h"

/* An integer that may store quantized values: i8 and ui8 often, the others of up to 32 bits. */
const element_t *draw_storage_element(rng_t *rng);

/* A float that quantized values may express: f32 often, then f16, bf16 and f64, and seldom an 8-bit
 * one that has infinities. */
const element_t *draw_expressed_element(rng_t *rng);

/* A positive finite number of the format: a power of two, an ordinary scale, a tiny or a huge one.
 */
double draw_scale(rng_t *rng, const format_t *format);

/* Makes *inout_type, whose element is a storage type, quantized: scales as above, zero points
 * (0, middle, at the ends), full and narrow ranges; axis -1 for per tensor, else a dimension that
 * type_takes_axis() takes.  Where all zero points are to be 0, the range holds 0. */
void draw_quantization(rng_t *rng, arena_t *arena, const element_t *expressed, int32_t axis,
                       bool zero_points_are_zero, type_t *inout_type);

/* Fills a quantized tensor with storage values of its range: its ends, the zero point and what is
 * next to it, all values alike, or any. */
void draw_stored(rng_t *rng, tensor_t *inout_tensor);

/* The pattern of the storage value of the range that is nearest to that of `bits`; `bits` itself
 * where the type is not quantized. */
uint64_t stored_clamped(const type_t *type, uint64_t bits);

/* stored_clamped() of all elements. */
void clamp_stored(tensor_t *inout_tensor);

#endif
