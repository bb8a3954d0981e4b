/* SPDX-License-Identifier: Apache-2.0 */
/* What an adder of several inputs returns: the exact sum of its addends, rounded once. */
#ifndef ASSAY_ORACLES_EXACT_SUM_ROUNDED_H
#define ASSAY_ORACLES_EXACT_SUM_ROUNDED_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/num/format.h"

typedef struct rounded_sum {
  size_t count;
  const double *left;      /* Addend i is left[i] * right[i], exactly; */
  const double *right;     /* right[i] is 1 where the addend is a plain number. */
  int aligned_bits;        /* 0; or each addend is first cut toward zero to a multiple of
                            * 2^(e - aligned_bits + 1), where e is the largest sum of the
                            * exponents of the two factors among the addends that are not zero. */
  const double *exponents; /* NULL; or, by addend, what stands for that sum of exponents. */
  bool cuts_sum;           /* The sum, too, is first cut to aligned_bits bits of its own. */
  const format_t *format;
  rounding_t rounding;
  bool
      overflows; /* Toward zero, a sum of 2^(exponent_max + 1) and more is infinite all the same. */
} rounded_sum_t;

/* The binary64 carrier of the rounded sum.  NaN and infinities carry on, infinities of both signs
 * give NaN; an exact zero is +0 unless every addend is -0. */
double rounded_sum(const rounded_sum_t *sum);

#endif
