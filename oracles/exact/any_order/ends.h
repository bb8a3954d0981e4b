/* SPDX-License-Identifier: Apache-2.0 */
/* The least and the largest sum of some leaves in any order, by dynamic programming over their
 * parts that keeps both ends alone (theory.md, T160). */
#ifndef ASSAY_ORACLES_EXACT_ANY_ORDER_ENDS_H
#define ASSAY_ORACLES_EXACT_ANY_ORDER_ENDS_H

#include "harness/base/arena.h"
#include "oracles/exact/any_order/tree.h"

/* Sums of so many leaves that are not zero have 3^n / 2 splits for each end: a second of a
 * processor goes through some 10^9 of them. */
enum { ORDER_ENDS_LEAVES_MAX = 14 };

/* What all trees give lies between `out_ends`, before a last rounding to the format; where nodes
 * are not wider, single trees give both.  False if they are not told: there are too many leaves or
 * none, something may overflow or is not finite, or binary64 does not hold the sums of two numbers
 * well enough (f64).  Of factors that may be flushed nothing is known here.  `arena` is for scratch
 * and left as it was. */
bool any_order_ends(const few_terms_t *sum, arena_t *arena, double out_ends[2]);

/* The largest (direction 1) or the least (-1) result of plain and fused trees in the format, which
 * is `sum`'s whether or not nodes may be wider or flush, and a tree that gives it.  False as above.
 */
bool any_order_end_tree(const few_terms_t *sum, int direction, arena_t *arena, double *out_value,
                        few_terms_tree_t *out_tree);

#endif
