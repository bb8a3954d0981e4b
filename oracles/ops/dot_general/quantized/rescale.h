/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized dot_general in integer arithmetic: the exact sum of (q_l - z_l) (q_r - z_r), rescaled
 * by s_l s_r / s_res, plus z_res, rounded to nearest, ties to even, and clamped.  Exact rationals
 * (GMP) throughout. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_QUANTIZED_RESCALE_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_QUANTIZED_RESCALE_H

#include "oracles/ops/dot_general/quantized/dequantized.h"

#include "generated/exact_permissions.h"
#include "oracles/exact/quantum/fixed_point.h"

/* Products have at most 66 bits and there are at most 2^24 of them. */
typedef wide_integer_t dot_integer_t;

/* The integer sum of one component. */
typedef struct dot_accumulator {
  dot_integer_t positive; /* Sum of the positive terms, */
  dot_integer_t negative; /* and of the negative ones. */
  double lhs_scale;       /* Those of all terms; 1 if there is none. */
  double rhs_scale;
} dot_accumulator_t;

dot_accumulator_t dot_accumulate(const case_t *instance, const dot_general_layout_t *layout,
                                 dot_general_place_t place);

/* The spellings of PERMITTED(contract, rescale). */
enum { DOT_RESCALE_EXACT, DOT_RESCALE_FLOAT, DOT_RESCALE_FIXED, DOT_RESCALE_EITHER };

/* Storage values low..high; none if low > high. */
typedef struct storage_range {
  int64_t low;
  int64_t high;
} storage_range_t;

/* How sums of one component are rescaled. */
typedef struct dot_rescale {
  double lhs_scale;
  double rhs_scale;
  quantum_t result;
  const format_t *arithmetic; /* NULL: each quotient is rounded once, with its zero point ... */
  bool zero_point_last;       /* ... or before that is added, too (theory.md, T294). */
  const format_t
      *fixed; /* NULL; or also in fixed point, by multipliers of scales of this format. */
} dot_rescale_t;

dot_rescale_t dot_rescale_make(const case_t *instance, size_t component,
                               const dot_accumulator_t *accumulator, const contract_t *contract);

/* What a sum may become.  With dot_rescale_t.arithmetic up to six roundings are permitted, each
 * only where its exact result is no number of that format: two of the multiplier (the product of
 * two scales and the quotient, in either order), one of the sum, one of their product, and, if the
 * zero point is added before the result is rounded, one of it and one of that addition.  The zero
 * point may as well be added to the rounded integer.  Ends of the storage range may be rounded too.
 * In fixed point the multiplier is rounded to 31 bits and the zero point added last: T180. */
storage_range_t dot_rescale(const dot_rescale_t *rescale, dot_integer_t sum);

/* What all sums from `least` to `most` may become: from the lowest to the highest. */
storage_range_t dot_rescale_all(const dot_rescale_t *rescale, dot_integer_t least,
                                dot_integer_t most);

/* The sum rescaled exactly. */
int64_t dot_rescale_exactly(const dot_rescale_t *rescale, dot_integer_t sum);

/* What an accumulator of 32 bits makes of the sum: wrapped; and the smallest and largest that
 * saturating schedules may give (integer_problem.c has the proof), false if none saturates. */
dot_integer_t dot_accumulator_wrapped(const dot_accumulator_t *accumulator);
bool dot_accumulator_saturated(const dot_accumulator_t *accumulator, dot_integer_t *out_low,
                               dot_integer_t *out_high);

#endif
