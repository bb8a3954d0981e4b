/* SPDX-License-Identifier: Apache-2.0 */
/* Converts an accept range to another float format by rounding its ends, and works out which
 * infinities and zeros can newly appear. Also unites ranges and extends them by flushed results. */
#include "oracles/exact/range_convert.h"

#include <math.h>

#include "oracles/exact/error_bound.h"

/* What an infinity or a number beyond the range becomes by the format's rule. */
static void permit_overflow(value_range_t *range, const format_t *format, bool negative) {
  double rounded = format_round_double(format, negative ? -INFINITY : INFINITY);
  if (isnan(rounded)) {
    range->nan = true;
  } else if (isinf(rounded)) {
    *(negative ? &range->negative_infinity : &range->positive_infinity) = true;
  } else {
    range->low = fmin(range->low, rounded);
    range->high = fmax(range->high, rounded);
  }
}

/* Both ends rounded to nearest, which is monotone. */
static void convert_ends(const value_range_t *range, const format_t *format, value_range_t *out) {
  double largest = format_to_double(format, format->largest_bits);
  double low = format_round_double(format, range->low);
  double high = format_round_double(format, range->high);
  out->low = isfinite(low) ? low : range->low < 0 ? -largest : (double)INFINITY;
  out->high = isfinite(high) ? high : range->high > 0 ? largest : (double)-INFINITY;
  if (!isfinite(low) && range->low < 0) permit_overflow(out, format, true);
  if (!isfinite(high) && range->high > 0) permit_overflow(out, format, false);
}

/* Whether some number of the range with that sign rounds to zero: its smallest does. */
static bool may_vanish(const value_range_t *range, const format_t *from, const format_t *to,
                       bool negative) {
  double nearest = negative ? -range->high : range->low; /* The end that is nearer to zero. */
  double farthest = negative ? -range->low : range->high;
  if (range->low > range->high || farthest <= 0) return false;
  return format_round_double(to, fmax(nearest, format_smallest(from))) == 0;
}

value_range_t value_range_convert(const value_range_t *range, const format_t *from,
                                  const format_t *to) {
  value_range_t out = {.low = INFINITY, .high = -INFINITY, .nan = range->nan};
  if (range->low <= range->high) convert_ends(range, to, &out);
  if (range->positive_infinity) permit_overflow(&out, to, false);
  if (range->negative_infinity) permit_overflow(&out, to, true);
  out.positive_zero = range->positive_zero || may_vanish(range, from, to, false);
  out.negative_zero = range->negative_zero || may_vanish(range, from, to, true);
  if (out.nan && !format_has_nan(to))
    return value_range_anything(to); /* It has no meaning there. */
  return out;
}

void value_range_unite(value_range_t *inout, const value_range_t *other) {
  inout->low = fmin(inout->low, other->low);
  inout->high = fmax(inout->high, other->high);
  inout->nan |= other->nan;
  inout->positive_infinity |= other->positive_infinity;
  inout->negative_infinity |= other->negative_infinity;
}

void value_range_flush(value_range_t *range, const format_t *format, bool may_be_below) {
  double normal = format_smallest_normal(format); /* The least that stays. */
  if (may_be_below) normal = nextafter(normal, INFINITY);
  if (range->low > range->high) return;
  if (range->low > 0 && range->low < normal) {
    range->low = 0;
    range->positive_zero = true;
  }
  if (range->high < 0 && range->high > -normal) {
    range->high = 0;
    range->negative_zero = true;
  }
  bool holds_subnormal = range->low < normal && range->high > -normal;
  if (holds_subnormal && range->high > 0) range->positive_zero = true;
  if (holds_subnormal && range->low < 0) range->negative_zero = true;
}

bool value_is_converted(const format_t *from, const format_t *to, double value) {
  double largest = format_to_double(from, from->largest_bits);
  uint64_t nearest = format_from_double(from, fmax(-largest, fmin(value, largest)));
  const uint64_t candidates[] = {nearest, format_next_up(from, nearest),
                                 format_next_down(from, nearest)};
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    if (format_round_double(to, format_to_double(from, candidates[i])) == value) return true;
  }
  return false;
}
