/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.convert, stablehlo.uniform_quantize and stablehlo.uniform_dequantize: one result
 * element for each operand element, of another element type.
 *
 * The specification says of convert what becomes of a value that the result's type has, and that
 * fractions are cut off where floats become integers.  All else it leaves open (#180); the
 * permissions convert_* name what implementations do, and what a user may hold them to. */
#ifndef ASSAY_ORACLES_OPS_ELEMENT_CONVERSION_ELEMENT_CONVERSION_H
#define ASSAY_ORACLES_OPS_ELEMENT_CONVERSION_ELEMENT_CONVERSION_H

#include "harness/model/op.h"

/* The values of the permissions in element_conversion/permissions.def. */
enum convert_rounding { CONVERT_ROUNDING_RN, CONVERT_ROUNDING_FAITHFUL, CONVERT_ROUNDING_ANY };
enum convert_overflow { CONVERT_OVERFLOW_FORMAT, CONVERT_OVERFLOW_SATURATE, CONVERT_OVERFLOW_ANY };
enum convert_infinity { CONVERT_INFINITY_KEEP, CONVERT_INFINITY_SATURATE };
enum convert_narrowing { CONVERT_NARROWING_WRAP, CONVERT_NARROWING_ANY };
enum convert_truncation { CONVERT_TRUNCATION_SATURATE, CONVERT_TRUNCATION_ANY };
enum requantize {
  REQUANTIZE_TWO_STEPS,
  REQUANTIZE_MERGED,
  REQUANTIZE_FIXED,
  REQUANTIZE_FIXED_8,
  REQUANTIZE_COUNT
};

/* The three ops; their drawing is in op/draw.c. */
typedef enum conversion {
  CONVERSION_CONVERT,
  CONVERSION_QUANTIZE,
  CONVERSION_DEQUANTIZE
} conversion_t;

void element_conversion_draw(rng_t *rng, conversion_t conversion, const draw_limits_t *limits,
                             arena_t *arena, program_t *inout_program);
void element_conversion_draw_convert_edges(rng_t *rng, case_t *inout_case);
void element_conversion_draw_quantize_edges(rng_t *rng, case_t *inout_case);

#endif
