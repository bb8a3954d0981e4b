/* SPDX-License-Identifier: Apache-2.0 */
/* Whether numbers can be n independent uniform ones: what is checked of generators that nobody
 * knows.
 *
 * What is assumed of a conforming one (theory.md, A8 and D20): there are independent V_i, uniform
 * in [0, 1), such that u_i lies within 2^-r of V_i, with r = min(p - 1, 32) bits, of which no known
 * generator has fewer (the fraction of a number in [1, 2), or one 32-bit word); and y_i is low +
 * u_i * (high - low) but for rounding.  Then the place of y_i, (y_i - low) / (high - low), lies
 * within a `radius` of V_i that is known; and where y_i = low, perhaps V_i is near 1: some
 * generators return low where high is not to be returned.
 *
 * So each V_i lies in a known interval, or in two.  A check refutes the numbers only if all V in
 * these intervals look too improbable, by a theorem on independent uniform numbers, whatever the
 * type, the generator and the formula have rounded.  All checks together refute numbers of a
 * conforming generator with probability below 2^-60 a result, which is 1e-9 in 2^30 results.
 *
 *   distribution  the empirical distribution function is too far from that of uniform numbers
 *   repeats       too many numbers equal earlier ones
 *   bits          one of the leading bits of u is set too often, or too seldom
 *   pairs         of (u_0, u_1), (u_2, u_3), ... too many or too few are in one of 4 x 4 squares
 *   runs          too many numbers in turn ascend, or descend
 *
 * Fewest numbers by which a check can refute anything, where the radius is small: 23, 4 (f64; 5 of
 * f32), 69, 34 and 21.  A distribution that is off by d shows in about 22 / d^2 numbers. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RNG_UNIFORMITY_H
#define ASSAY_ORACLES_OPS_BYTEIR_RNG_UNIFORMITY_H

#include <stdbool.h>

#include "harness/model/case.h"
#include "harness/model/contract.h"

enum { BYTEIR_RNG_WORDS_MAX = 104 };

typedef enum byteir_rng_check {
  BYTEIR_RNG_DISTRIBUTION,
  BYTEIR_RNG_REPEATS,
  BYTEIR_RNG_BITS,
  BYTEIR_RNG_PAIRS,
  BYTEIR_RNG_RUNS,
  BYTEIR_RNG_CHECK_COUNT
} byteir_rng_check_t;

typedef struct byteir_rng_sample {
  size_t count;
  const double *places; /* Of numbers, in their order. */
  const double *sorted; /* The same, ascending. */
  double radius;
} byteir_rng_sample_t;

typedef struct byteir_rng_finding {
  bool is_refuted;
  byteir_rng_check_t check;
  /* With probability at most 2^-bits does the check find what is as improbable as this, or more so,
   * in numbers of a conforming generator; 0 says nothing. */
  double bits;
  /* If refuted: "60 of 64 repeat others, probability below 2^-71". */
  char words[BYTEIR_RNG_WORDS_MAX];
} byteir_rng_finding_t;

/* The places of a result's numbers, all of which are finite, between two finite bounds, the lower
 * one first and they differ. */
byteir_rng_sample_t byteir_rng_sample_make(const tensor_t *result, double low, double high,
                                           const contract_t *contract, arena_t *arena);

/* Given places, which are borrowed. */
byteir_rng_sample_t byteir_rng_sample_of(const double *places, size_t count, double radius,
                                         arena_t *arena);

/* One check, and all of them up to the first that refutes the numbers. */
byteir_rng_finding_t byteir_rng_check_one(const byteir_rng_sample_t *sample,
                                          byteir_rng_check_t check);
byteir_rng_finding_t byteir_rng_check_all(const byteir_rng_sample_t *sample);

#endif
