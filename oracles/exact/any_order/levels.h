/* SPDX-License-Identifier: Apache-2.0 */
/* A bound on the error of a sum in any order that knows how large partial sums can be: a node over
 * k leaves rounds a number of at most the k largest of them, and its error is half a unit in the
 * last place of that, instead of one of the sum of all magnitudes (theory.md, T122); no more than
 * the smaller of its operands, where small leaves are swallowed (T165); and no more than a leaf is
 * away from numbers of the format, where it adds a single one (T195). */
#ifndef ASSAY_ORACLES_EXACT_ANY_ORDER_LEVELS_H
#define ASSAY_ORACLES_EXACT_ANY_ORDER_LEVELS_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/num/format.h"

enum { LEVEL_LEAVES_MAX = 72 };

/* What is added.  Nodes round to nearest. */
typedef struct level_sum {
  const format_t *format; /* Of the accumulation. */
  bool may_widen;         /* Nodes may be wider (theory.md, D6). */
  size_t count;           /* Leaves that are not zero. */
  /* Their exact values, or within 2^-52 of them; all are finite, and larger than 2^-900. */
  double leaves[LEVEL_LEAVES_MAX];
  double losses[LEVEL_LEAVES_MAX]; /* What each may lose that is a product when it is rounded. */
  bool is_rounded;                 /* Some leaf is not known exactly. */
  int lowest_bit;                  /* All of them, products exact, are multiples of 2^lowest_bit. */
  /* What products may lose when they are rounded, all together: see level_sum_add(). */
  double lost;
} level_sum_t;

/* One more leaf, or false: it is infinite, NaN or too small, or there is no room. */
bool level_sum_add(level_sum_t *sum, double value);

/* The product of two numbers as a leaf that may be rounded. */
bool level_sum_add_product(level_sum_t *sum, double left, double right);

/* At least the error of every tree of these leaves before its last rounding to the format, if no
 * node overflows; infinite if that is too large to tell.  Of what is at most `enough` no lesser
 * bound is looked for. */
double level_sum_error(const level_sum_t *sum, double enough);

#endif
