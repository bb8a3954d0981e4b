/* SPDX-License-Identifier: Apache-2.0 */
/* How many initial values a sum may hold that ends in a given number: found by bisection, since
 * more of them only push it one way (theory.md, T22). */
#include <math.h>

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

/* The least of the counts from 2 to the most that is permitted with which the sum gets that far;
 * the last if none. */
static uint32_t least_init_count(const sum_problem_t *question, const sum_totals_t *totals,
                                 const contract_t *contract, double got) {
  uint32_t from = 2, to = contract_init_count_max(contract, question->count);
  while (from < to) {
    uint32_t middle = from + (to - from) / 2;
    if (reaches(question, totals, contract, middle, got)) {
      to = middle;
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

/* The least number that gets to `got` decides for all above it, since both ends of what conforms
 * only move that way.  Numbers that the schedules of an in-order contract judge exactly stand for
 * themselves, and those above must get there in any order too. */
init_counts_t init_counts_make(const sum_problem_t *question, const sum_totals_t *totals,
                               const contract_t *contract, uint64_t bits, arena_t *arena) {
  init_counts_t counts = {.count = 1, .tried = {1}};
  if (sum_init_is_zero(question) || PERMITTED(contract, init_count) == INIT_COUNT_ONE)
    return counts;
  if (question->count != 0) counts.tried[counts.count++] = 0;
  uint32_t next = 2, most = contract_init_count_max(contract, question->count);
  if (in_order_matters(question->count + 1, contract) || sum_has_few_terms(question, contract)) {
    uint32_t listed = MIN(most, IN_ORDER_INIT_COUNT_MAX);
    while (next <= listed) counts.tried[counts.count++] = next++;
    if (next > most) return counts;
  }
  double got =
      format_to_double(question->result == NULL ? question->format : question->result, bits);
  bool is_finite = isfinite(got) && isfinite(question->init);
  uint32_t last = most;
  if (is_finite) {
    counts.least = least_init_count(question, totals, contract, got);
    last = MAX(counts.least, next);
    if (last > IN_ORDER_INIT_COUNT_MAX) {
      last = least_in_order(question, contract, got, last, arena);
    }
  }
  counts.tried[counts.count++] = last;
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
