/* SPDX-License-Identifier: Apache-2.0 */
/* Enclosures [x* - E, x* + E] of many exact values x* at once, with their ends rounded to a format.
 * Rounding is monotone, so the rounded ends hold the rounded values of all between them. */
#ifndef ASSAY_ORACLES_EXACT_MATMUL_ENCLOSURE_ROUND_H
#define ASSAY_ORACLES_EXACT_MATMUL_ENCLOSURE_ROUND_H

#include <stddef.h>

#include "harness/num/format.h"

/* How each end becomes a number of the format. */
typedef enum enclosure_ends {
  ENCLOSURE_NEAREST, /* rn(x* - E), rn(x* + E): E is an error before the last rounding. */
  ENCLOSURE_OUTWARD, /* The next number below, the next number above: a last rounding either way. */
  ENCLOSURE_INWARD,  /* The numbers within E of x*: E is the error of the rounded result.  An
                      * enclosure that holds no number has low > high. */
} enclosure_ends_t;

/* Which side of the exact ends a computed end may fall, by less than 2^-49 (E + |tail|). */
typedef enum enclosure_side {
  ENCLOSURE_OUTSIDE, /* Never smaller than the exact enclosure: no false alarm. */
  ENCLOSURE_INSIDE,  /* Never larger, the slack 2^-10 of the magnitudes included. */
} enclosure_side_t;

typedef struct enclosure {
  size_t count;
  const double *reference;      /* As exact_matmul_t has them; entries that are not finite give */
  const double *reference_tail; /* ends that mean nothing.  NULL: anything up to half an ulp, */
  const double *magnitude;      /* which moves each end by up to 2^-52 |reference| more. */
  double factor, offset;  /* E = factor * magnitude + offset; |factor| is 0 or at least 2^-100. */
  const format_t *format; /* Any but f8E8M0FNU. */
  enclosure_ends_t ends;
  enclosure_side_t side;
} enclosure_t;

/* Writes the ends, clamped to the largest finite numbers: who can reach overflow is for the caller
 * to mark. */
void enclosure_round_ends(const enclosure_t *enclosure, double *low, double *high);

#endif
