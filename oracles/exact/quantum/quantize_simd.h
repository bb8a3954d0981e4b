/* SPDX-License-Identifier: Apache-2.0 */
/* Quantizing and dequantizing many elements at once, by the formulas of quantum.h in the first
 * arithmetic that the contract permits: for fast sides.  That is mostly f32, whose arithmetic is
 * the host's: those functions are loops without branches, which compilers make vector code of. */
#ifndef ASSAY_ORACLES_EXACT_QUANTUM_QUANTIZE_SIMD_H
#define ASSAY_ORACLES_EXACT_QUANTUM_QUANTIZE_SIMD_H

#include "harness/num/binary64.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/quantum/quantum.h"

enum { QUANTIZE_SIMD_BLOCK = 256 }; /* Elements that are looked at together. */

/* Calls `run` with all elements of the result, in blocks of which each has one quantization in
 * `type_count` types of one shape, quantized or not. */
typedef void quantize_simd_run_t(void *context, size_t begin, size_t count);
void quantize_simd_runs(const type_t *const types[], size_t type_count, quantize_simd_run_t *run,
                        void *context);

/* Dequantizes a block that begins at element `begin`. */
void fast_dequantize_floats(const tensor_t *tensor, size_t begin, size_t count,
                            float out_values[QUANTIZE_SIMD_BLOCK]);
void fast_dequantize(const tensor_t *tensor, const arithmetic_t *steps, size_t begin, size_t count,
                     double out_values[QUANTIZE_SIMD_BLOCK]);

/* One quantization with all that does not change from element to element. */
typedef struct fast_quantizer {
  arithmetic_t steps;
  double scale, zero_point; /* Rounded to the arithmetic. */
  double low, high;         /* What storage values are clamped to: integers. */
  bool has_ends;            /* False if an end of the range is NaN in the arithmetic. */
  uint64_t mask;
} fast_quantizer_t;

/* That of element `element` of a quantized type, in that arithmetic. */
fast_quantizer_t fast_quantizer_make(const type_t *type, const format_t *arithmetic,
                                     size_t element);

/* Storage patterns of a block of values, and nonzero in out_decide where none is certain. */
void fast_quantize_floats(const fast_quantizer_t *quantizer, const float values[], size_t count,
                          uint64_t out_bits[], uint8_t out_decide[]);
void fast_quantize(const fast_quantizer_t *quantizer, const double values[], size_t count,
                   uint64_t out_bits[], uint8_t out_decide[]);

#endif
