/* SPDX-License-Identifier: Apache-2.0 */
/* The fast accept sets of many float sums at once, from their exact values. */
#ifndef ASSAY_ORACLES_EXACT_SUM_SIMD_H
#define ASSAY_ORACLES_EXACT_SUM_SIMD_H

#include <math.h>

#include "harness/base/arena.h"
#include "harness/model/accept.h"
#include "harness/num/binary64.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/sum/likely.h"

/* What a sum may be instead of finite, gathered term by term in IEEE binary64. */
typedef struct special_sum {
  bool has_special; /* Some factor is not finite; then ... */
  double special;   /* ... the sum of those terms is NaN or the infinity that the whole must be. */
  double positive;  /* Sum of the positive finite terms, rounded; of the negative ones. */
  double negative;
} special_sum_t;

static inline void special_sum_take(special_sum_t *sum, double left, double right) {
  double term = left * right;
  if (isfinite(left) && isfinite(right)) {
    *(term > 0 ? &sum->positive : &sum->negative) += term;
  } else {
    sum->has_special = true;
    sum->special += term;
  }
}

enum { ACCEPT_ANY_SPECIAL = ACCEPT_NAN | ACCEPT_POSITIVE_INFINITY | ACCEPT_NEGATIVE_INFINITY };

/* What sums of finite terms may overflow to (accept_special_t): of which the positive ones reach
 * the threshold, or the negative ones minus it, or both do.  Parts of sums of complex products with
 * a term that is not finite may be anything that is not finite.  Finite terms may overflow if, in
 * some order that the contract permits, a partial sum does. */
typedef struct special_limits {
  double threshold;
  unsigned above, below, both;
  bool is_complex_product;
} special_limits_t;

special_limits_t special_limits_make(const format_t *format, const contract_t *contract,
                                     bool is_complex_product);

/* What such a sum may surely be. */
static inline uint8_t special_sum_flags(const special_limits_t *limits, const special_sum_t *sum) {
  if (sum->has_special) {
    if (limits->is_complex_product) return ACCEPT_ANY_SPECIAL;
    if (isnan(sum->special)) return ACCEPT_NAN;
    return sum->special > 0 ? ACCEPT_POSITIVE_INFINITY : ACCEPT_NEGATIVE_INFINITY;
  }
  bool up = sum->positive >= limits->threshold, down = sum->negative <= -limits->threshold;
  return (uint8_t)((up ? limits->above : 0) | (down ? limits->below : 0) |
                   ((up && down) ? limits->both : 0));
}

/* The same where trees decide, of so many finite terms: what surely some plain tree gives. */
uint8_t special_few_flags(const special_sum_t *sum, size_t terms, const format_t *format,
                          const contract_t *contract);

/* From this magnitude on, 2^(emax - 1), a component needs a special_sum_t, since it may overflow.
 */
static inline double special_sum_least(const format_t *format) {
  return binary64_value((uint64_t)(format->exponent_max - 1 + BINARY64_BIAS)
                        << BINARY64_FRACTION_BITS);
}

/* Whether it needs one: for that, or since the kernel does not know it. */
static inline bool special_sum_is_needed(const format_t *format, uint8_t uncertified,
                                         double magnitude) {
  return uncertified != 0 || magnitude >= special_sum_least(format);
}

/* Whether a sum of this magnitude can be exact when some term is no multiple of more than
 * 2^lowest_bit: a cheap first test, with the lowest bits of any one term.  Terms that are all 0 are
 * multiples of anything, whatever their factors are. */
static inline bool fast_sums_may_be_exact(const format_t *format, double magnitude,
                                          int lowest_bit) {
  if (magnitude == 0) return true;
  int binade = (int)(binary64_bits(magnitude) >> BINARY64_FRACTION_BITS) - BINARY64_BIAS;
  return binade <= lowest_bit + format->precision + 1; /* As T300 has it, of twice of that. */
}

/* What is known of float sums before their permitted errors. */
typedef struct fast_sums {
  accept_t accept;  /* count, reference, reference_tail (or NULL) and magnitude are set. */
  uint8_t *decide;  /* Per component: nonzero where the reference is not known. */
  uint8_t *special; /* Per component: special_sum_flags(), 0 where no special_sum_t is needed; NULL
                     * if that is so everywhere. */
  /* Per component: every term is a multiple of 2^lowest_bit, which is the sum of the least
   * exponents of lowest set bits of its left and of its right factors; or NULL if
   * fast_sums_may_be_exact() was false for all.  Where no schedule rounds, x* alone conforms. */
  const int *lowest_bit;
  /* Per component: nonzero where at most two terms are not 0 and so few of them are products that
   * round that the exact side may know of one rounding only (sum_bounds.c); or NULL if there are
   * no such components, or all are by the shape. */
  const uint8_t *few_terms;
  /* Per component: results that few terms surely have; NULL where there are more terms, or the
   * exact set of all trees does not decide (sum_has_few_terms()). */
  const likely_sums_t *likely;
  bound_shape_t shape;
  bool has_schedules; /* Schedules decide under an in-order contract: see sum_problem.h. */
  double rough_error; /* References err by at most half of it times the magnitude; 0: rounded. */
} fast_sums_t;

/* The finished fast accept set, built on the arrays of `sums`, which it changes. */
accept_t fast_sums_finish(fast_sums_t *sums, const format_t *format, const contract_t *contract,
                          arena_t *arena);

/* An accept set that knows nothing: every component must be asked about. */
accept_t accept_decide_all(size_t count, arena_t *arena);

#endif
