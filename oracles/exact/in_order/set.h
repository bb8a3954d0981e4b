/* SPDX-License-Identifier: Apache-2.0 */
/* The exact set of values that the schedules of a sum can give (theory.md, T25), by dynamic
 * programming over contiguous ranges of terms: the set of a range is the union, over its splits, of
 * the rounded sums of one value of either part.  32 terms have 1.45e16 schedules, and few values.
 */
#ifndef ASSAY_ORACLES_EXACT_IN_ORDER_SET_H
#define ASSAY_ORACLES_EXACT_IN_ORDER_SET_H

#include "harness/base/arena.h"
#include "harness/base/status.h"
#include "oracles/exact/in_order/trees.h"

/* A work limit that sums of 64 f32 terms keep to, about a tenth of a second. */
enum { SCHEDULE_SET_WORK = 1 << 25 };

typedef struct schedule_set {
  const double
      *values; /* Ascending, each once; -0 and +0 are two, in this order; infinities too. */
  size_t count;
  bool has_nan; /* NaN can be given as well. */
} schedule_set_t;

/* The set, in the arena.  STATUS_UNDECIDED if it takes more than `work` node operations. */
status_t schedule_set_make(const schedules_t *schedules, uint64_t work, arena_t *arena,
                           schedule_set_t *out_set, failure_t *error);

/* True if the set holds the value (NaN: if it has NaN); the sign of zero counts. */
bool schedule_set_has(const schedule_set_t *set, double value);

/* Whether one of the schedules that most implementations have gives `value`, which is not NaN: one
 * after the other, from the last, or in halves, with fused products where these are permitted. Some
 * nanoseconds a term. */
bool schedule_usual_gives(const schedules_t *schedules, double value, arena_t *arena);

/* Whether some schedule gives `value` (of the result's type: some value that becomes it), tried
 * first on the usual schedules.  STATUS_UNDECIDED if none of them does and the set takes more than
 * `work` node operations. */
status_t schedule_set_contains(const schedules_t *schedules, double value, uint64_t work,
                               arena_t *arena, bool *out_contains, failure_t *error);

#endif
