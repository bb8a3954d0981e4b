/* SPDX-License-Identifier: Apache-2.0 */
/* Families of small programs, as compilers meet them.  Each draws a module into a sketch and says
 * which values are returned. */
#ifndef ASSAY_ORACLES_OPS_MODULE_OP_PATTERNS_H
#define ASSAY_ORACLES_OPS_MODULE_OP_PATTERNS_H

#include "oracles/ops/module/op/op.h"
#include "oracles/ops/module/op/sketch.h"

/* What is returned: `values`, of which there are `count`. */
typedef struct pattern_returns {
  uint32_t count;
  sketch_value_t values[CASE_RESULTS_MAX];
} pattern_returns_t;
typedef pattern_returns_t pattern_t(sketch_t *sketch);

static inline pattern_returns_t pattern_return(sketch_value_t value) {
  return (pattern_returns_t){.count = 1, .values = {value}};
}
static inline pattern_returns_t pattern_return_both(sketch_value_t first, sketch_value_t second) {
  return (pattern_returns_t){.count = 2, .values = {first, second}};
}

/* Chains of elementwise ops with numbers, vectors, other tensors and themselves, and conversions
 * between. */
pattern_t pattern_elementwise;

/* Reductions of what is computed, and what is computed with them: two of one operand, deviations
 * from a sum or a maximum, sums of bf16 in f32. */
pattern_t pattern_reductions;

/* Products of matrices with bias, maximum and residual, of transposed, joined and converted
 * operands, one after the other, and reduced. */
pattern_t pattern_products;

/* Convolutions along one dimension with bias and maximum, windows over what is computed. */
pattern_t pattern_windows;

/* softmax, gelu and norms, of scaled values, of products and of sums of two. */
pattern_t pattern_norms;

/* Transposes, reshapes, broadcasts and concatenations, with maxima, negations and conversions that
 * are exact. */
pattern_t pattern_movement;

/* Many rows of few numbers: multiplied by a small matrix or a vector, combined, moved. */
pattern_t pattern_slender;

/* Exponentials, logarithms, tanh, logistic, roots and quotients with what compilers fuse into them;
 * choices between two values; slices, pads and reversals of what is computed. */
pattern_t pattern_functions;

/* Quotients of quotients, by roots, exponentials and numbers, and products of exponentials. */
pattern_t pattern_quotients;

/* What compilers leave out: sums with 0, products by 1, and then a value less itself, or by 0. */
pattern_t pattern_simplifiable;

/* Floats that are quantized and dequantized before or behind an op. */
pattern_t pattern_quantized;

/* Quantized regions, as kernels fuse them: a product with bias, maximum and requantization, in
 * floats or on quantized types; an addition of two; a softmax between dequantize and quantize. */
void module_draw_region(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                        program_t *out_program);

/* ---- Parts ----------------------------------------------------------------------------------- */

/* One or two elementwise steps on a value, with a broadcast perhaps: a maximum with zero, a clamp,
 * a product or sum with a number, a vector, another tensor or the value itself, a negation. */
sketch_value_t pattern_touch(sketch_t *sketch, sketch_value_t value);

/* A constant of that element, spread over the shape. */
sketch_value_t pattern_spread_number(sketch_t *sketch, const type_t *shape, double number);

/* The value quantized and dequantized, if it is one of f32; else the value. */
sketch_value_t pattern_through_quantized(sketch_t *sketch, sketch_value_t value);

/* A vector along a dimension, as a weight, spread over the shape of the value and added. */
sketch_value_t pattern_add_bias(sketch_t *sketch, sketch_value_t value, uint32_t dim);

/* The maximum with zero. */
sketch_value_t pattern_relu(sketch_t *sketch, sketch_value_t value);

/* The value in a wider or narrower format of floats, now and then. */
sketch_value_t pattern_maybe_convert(sketch_t *sketch, sketch_value_t value);

#endif
