/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplication of integers by a real number in fixed point, as libraries without floats rescale
 * sums: gemmlowp's scheme, which TensorFlow Lite, its kernels by ruy, and QNNPACK have.  The
 * multiplier is rounded to 31 bits, and an integer times it to an integer, in one of the ways
 * below. theory.md, T180. */
#ifndef ASSAY_ORACLES_EXACT_QUANTUM_FIXED_POINT_H
#define ASSAY_ORACLES_EXACT_QUANTUM_FIXED_POINT_H

#include <stdint.h>

#include "harness/num/format.h"

typedef __int128 wide_integer_t;

/* significand * 2^(exponent - 31) with 2^30 <= significand < 2^31; 0 below 2^-32. */
typedef struct fixed_multiplier {
  int64_t significand;
  int exponent;
} fixed_multiplier_t;

/* The nearest one to a positive number (infinity: a large one), halves up. */
fixed_multiplier_t fixed_multiplier_of(double multiplier);

/* How value * significand * 2^(exponent - 31) becomes an integer: rounded once, halves up; or first
 * without the shift to the right, halves up, and after that shift once more, with halves away from
 * zero (gemmlowp's and TensorFlow Lite's) or up (ruy's on x86). */
typedef enum fixed_way { FIXED_ONCE, FIXED_TWICE_AWAY, FIXED_TWICE_UP, FIXED_WAYS } fixed_way_t;

/* Not decreasing in `value`.  Beyond 2^70, and of values beyond 2^64, no more than that is kept. */
wide_integer_t fixed_multiply(wide_integer_t value, fixed_multiplier_t multiplier, fixed_way_t way);

/* What libraries take for lhs * rhs / result: in binary64; with the product rounded to the scales'
 * format first; with both rounded to it. */
enum { FIXED_MULTIPLIERS = 3 };
void fixed_multipliers_of(double lhs_scale, double rhs_scale, double result_scale,
                          const format_t *format,
                          fixed_multiplier_t out_multipliers[FIXED_MULTIPLIERS]);

#endif
