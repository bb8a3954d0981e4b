/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds a float sum by intersecting the any-order range with the hull of all in-order trees, if
 * the contract fixes the order and the hull is affordable. */
#include "oracles/exact/sum/range.h"

#include <math.h>

#include "oracles/exact/in_order/hull.h"
#include "oracles/exact/sum/bounds.h"

enum { HULL_WORK = 1 << 25 }; /* As in_order.c: enough for some 500 terms. */

static void narrow(value_range_t *range, const schedule_hull_t *hull) {
  range->low = fmax(range->low, hull->low);
  range->high = fmin(range->high, hull->high);
  range->positive_infinity &= hull->high == INFINITY;
  range->negative_infinity &= hull->low == -INFINITY;
  range->nan &= hull->has_nan;
  if (range->low > 0 || range->high < 0) range->positive_zero = range->negative_zero = false;
}

static status_t narrow_to_schedules(const sum_problem_t *question, const contract_t *contract,
                                    arena_t *arena, value_range_t *inout_range, failure_t *error) {
  const schedules_t schedules = {.format = question->format,
                                 .count = question->count,
                                 .left = question->left,
                                 .right = question->right,
                                 .may_fuse = PERMITTED(contract, fma) == FMA_YES};
  schedule_hull_t hull;
  arena_mark_t mark = arena_mark(arena);
  status_t status = schedule_hull_make(&schedules, HULL_WORK, arena, &hull, error);
  arena_rewind(arena, mark);
  if (status == STATUS_UNDECIDED) return STATUS_OK; /* The any-order bound stands. */
  if (status == STATUS_OK) narrow(inout_range, &hull);
  return status;
}

status_t sum_range(const sum_problem_t *question, const contract_t *contract, arena_t *arena,
                   value_range_t *out_range, failure_t *error) {
  g_assert(!question->has_init);
  sum_totals_t totals;
  sum_totals_init(&totals, question);
  sum_bounds_t sum;
  sum_bounds_init(&sum, question, 1);
  sum_bounds_set_range(&sum, question, &totals, contract);
  *out_range = sum.result_range;
  bool has_schedules = question->count > 0 && sum_has_schedules(question, sum.terms, contract);
  sum_bounds_deinit(&sum);
  sum_totals_deinit(&totals);
  if (!has_schedules) return STATUS_OK;
  return narrow_to_schedules(question, contract, arena, out_range, error);
}
