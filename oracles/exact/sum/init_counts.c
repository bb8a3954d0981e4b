/* SPDX-License-Identifier: Apache-2.0 */
/* How many initial values a sum may hold that ends in a given number: found by bisection, since
 * more of them only push it one way (theory.md, T22). */
#include <math.h>

#include "oracles/exact/error_bound.h"
#include "oracles/exact/in_order/bound.h"
#include "oracles/exact/in_order/in_order.h"
#include "oracles/exact/sum/bounds.h"

/* More initial values only push a sum one way: theory.md, T22.  So whatever fewer of them surely
 * reach, more reach.  Without this the bounds, which grow with every initial value, would soon hold
 * every number of a short format. */
static void push_by(sum_bounds_t *sum, uint32_t fewer, const sum_problem_t *question,
                    const sum_totals_t *totals, const contract_t *contract) {
  sum_bounds_t other;
  sum_bounds_init(&other, question, fewer);
  sum_bounds_set_range(&other, question, totals, contract);
  value_range_t *range = &sum->result_range;
  if (question->init > 0) {
    range->low = fmax(range->low, other.result_range.low);
  } else {
    range->high = fmin(range->high, other.result_range.high);
  }
  if (range->low > 0 || range->high < 0) range->positive_zero = range->negative_zero = false;
  sum_bounds_deinit(&other);
}

/* Whether so many initial values may push the sum as far as `got`, or beyond all numbers: then
 * none is left to compare with. */
static bool reaches(const sum_problem_t *question, const sum_totals_t *totals,
                    const contract_t *contract, uint32_t init_count, double got) {
  sum_bounds_t sum;
  sum_bounds_init(&sum, question, init_count);
  sum_bounds_set_range(&sum, question, totals, contract);
  const value_range_t *range = &sum.result_range;
  bool rises = question->init > 0, is_positive = mpfr_sgn(sum.reference) > 0;
  bool is_beyond = range->low > range->high && rises == is_positive;
  bool far_enough = is_beyond || (rises ? got <= range->high : got >= range->low);
  sum_bounds_deinit(&sum);
  return far_enough;
}

/* The least of the counts from `from` to `to` with which the sum gets that far; above `to` if none
 * does. */
static uint32_t least_init_count(const sum_problem_t *question, const sum_totals_t *totals,
                                 const contract_t *contract, double got, uint32_t from,
                                 uint32_t to) {
  for (uint32_t end = to + 1; from < end;) {
    uint32_t middle = from + (end - from) / 2;
    if (reaches(question, totals, contract, middle, got)) {
      end = middle;
    } else {
      from = middle + 1;
    }
  }
  return from;
}

/* Likewise with which an in-order tree may get there: errors of those are bounded by sums of
 * contiguous ranges, so that they may need more of them than trees in any order. */
static uint32_t least_in_order(const sum_problem_t *question, const contract_t *contract,
                               double got, uint32_t least, arena_t *arena) {
  const schedules_t schedules = {
      .format = question->format,
      .count = question->count,
      .left = question->left,
      .init = question->init,
      .init_min = least,
      .init_max = contract_init_count_max(contract, question->count),
  };
  bool has_bound = question->result == NULL && question->right == NULL &&
                   sum_has_schedules(question, question->count + least, contract);
  if (!has_bound) return least;
  arena_mark_t mark = arena_mark(arena);
  least = schedule_bound_least_inits(&schedules, got, arena);
  arena_rewind(arena, mark);
  return least;
}

/* The last number up to which all from `first` on are bounded alike: by levels, or without
 * (error_bound.h).  Only among such do ends move one way alone. */
static uint32_t last_alike(const sum_problem_t *question, uint32_t first, uint32_t most) {
  size_t leaves = question->count + first;
  if (leaves > LEVELS_TO) return most;
  size_t last = (leaves < LEVELS_FROM ? LEVELS_FROM - 1 : LEVELS_TO) - question->count;
  return MIN(most, (uint32_t)last);
}

/* Up to IN_ORDER_INIT_COUNT_MAX each number stands for itself, where trees may judge it.  Of those
 * above that are bounded alike the least one that gets to `got`, in any order and in that of the
 * contract, decides for all, since both ends of what conforms only move that way. */
init_counts_t init_counts_make(const sum_problem_t *question, const sum_totals_t *totals,
                               const contract_t *contract, uint64_t bits, arena_t *arena) {
  init_counts_t counts = {.count = 1, .tried = {1}};
  if (sum_init_is_zero(question) || PERMITTED(contract, init_count) == INIT_COUNT_ONE)
    return counts;
  if (question->count != 0) counts.tried[counts.count++] = 0;
  uint32_t next = 2, most = contract_init_count_max(contract, question->count);
  while (next <= MIN(most, IN_ORDER_INIT_COUNT_MAX)) counts.tried[counts.count++] = next++;
  if (next > most) return counts;
  double got =
      format_to_double(question->result == NULL ? question->format : question->result, bits);
  bool is_finite = isfinite(got) && isfinite(question->init);
  if (!is_finite) counts.tried[counts.count++] = most;
  for (uint32_t last; is_finite && next <= most; next = last + 1) {
    last = last_alike(question, next, most);
    uint32_t least = least_init_count(question, totals, contract, got, next, last);
    if (least > last) continue;
    if (counts.least == 0) counts.least = least;
    least = least_in_order(question, contract, got, least, arena);
    if (least <= last) counts.tried[counts.count++] = least;
  }
  return counts;
}

void init_counts_push(sum_bounds_t *sum, const init_counts_t *counts, const sum_problem_t *question,
                      const sum_totals_t *totals, const contract_t *contract) {
  for (uint32_t fewer = 1; fewer < sum->init_count; fewer *= 2) {
    push_by(sum, fewer, question, totals, contract);
  }
  bool is_beyond = sum->init_count > counts->least && sum->init_count > IN_ORDER_INIT_COUNT_MAX;
  if (counts->least != 0 && is_beyond) push_by(sum, counts->least, question, totals, contract);
}
