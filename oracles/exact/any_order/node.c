/* SPDX-License-Identifier: Apache-2.0 */
/* The roundings of one node.  Of a single number every width is tried where the format is short;
 * for longer ones half a unit of the narrowest wider format on both sides holds them all
 * (theory.md, T29). */
#include "oracles/exact/any_order/node.h"

#include "oracles/exact/error_bound.h"

/* theory.md, D6. */
rounding_node_t rounding_node_make(const format_t *format, bool may_widen) {
  int more = error_bound_wider_bits(format);
  return (rounding_node_t){
      .format = format,
      .largest = format_to_double(format, format->largest_bits),
      .may_widen = may_widen,
      .wide_bits = format->precision + more,
      .wide_lowest = format->exponent_min - format->precision + 1 - more,
  };
}

static double next_up(const format_t *format, double value) {
  return format_to_double(format, format_next_up(format, format_from_double(format, value)));
}

/* Both ends rounded to the format, and the numbers between.  What overflows to something else than
 * a number stays that, whatever is added. */
static void add_rounded(const rounding_node_t *node, span_t exact, span_list_t *out) {
  enum { LISTED_MAX = 4 };
  double low = real_round(node->format, exact.from) + 0.0; /* -0 is 0 here. */
  double high = span_is_point(exact) ? low : real_round(node->format, exact.to) + 0.0;
  if (!isfinite(low) || !isfinite(high)) {
    bool from_is_above = !isfinite(low) && exact.from.high > 0;
    bool to_is_below = !isfinite(high) && exact.to.high < 0;
    if (!isfinite(high) && exact.to.high > 0) out->overflows |= OVERFLOWS_UP;
    if (!isfinite(low) && exact.from.high < 0) out->overflows |= OVERFLOWS_DOWN;
    if (from_is_above || to_is_below) return;
    if (!isfinite(low)) low = -node->largest;
    if (!isfinite(high)) high = node->largest;
  }
  for (size_t listed = 0; listed < LISTED_MAX && low < high; listed++) {
    span_list_add(out, span_of(real_of(low)));
    low = next_up(node->format, low) + 0.0;
  }
  span_list_add(out, (span_t){.from = real_of(low), .to = real_of(high)});
}

/* The exponent of the unit of the narrowest wider format at that number. */
static int widest_unit(const rounding_node_t *node, real_t value) {
  int unit = real_exponent(value) - node->wide_bits + 1;
  return value.high == 0 || unit < node->wide_lowest ? node->wide_lowest : unit;
}

static void add_kept_and_rounded(const rounding_node_t *node, span_t wide, span_list_t *out) {
  add_rounded(node, wide, out);
  span_list_add(out, wide);
}

/* To the nearest multiple of 2^unit, of two the even one; quotients are below 2^52. */
static double round_to_unit(double value, int unit) {
  return ldexp(nearbyint(ldexp(value, -unit)), unit) + 0.0;
}

/* In every width of which the unit is at most 2^unit. */
static void add_every_width(const rounding_node_t *node, real_t exact, int unit, span_list_t *out) {
  enum { UNITS_MAX = 50 }; /* Below the leading bit: so many are told apart in binary64. */
  int lowest = real_lowest_bit(exact), last = real_exponent(exact) - UNITS_MAX;
  double odd = real_to_odd(exact);
  for (; unit > lowest && unit > last; unit--) {
    add_kept_and_rounded(node, span_of(real_of(round_to_unit(odd, unit))), out);
  }
  span_t rest = span_of(exact);
  if (unit > lowest) {
    rest.from = real_add(exact, real_of(-ldexp(1, unit - 1)), -1);
    rest.to = real_add(exact, real_of(ldexp(1, unit - 1)), 1);
  }
  add_kept_and_rounded(node, rest, out);
}

static void add_wide(const rounding_node_t *node, span_t exact, span_list_t *out) {
  enum { SHORT_BITS = 8 };
  if (span_is_point(exact)) {
    int unit = widest_unit(node, exact.from);
    if (real_lowest_bit(exact.from) >= unit) {
      add_kept_and_rounded(node, exact, out);
      return;
    }
    if (node->wide_bits <= SHORT_BITS) {
      add_every_width(node, exact.from, unit, out);
      return;
    }
  }
  real_t below = real_of(-ldexp(1, widest_unit(node, exact.from) - 1));
  real_t above = real_of(ldexp(1, widest_unit(node, exact.to) - 1));
  const span_t wide = {.from = real_add(exact.from, below, -1), .to = real_add(exact.to, above, 1)};
  add_kept_and_rounded(node, wide, out);
}

/* Adding a zero keeps what the other operand is, or rounds it to the format: theory.md, A5. */
static bool adds_zero(span_t a, span_t b) {
  return (a.from.high == 0 && a.to.high == 0) || (b.from.high == 0 && b.to.high == 0);
}

void rounding_node_add_sum(const rounding_node_t *node, span_t a, span_t b, span_list_t *out) {
  span_t sum = span_add(a, b);
  if (node->may_widen && adds_zero(a, b)) {
    add_kept_and_rounded(node, sum, out);
  } else {
    rounding_node_add(node, sum, out);
  }
}

void rounding_node_add(const rounding_node_t *node, span_t exact, span_list_t *out) {
  if (node->may_widen) {
    add_wide(node, exact, out);
  } else {
    add_rounded(node, exact, out);
  }
}
