/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether some tree that keeps the order of terms gives an observed sum: by the exact set
 * of values for short sums, by its hull for longer ones, and beyond the work limit by a bound. */
#include "oracles/exact/in_order/in_order.h"

#include <math.h>

#include "harness/num/binary64.h"
#include "oracles/exact/in_order/bound.h"
#include "oracles/exact/in_order/hull.h"
#include "oracles/exact/in_order/node.h"
#include "oracles/exact/in_order/set.h"

enum { SET_TERMS_MAX = 64 }; /* Up to here the exact set is affordable. */

bool in_order_matters(size_t roundings, const contract_t *contract) {
  return roundings >= 1 && PERMITTED(contract, order) == ORDER_IN_ORDER &&
         PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO &&
         PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RN &&
         PERMITTED(contract, ftz) == FTZ_NONE;
}

uint64_t in_order_steps(size_t terms) {
  const double steps = (double)terms * (double)terms * (double)terms / 6;
  return steps > (double)IN_ORDER_WORK ? 0 : (uint64_t)steps;
}

static status_t hull_admits(const schedules_t *schedules, double value, arena_t *arena,
                            bool *out_admits, failure_t *error) {
  *out_admits = schedule_usual_gives(schedules, value, arena);
  if (*out_admits) return STATUS_OK;
  schedule_hull_t hull;
  STATUS_TRY(schedule_hull_make(schedules, IN_ORDER_WORK, arena, &hull, error));
  double low = schedule_convert(schedules, hull.low);
  double high = schedule_convert(schedules, hull.high);
  bool is_beyond = isnan(low) || isnan(high); /* Only in a result's type without infinities. */
  if (isnan(value)) {
    *out_admits = hull.has_nan || is_beyond;
  } else {
    *out_admits = is_beyond || (low <= value && value <= high);
  }
  return STATUS_OK;
}

static status_t set_admits(const schedules_t *schedules, double value, bool any_zero,
                           arena_t *arena, bool *out_admits, failure_t *error) {
  STATUS_TRY(schedule_set_contains(schedules, value, SCHEDULE_SET_WORK, arena, out_admits, error));
  bool has_one_zero = schedules->result != NULL && !format_has_negative_zero(schedules->result);
  if (*out_admits || value != 0 || !(any_zero || has_one_zero)) return STATUS_OK;
  return schedule_set_contains(schedules, -value, SCHEDULE_SET_WORK, arena, out_admits, error);
}

/* More initial values only push the sum one way (theory.md, T22), so that it is not this side of
 * the hull without any. */
static status_t fewer_inits_admit(const schedules_t *schedules, double value, arena_t *arena,
                                  bool *out_admits, failure_t *error) {
  schedules_t without = *schedules;
  without.init_min = without.init_max = 0;
  if (schedules->count == 0 || schedules->multiplies || !isfinite(value)) return STATUS_OK;
  schedule_hull_t hull;
  arena_mark_t mark = arena_mark(arena);
  status_t status = schedule_hull_make(&without, IN_ORDER_WORK, arena, &hull, error);
  arena_rewind(arena, mark);
  if (status == STATUS_UNDECIDED) return STATUS_OK;
  if (hull.has_nan) return status;
  double low = schedule_convert(schedules, hull.low);
  double high = schedule_convert(schedules, hull.high);
  *out_admits = schedules->init > 0 ? !(value < low) : !(value > high);
  return status;
}

/* What is converted at last is held to the any-order bound alone. */
static bool bound_holds(const schedules_t *schedules, double value, arena_t *arena) {
  return schedules->result != NULL || schedule_bound_holds(schedules, value, arena);
}

status_t in_order_admits(const schedules_t *schedules, double value, bool any_zero, arena_t *arena,
                         bool *out_admits, failure_t *error) {
  *out_admits = true;
  size_t terms = schedules->count + schedules->init_max;
  if (terms == 0) return STATUS_OK;
  arena_mark_t mark = arena_mark(arena);
  if (schedules->init_max > IN_ORDER_INIT_COUNT_MAX) {
    *out_admits = bound_holds(schedules, value, arena);
    arena_rewind(arena, mark);
    return *out_admits ? fewer_inits_admit(schedules, value, arena, out_admits, error) : STATUS_OK;
  }
  status_t status = STATUS_UNDECIDED;
  if (terms <= SET_TERMS_MAX) {
    status = set_admits(schedules, value, any_zero, arena, out_admits, error);
    arena_rewind(arena, mark);
  }
  if (status == STATUS_UNDECIDED) {
    status = hull_admits(schedules, value, arena, out_admits, error);
    arena_rewind(arena, mark);
  }
  if (status == STATUS_UNDECIDED) { /* Too long for both. */
    *out_admits = bound_holds(schedules, value, arena);
    arena_rewind(arena, mark);
    status = STATUS_OK;
  }
  return status;
}

bool in_order_never_subnormal(const schedules_t *schedules) {
  int normal = schedules->format->exponent_min;
  if (schedules->init_max != 0 && binary64_lowest_bit(schedules->init) < normal) return false;
  for (size_t i = 0; i < schedules->count; i++) {
    int left = binary64_lowest_bit(schedules->left[i]);
    if (left < normal) return false;
    if (schedules->right == NULL || left == BINARY64_NO_BIT) continue;
    int right = binary64_lowest_bit(schedules->right[i]);
    if (right < normal || (right != BINARY64_NO_BIT && left + right < normal)) return false;
  }
  return true;
}
