/* SPDX-License-Identifier: Apache-2.0 */
/* In-order contracts: only the specification's trees conform, whose nodes combine contiguous ranges
 * (theory.md, D4). */
#ifndef ASSAY_ORACLES_EXACT_IN_ORDER_IN_ORDER_H
#define ASSAY_ORACLES_EXACT_IN_ORDER_IN_ORDER_H

#include "harness/base/arena.h"
#include "harness/model/contract.h"
#include "oracles/exact/in_order/trees.h"

enum { IN_ORDER_INIT_COUNT_MAX = 4 }; /* Of more no trees are made one by one. */

/* Node operations that all schedules of one sum are worth: enough for some 500 terms. */
enum { IN_ORDER_WORK = 1 << 25 };

/* How many they take, about; 0 where that is more than they are worth, so that none is made. */
uint64_t in_order_steps(size_t terms);

/* Whether the schedules can tell anything that the any-order bound does not: the contract is
 * in-order with plain nodes of the accumulation type, and a rounding is made, those of products
 * included. In-order contracts that permit wider nodes or truncation are judged by the any-order
 * bound. */
bool in_order_matters(size_t roundings, const contract_t *contract);

/* Whether an in-order tree over the terms gives `value`, which lies within what the any-order rules
 * allow and may be infinite or NaN; with `any_zero` the sign of zero does not count.  Up to 64
 * terms by the exact set of all trees, up to about 500 by its hull (theory.md, T25 and T26); beyond
 * by the errors that partial sums of ranges may have (T121).  Of more than 4 initial values by that
 * and by the hull without any (T22). */
status_t in_order_admits(const schedules_t *schedules, double value, bool any_zero, arena_t *arena,
                         bool *out_admits, failure_t *error);

/* Whether every partial sum of these terms (products, if `right` is not NULL) is zero or a normal
 * number, so that flushing subnormal numbers cannot matter: all are multiples of the smallest
 * normal number, and so are their factors. */
bool in_order_never_subnormal(const schedules_t *schedules);

#endif
