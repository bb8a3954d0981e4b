/* SPDX-License-Identifier: Apache-2.0 */
/* Terms that tell summations apart: many ways to round, cancel, overflow and underflow. */
#ifndef ASSAY_IDENTIFY_PROBE_RANDOM_TERMS_H
#define ASSAY_IDENTIFY_PROBE_RANDOM_TERMS_H

#include "harness/base/rng.h"
#include "harness/num/format.h"

typedef enum terms_regime {
  TERMS_UNIFORM,  /* In [-1, 1), all bits random. */
  TERMS_SPREAD,   /* Exponents spread over about the precision. */
  TERMS_WIDE,     /* Exponents over the whole normal range, products included. */
  TERMS_CANCEL,   /* Most values come back with the other sign, a little changed. */
  TERMS_TIES,     /* Powers of two and odd multiples of their last place. */
  TERMS_INTEGERS, /* Small ones, zeros of both signs. */
  TERMS_TINY,     /* Around the smallest normal number. */
  TERMS_SPECIALS, /* Large numbers, and here and there an infinity. */
  TERMS_REGIMES,
} terms_regime_t;

/* Fills `out` with binary64 carriers of numbers of the format.  `is_factor` leaves room for the
 * product of two. */
void random_terms(rng_t *rng, terms_regime_t regime, const format_t *format, bool is_factor,
                  double *out, size_t count);

#endif
