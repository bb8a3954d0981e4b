/* SPDX-License-Identifier: Apache-2.0 */
/* Unites ranges as intervals of the numbers by which format_ordinal() counts
 * patterns. */
#include "oracles/accepted_ranges.h"

#include <math.h>
#include <stdlib.h>

#include "oracles/exact/error_bound.h"
#include "oracles/exact/sum/choice_set.h"

accepted_ranges_t accepted_ranges_make(const contract_t *contract) {
  return (accepted_ranges_t){.is_known = true,
                             .any_zero = PERMITTED(contract, zero_sign) == ZERO_SIGN_ANY};
}

accepted_ranges_t accepted_ranges_unknown(void) { return (accepted_ranges_t){.is_known = false}; }

static bool are_equal(const value_range_t *a, const value_range_t *b) {
  return a->low == b->low && a->high == b->high && a->nan == b->nan &&
         a->positive_infinity == b->positive_infinity &&
         a->negative_infinity == b->negative_infinity && a->positive_zero == b->positive_zero &&
         a->negative_zero == b->negative_zero;
}

void accepted_ranges_add(accepted_ranges_t *set, const value_range_t *range) {
  for (uint32_t i = 0; i < set->count; i++) {
    if (are_equal(&set->ranges[i], range)) return;
  }
  if (set->count == ACCEPTED_RANGES_MAX) set->is_known = false;
  if (set->is_known) set->ranges[set->count++] = *range;
}

static value_range_t range_of_pattern(const format_t *format, uint64_t bits) {
  value_range_t range = {.low = INFINITY, .high = -INFINITY};
  double value = format_to_double(format, bits);
  bool is_negative = format_is_negative(format, bits);
  if (format_is_infinity(format, bits)) {
    *(is_negative ? &range.negative_infinity : &range.positive_infinity) = true;
  } else if (format_is_zero(format, bits)) {
    *(is_negative ? &range.negative_zero : &range.positive_zero) = true;
  } else {
    range.low = range.high = value;
  }
  return range;
}

void accepted_ranges_add_choices(accepted_ranges_t *set, const format_t *format,
                                 const struct choice_set *choices) {
  const value_range_t anything = value_range_anything(format);
  const value_range_t nan = {.low = INFINITY, .high = -INFINITY, .nan = true};
  if (choices->any) accepted_ranges_add(set, &anything);
  if (choices->nan) accepted_ranges_add(set, &nan);
  for (size_t i = 0; i < choices->count; i++) {
    const value_range_t range = range_of_pattern(format, choices->choices[i].bits);
    accepted_ranges_add(set, &range);
  }
}

bool accepted_ranges_hold(const accepted_ranges_t *set, const format_t *format, uint64_t bits) {
  for (uint32_t i = 0; i < set->count; i++) {
    if (value_range_holds(&set->ranges[i], format, bits, set->any_zero)) return true;
  }
  return false;
}

/* ---- Ends ------------------------------------------------------------------------------------ */

typedef struct interval {
  int64_t first, last;
} interval_t;

/* Numbers of either sign, two zeros and two infinities. */
enum { INTERVALS_MAX = 2 * ACCEPTED_RANGES_MAX + 4 };
typedef struct intervals {
  size_t count;
  interval_t items[INTERVALS_MAX];
} intervals_t;

static void add_interval(intervals_t *intervals, int64_t first, int64_t last) {
  if (first <= last) intervals->items[intervals->count++] = (interval_t){first, last};
}

/* The pattern of the least number that is not below `value`; `value` is not above the largest. */
static int64_t place_from(const format_t *format, double value) {
  uint64_t bits = format_from_double(format, value);
  if (format_to_double(format, bits) < value) bits = format_next_up(format, bits);
  return format_ordinal(format, bits);
}

static int64_t place_up_to(const format_t *format, double value) {
  uint64_t bits = format_from_double(format, value);
  if (format_to_double(format, bits) > value) bits = format_next_down(format, bits);
  return format_ordinal(format, bits);
}

static void add_numbers(intervals_t *intervals, const format_t *format,
                        const value_range_t *range) {
  const double largest = format_to_double(format, format->largest_bits);
  const double smallest = format_smallest(format);
  double low = fmax(range->low, -largest), high = fmin(range->high, largest);
  if (!(low <= high)) return;
  if (low <= -smallest) {
    add_interval(intervals, place_from(format, low), place_up_to(format, fmin(high, -smallest)));
  }
  if (high >= smallest) {
    add_interval(intervals, place_from(format, fmax(low, smallest)), place_up_to(format, high));
  }
}

static int compare_intervals(const void *a, const void *b) {
  const interval_t *left = a, *right = b;
  return left->first < right->first ? -1 : left->first > right->first;
}

/* Zeros and infinities. */
static void add_specials(intervals_t *intervals, const format_t *format,
                         const accepted_ranges_t *set) {
  const struct {
    bool exists;
    double value;
  } specials[] = {{true, 0.0},
                  {format_has_negative_zero(format), -0.0},
                  {format_has_infinity(format), (double)INFINITY},
                  {format_has_infinity(format), -(double)INFINITY}};
  for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
    if (!specials[i].exists) continue;
    uint64_t bits = format_from_double(format, specials[i].value);
    int64_t place = format_ordinal(format, bits);
    if (accepted_ranges_hold(set, format, bits)) add_interval(intervals, place, place);
  }
}

accepted_hull_t accepted_ranges_hull(const accepted_ranges_t *set, const format_t *format,
                                     uint64_t out_ends[2]) {
  intervals_t intervals = {0};
  for (uint32_t i = 0; i < set->count; i++) add_numbers(&intervals, format, &set->ranges[i]);
  add_specials(&intervals, format, set);
  if (intervals.count == 0) return ACCEPTED_HULL_NO_NUMBER;
  qsort(intervals.items, intervals.count, sizeof *intervals.items, compare_intervals);
  interval_t whole = intervals.items[0];
  for (size_t i = 1; i < intervals.count; i++) {
    if (intervals.items[i].first > whole.last + 1) return ACCEPTED_HULL_GAPS;
    if (intervals.items[i].last > whole.last) whole.last = intervals.items[i].last;
  }
  out_ends[0] = format_from_ordinal(format, whole.first);
  out_ends[1] = format_from_ordinal(format, whole.last);
  return ACCEPTED_HULL_WHOLE;
}
