/* SPDX-License-Identifier: Apache-2.0 */
/* All schedules of one sum or product: the full binary trees whose leaves are the terms in their
 * order, interspersed with initial values (the meaning of stablehlo.reduce; theory.md, D4).  Each
 * node is one correctly rounded operation of the accumulation format.  What they can give:
 * in_order/set.h has every value, in_order/hull.h the smallest and the largest. */
#ifndef ASSAY_ORACLES_EXACT_IN_ORDER_TREES_H
#define ASSAY_ORACLES_EXACT_IN_ORDER_TREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/num/format.h"

typedef struct schedules {
  const format_t *format; /* Of the accumulation. */
  const format_t *result; /* What a sum is converted to at last, which has NaN; NULL: it stays. */
  bool multiplies;        /* The body is multiply, not add. */
  size_t count;
  const double *left;  /* Binary64 carriers of the terms, or of their left factors ... */
  const double *right; /* ... and right factors, each in the format; NULL for plain terms. */
  bool may_fuse;       /* A node may take a single product unrounded. */
  double init;         /* The initial value ... */
  uint32_t init_min;   /* ... and how often it enters, at the least and at the most, wherever the */
  uint32_t init_max;   /* schedule likes; with both 0 there must be a term. */
} schedules_t;

#endif
