/* SPDX-License-Identifier: Apache-2.0 */
/* A bound on the error of a sum of which one leaf stands many times, as an initial value may: a
 * node over m leaves rounds a number of at most m of these and what the others add up to, so that
 * few nodes err by as much as the last one (theory.md, T166). */
#ifndef ASSAY_ORACLES_EXACT_REPEATED_SUM_H
#define ASSAY_ORACLES_EXACT_REPEATED_SUM_H

#include <stddef.h>
#include <stdint.h>

#include "harness/num/format.h"

/* What is added.  Nodes round to nearest, and all leaves are numbers of the format. */
typedef struct repeated_sum {
  const format_t *format; /* Of the accumulation. */
  bool may_widen;         /* Nodes may be wider (theory.md, D6). */
  double value;           /* Enters so many ... */
  uint32_t times;         /* ... times, ... */
  size_t others;          /* ... beside so many other leaves. */
  double reach; /* At least the magnitude of the sum of all those others that a subtree may have. */
} repeated_sum_t;

/* At least the error of every tree of these leaves before its last rounding to the format, if no
 * node overflows; infinite if one may. */
double repeated_sum_error(const repeated_sum_t *sum);

#endif
