/* The smallest and the largest value that the schedules of a sum can give.  Rounded operations are
 * monotone, so the ends of a range follow from the ends of its parts: dynamic programming in n^3 /
 * 6 operations for n terms.  Both ends are attained by a schedule; values between them may be given
 * by none (schedule_set.h knows). */
#ifndef ASSAY_EXACT_SCHEDULE_HULL_H
#define ASSAY_EXACT_SCHEDULE_HULL_H

#include "harness/base/arena.h"
#include "harness/base/status.h"
#include "oracles/exact/schedules.h"

typedef struct schedule_hull {
  double low; /* Infinite where overflow is reachable; low > high if only NaN can be given. */
  double high;
  bool has_nan;
} schedule_hull_t;

/* STATUS_UNDECIDED if it takes more than `work` node operations; -0 and +0 count as equal. */
status_t schedule_hull_make(const schedules_t *schedules, uint64_t work, arena_t *arena,
                            schedule_hull_t *out_hull, error_t *error);

#endif
