/* SPDX-License-Identifier: Apache-2.0 */
/* A sum or dot product of few terms, and what may be done to add them. */
#ifndef ASSAY_ORACLES_EXACT_ANY_ORDER_TERMS_H
#define ASSAY_ORACLES_EXACT_ANY_ORDER_TERMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/num/format.h"

/* So many terms are few, beside initial values.  Zeros count: both sides of an oracle must see at
 * once whether the sets decide, since the fast side's may never be larger. */
enum { FEW_TERMS_MAX = 8 };

typedef struct few_terms {
  const format_t *format; /* Of the accumulation. */
  const format_t *result; /* What the sum is converted to at last; NULL: it stays as it is. */
  size_t count;
  const double *left;  /* Binary64 carriers of the terms, or of their left factors ... */
  const double *right; /* ... and right factors; NULL for plain terms. */
  double init;         /* The initial value, ... */
  uint32_t init_count; /* ... which enters so often. */
  bool may_fuse;       /* A node may take a single product unrounded. */
  bool may_widen;      /* A node may be wider, and a result be rounded from there at once. */
  bool may_flush;      /* Terms and sums that are subnormal may count as zero: any_order_ends(). */
} few_terms_t;

#endif
