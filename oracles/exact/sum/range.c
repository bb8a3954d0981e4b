/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds a float sum by intersecting the any-order range with the hull of all in-order trees, if
 * the contract fixes the order and the hull is affordable. */
#include "oracles/exact/sum/range.h"

#include <math.h>

#include "oracles/exact/arithmetic.h"
#include "oracles/exact/in_order/hull.h"
#include "oracles/exact/in_order/in_order.h"
#include "oracles/exact/sum/bounds.h"
#include "oracles/exact/sum/levels.h"
#include "oracles/exact/tree_search/compensated.h"

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
  status_t status = schedule_hull_make(&schedules, IN_ORDER_WORK, arena, &hull, error);
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

/* ---- The decided set, as one range ----------------------------------------------------------- */

/* Whether one number of initial values stands for all, and every number of the result's type may be
 * what a sum is converted to. */
static bool has_one_range(const sum_problem_t *question, const contract_t *contract) {
  if (!sum_init_is_zero(question) && PERMITTED(contract, init_count) != INIT_COUNT_ONE)
    return false;
  return question->result == NULL || arithmetic_format_holds(question->format, question->result);
}

/* Whether the range alone decides, that of `sum`, which is cut off at what trees give. */
static bool range_decides(sum_bounds_t *sum, const sum_problem_t *question,
                          const contract_t *contract, arena_t *arena) {
  bool has_trees =
      (!question->is_complex_part && sum_has_schedules(question, sum->terms, contract)) ||
      sum_has_few_terms(question, contract);
  if (has_trees) return false;
  few_terms_t terms = sum_few_terms(sum, question, contract);
  sum_ends_clip(sum, question, &terms, arena);
  return !sum_may_be_compensated(question, contract, &terms) ||
         compensated_loops_stay(&terms, question->sums_of_case, &sum->result_range);
}

bool sum_decided_range(const sum_problem_t *question, const contract_t *contract, arena_t *arena,
                       value_range_t *out_range) {
  const format_t *format = question->result == NULL ? question->format : question->result;
  if (question->is_open) {
    *out_range = value_range_anything(format);
    return true;
  }
  const contract_t effective = sum_effective_contract(question, contract);
  if (!has_one_range(question, &effective)) return false;
  sum_totals_t totals;
  sum_totals_init(&totals, question);
  sum_bounds_t sum;
  sum_bounds_init(&sum, question, 1);
  sum_bounds_set_range(&sum, question, &totals, &effective);
  bool is_decided = range_decides(&sum, question, &effective, arena);
  *out_range = sum.result_range;
  sum_bounds_deinit(&sum);
  sum_totals_deinit(&totals);
  return is_decided;
}
