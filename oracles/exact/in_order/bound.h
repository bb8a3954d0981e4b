/* SPDX-License-Identifier: Apache-2.0 */
/* A bound on what in-order trees of any length may give (theory.md, T121): their partial sums are
 * sums of contiguous ranges, which are small where signs alternate, and so are their errors. */
#ifndef ASSAY_ORACLES_EXACT_IN_ORDER_BOUND_H
#define ASSAY_ORACLES_EXACT_IN_ORDER_BOUND_H

#include "harness/base/arena.h"
#include "oracles/exact/in_order/trees.h"

/* Whether the bound holds a value of the format.  Of products, of leaves that are not finite, and
 * where a partial sum may overflow, it holds everything. */
bool schedule_bound_holds(const schedules_t *schedules, double value, arena_t *arena);

#endif
