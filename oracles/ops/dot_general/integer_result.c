/* SPDX-License-Identifier: Apache-2.0 */
/* Which integers the numbers of a range become, found from the number of the format next to each
 * end of what becomes one integer. */
#include "oracles/ops/dot_general/integer_result.h"

#include <math.h>

#include "generated/element_conversion_permissions.h"
#include "harness/num/binary64.h"
#include "oracles/ops/element_conversion/element_conversion.h"

/* What the type's integers lie between, exactly. */
static double least_of(const element_t *type) { return (double)element_integer_min(type); }
static double above_all(const element_t *type) {
  return ldexp(1, type->kind == ELEMENT_SIGNED ? type->bits - 1 : type->bits);
}

bool integer_result_of(double value, const element_t *result, uint64_t *out_bits) {
  double integer = trunc(value);
  *out_bits = 0;
  if (!(integer >= least_of(result) && integer < above_all(result))) return false; /* NaN too. */
  uint64_t bits = integer < 0 ? (uint64_t)(int64_t)integer : (uint64_t)integer;
  *out_bits = bits & element_mask(result);
  return true;
}

/* The number of the format at `value` or next above it. */
static double at_or_above(const format_t *format, double value) {
  const format_t *f64 = &format_table[FORMAT_f64];
  if (format == f64 || isinf(value)) return value;
  return format_to_double(format, format_convert(f64, format, binary64_bits(value), ROUNDING_UP));
}

static double next_above(const format_t *format, double value) {
  return format_to_double(format, format_next_up(format, format_from_double(format, value)));
}

/* Whether a nonzero number of the format lies in the range and between the ends, or at the lower
 * one if that is included. */
static bool has_between(const value_range_t *range, const format_t *format, double low,
                        bool includes_low, double high) {
  double first = at_or_above(format, fmax(range->low, low));
  if (!includes_low && first == low) first = next_above(format, low);
  if (first == 0) first = next_above(format, 0);
  return first <= range->high && first < high;
}

/* Of negative numbers it is the mirrored range that is looked at. */
static value_range_t mirrored(const value_range_t *range) {
  return (value_range_t){.low = -range->high, .high = -range->low};
}

static bool may_be_out(const value_range_t *range, const element_t *result) {
  return range->nan || range->positive_infinity || range->negative_infinity ||
         (range->low <= range->high &&
          (range->high >= above_all(result) || range->low <= least_of(result) - 1));
}

/* Where the type's end comes of all that is beyond it. */
static bool holds_end(const value_range_t *range, const element_t *result, uint64_t bits) {
  bool has_finite = range->low <= range->high;
  bool is_above = range->positive_infinity || (has_finite && range->high >= above_all(result));
  bool is_below = range->negative_infinity || (has_finite && range->low <= least_of(result) - 1);
  uint64_t least = (uint64_t)element_integer_min(result) & element_mask(result);
  uint64_t most = element_integer_max(result) & element_mask(result);
  return (range->nan && bits == 0) || (is_above && bits == most) || (is_below && bits == least);
}

bool integer_result_holds(const value_range_t *range, const format_t *format,
                          const element_t *result, const contract_t *contract, uint64_t bits) {
  if (may_be_out(range, result)) {
    if (PERMITTED(contract, convert_truncation) == CONVERT_TRUNCATION_ANY) return true;
    if (holds_end(range, result, bits)) return true;
  }
  bool is_signed = result->kind == ELEMENT_SIGNED;
  int64_t integer = element_signed_value(result, bits);
  bool is_negative = is_signed && integer < 0;
  uint64_t magnitude = is_negative ? 0 - (uint64_t)integer : (uint64_t)integer;
  double value = (double)magnitude;
  const value_range_t far = mirrored(range);
  if (magnitude == 0) {
    return range->positive_zero || range->negative_zero ||
           has_between(range, format, 0, false, 1) || has_between(&far, format, 0, false, 1);
  }
  /* Numbers above 2^53 are integers, and only some integers are numbers. */
  bool is_number = value < 0x1p64 && (uint64_t)value == magnitude;
  if (!is_number) return false;
  double end = value >= 0x1p53 ? nextafter(value, INFINITY) : value + 1;
  return has_between(is_negative ? &far : range, format, value, true, end);
}

accept_t integer_result_accept(const accept_t *sums, const element_t *result, arena_t *arena) {
  uint64_t *bits = ARENA_NEW_ARRAY(arena, uint64_t, sums->count);
  uint8_t *decide = arena_alloc_zeroed(arena, sums->count);
  for (size_t i = 0; i < sums->count; i++) {
    bool is_point = sums->low != NULL && sums->decide[i] == 0 && sums->low[i] == sums->high[i];
    bits[i] = 0;
    decide[i] = !is_point || !integer_result_of(sums->low[i], result, &bits[i]);
  }
  return (accept_t){.count = sums->count, .bits = bits, .decide = decide};
}
