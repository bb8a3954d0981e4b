/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest and the largest value that the schedules of a sum can give (theory.md, T26). Rounded
 * operations are monotone, so the ends of a range follow from the ends of its parts: dynamic
 * programming in n^3 / 6 operations for n terms.  Both ends are attained by a schedule; values
 * between them may be given by none (in_order/set.h knows). */
#ifndef ASSAY_ORACLES_EXACT_IN_ORDER_HULL_H
#define ASSAY_ORACLES_EXACT_IN_ORDER_HULL_H

#include "harness/base/arena.h"
#include "harness/base/status.h"
#include "oracles/exact/in_order/trees.h"

/* A work limit that sums of 700 terms keep to. */
enum { SCHEDULE_HULL_WORK = 1 << 26 };

typedef struct schedule_hull {
  double low; /* Infinite where overflow is reachable; low > high if only NaN can be given. */
  double high;
  bool has_nan; /* NaN can be given, as far as ends can tell. */
} schedule_hull_t;

/* -0 and +0 count as equal.  Where a sum may overflow to NaN in a format without infinities, or
 * zero may meet infinity in a product, the ends and has_nan are bounds and need not be attained.
 * STATUS_UNDECIDED if it takes more than `work` node operations. */
status_t schedule_hull_make(const schedules_t *schedules, uint64_t work, arena_t *arena,
                            schedule_hull_t *out_hull, failure_t *error);

#endif
