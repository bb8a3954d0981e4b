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

/* The least of the numbers of initial values from init_min to init_max with which the bound lets a
 * sum get as far as `value`, the way that they push it; the last if none does. */
uint32_t schedule_bound_least_inits(const schedules_t *schedules, double value, arena_t *arena);

#endif
