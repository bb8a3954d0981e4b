/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled once for each instruction set (vector_kernels.cmake): matmul/matmul.h and
 * enclosure_round.h in vectors.  Nothing but the table at the end is visible outside. */
#include "oracles/exact/matmul/kernels.h"

#include <float.h>
#include <stdbool.h>

#include "oracles/exact/matmul/accumulator.h"
#include "oracles/exact/matmul/lanes.h"
#include "oracles/exact/vector_kernels.h"
// clang-format off: each part needs those before it.
#include "oracles/exact/matmul/pack.inc"
#include "oracles/exact/matmul/accumulate.inc"
#include "oracles/exact/matmul/magnitude.inc"
#include "oracles/exact/matmul/finish.inc"
#include "oracles/exact/matmul/plan.inc"
#include "oracles/exact/matmul/alike.inc"
#include "oracles/exact/matmul/tile.inc"
#include "oracles/exact/matmul/enclosure_lanes.inc"
// clang-format on

#include "oracles/exact/matmul/multiply.inc"

enum { ASKED_TERMS = 4 }; /* After so many signed sums are asked whether all are NaN by now. */

/* signed_sums.h in lanes. */
typedef struct signed_lanes {
  lanes_t positive[TILE_VECTORS], negative[TILE_VECTORS], special[TILE_VECTORS];
  lane_bits_t has_special[TILE_VECTORS];
} signed_lanes_t;

LANES_INLINE lanes_t load_widened_f64(const double *from) { return lanes_load(from); }
LANES_INLINE lanes_t load_widened_f32(const float *from) { return lanes_load_floats(from); }

/* Binary64 first: few outputs of binary32 are summed as binary64 terms. */
#define TYPE double
#define TYPE_INTEGER int64_t
#define TYPE_INTEGER_MAX INT64_MAX
#define TYPE_FRACTION_BITS FRACTION_BITS
#define TYPE_BIAS 1023
#define TYPE_BITS lane_bits_t
#define TYPE_PARTS 2 /* Binary64 numbers that hold a product of two. */
#define NAME(name) name##_f64
// clang-format off
#include "oracles/exact/matmul/pack_type.inc"
#include "oracles/exact/matmul/sums_type.inc"
#include "oracles/exact/matmul/matmul_type.inc"
#include "oracles/exact/matmul/signed_sums_type.inc"
// clang-format on
#undef TYPE
#undef TYPE_INTEGER
#undef TYPE_INTEGER_MAX
#undef TYPE_FRACTION_BITS
#undef TYPE_BIAS
#undef TYPE_BITS
#undef TYPE_PARTS
#undef NAME

#define TYPE float
#define TYPE_INTEGER int32_t
#define TYPE_INTEGER_MAX INT32_MAX
#define TYPE_FRACTION_BITS 23
#define TYPE_BIAS 127
#define TYPE_BITS float_lane_bits_t
#define TYPE_PARTS 1
#define NAME(name) name##_f32
// clang-format off
#include "oracles/exact/matmul/pack_type.inc"
#include "oracles/exact/matmul/sums_type.inc"
#include "oracles/exact/matmul/matmul_type.inc"
#include "oracles/exact/matmul/signed_sums_type.inc"
// clang-format on

extern const exact_kernels_t KERNEL_TABLE(exact_kernels_);
const exact_kernels_t KERNEL_TABLE(exact_kernels_) = {
    .name = KERNEL_NAME,
    .matmul_f32 = matmul_f32,
    .matmul_f64 = matmul_f64,
    .sums_f32 = sums_f32,
    .sums_f64 = sums_f64,
    .round_ends = round_ends,
    .signed_sums_f32 = sum_signed_f32,
    .signed_sums_f64 = sum_signed_f64,
};
