/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on sets of integers: of single numbers modulo 2^bits, of others by their ends, or any
 * value where a result might wrap (theory.md, T154). */
#include "oracles/formula/integers/integer_set.h"

#include <glib.h>

#include "harness/num/int128.h"

integer_t integer_from_pattern(const element_t *element, uint64_t bits) {
  bool is_signed = element->kind == ELEMENT_SIGNED;
  return is_signed ? (integer_t)element_signed_value(element, bits) : (integer_t)bits;
}

uint64_t integer_to_pattern(const element_t *element, integer_t value) {
  return (uint64_t)value & element_mask(element);
}

integer_set_t integer_set_everything(const element_t *element) {
  return (integer_set_t){(integer_t)element_integer_min(element),
                         (integer_t)element_integer_max(element)};
}

bool integer_is_of(const element_t *element, integer_t value) {
  integer_set_t all = integer_set_everything(element);
  return all.low <= value && value <= all.high;
}

/* ---- Points ---------------------------------------------------------------------------------- */

static bool is_good_shift(const element_t *element, integer_t amount) {
  return amount >= 0 && amount < element->bits;
}

/* Of patterns, modulo 2^64: the caller keeps those bits that the type has. */
static uint64_t apply_bits(const element_t *element, integer_operation_t operation, uint64_t a,
                           uint64_t b) {
  switch (operation) {
    case INTEGER_ADD:
      return a + b;
    case INTEGER_SUBTRACT:
      return a - b;
    case INTEGER_MULTIPLY:
      return a * b;
    case INTEGER_AND:
      return a & b;
    case INTEGER_OR:
      return a | b;
    case INTEGER_XOR:
      return a ^ b;
    case INTEGER_SHIFT_LEFT:
      return a << b;
    case INTEGER_SHIFT_RIGHT:
      return (uint64_t)(integer_from_pattern(element, a) >> b);
    default: /* See apply_division() and integer_set_apply(). */
      break;
  }
  g_assert_not_reached();
}

/* ---- Division -------------------------------------------------------------------------------- */

/* The numbers of a set that are below 0, or not; false: it has none. */
static bool keep_side(integer_set_t a, bool is_negative, integer_set_t *out) {
  *out = is_negative ? (integer_set_t){a.low, MIN(a.high, -1)}
                     : (integer_set_t){MAX(a.low, 0), a.high};
  return out->low <= out->high;
}

/* Of a and b of one sign each, |a| in [a.low, a.high], |b| in [b.low, b.high], b.low > 0. */
static integer_set_t divide_magnitudes(integer_set_t a, integer_set_t b) {
  return (integer_set_t){a.low / b.high, a.high / b.low};
}

static integer_set_t remainder_of_magnitudes(integer_set_t a, integer_set_t b) {
  if (a.high < b.low) return a;
  if (integer_set_is_point(&b) && a.low / b.low == a.high / b.low) {
    return (integer_set_t){a.low % b.low, a.high % b.low};
  }
  return (integer_set_t){0, MIN(a.high, b.high - 1)};
}

static integer_set_t turn(integer_set_t a) { return (integer_set_t){-a.high, -a.low}; }

/* By sides of zero, on each of which quotients grow or fall in each operand (theory.md, T200). */
static integer_set_t apply_division(const element_t *element, integer_operation_t operation,
                                    integer_set_t a, integer_set_t b) {
  const integer_set_t all = integer_set_everything(element);
  bool may_overflow = all.low < 0 && a.low == all.low && b.low <= -1 && b.high >= -1;
  if ((b.low <= 0 && b.high >= 0) || may_overflow) return all;
  bool is_negative_b = b.high < 0, has_any = false;
  if (is_negative_b) b = turn(b);
  integer_set_t made = integer_set_of(0);
  for (int side = 0; side < 2; side++) {
    integer_set_t part;
    if (!keep_side(a, side == 0, &part)) continue;
    if (side == 0) part = turn(part);
    bool is_quotient = operation == INTEGER_DIVIDE;
    integer_set_t found =
        is_quotient ? divide_magnitudes(part, b) : remainder_of_magnitudes(part, b);
    bool is_turned = is_quotient ? (side == 0) != is_negative_b : side == 0;
    if (is_turned) found = turn(found);
    made = has_any ? integer_set_unite(made, found) : found;
    has_any = true;
  }
  return made;
}

/* ---- Hulls ----------------------------------------------------------------------------------- */

/* The hull of what is between four numbers, if the type has all of it. */
static integer_set_t hull(const element_t *element, const integer_t corners[4]) {
  integer_set_t set = integer_set_of(corners[0]);
  for (int i = 1; i < 4; i++) set = integer_set_unite(set, integer_set_of(corners[i]));
  bool may_wrap = !integer_is_of(element, set.low) || !integer_is_of(element, set.high);
  return may_wrap ? integer_set_everything(element) : set;
}

static integer_set_t apply_hull(const element_t *element, integer_operation_t operation,
                                integer_set_t a, integer_set_t b) {
  const integer_t sums[] = {a.low + b.low, a.high + b.high, a.low + b.low, a.high + b.high};
  const integer_t differences[] = {a.low - b.high, a.high - b.low, a.low - b.high, a.high - b.low};
  integer_t products[4];
  bool overflows = int128_multiply_overflows(a.low, b.low, &products[0]);
  overflows |= int128_multiply_overflows(a.low, b.high, &products[1]);
  overflows |= int128_multiply_overflows(a.high, b.low, &products[2]);
  overflows |= int128_multiply_overflows(a.high, b.high, &products[3]);
  switch (operation) {
    case INTEGER_ADD:
      return hull(element, sums);
    case INTEGER_SUBTRACT:
      return hull(element, differences);
    case INTEGER_MULTIPLY:
      return overflows ? integer_set_everything(element) : hull(element, products);
    default: /* Of bits nothing is known. */
      return integer_set_everything(element);
  }
}

integer_set_t integer_set_apply(const element_t *element, integer_operation_t operation,
                                integer_set_t a, integer_set_t b) {
  bool is_boolean = element->kind == ELEMENT_BOOLEAN;
  if (operation == INTEGER_MAXIMUM || (is_boolean && operation == INTEGER_OR)) {
    return (integer_set_t){MAX(a.low, b.low), MAX(a.high, b.high)};
  }
  if (operation == INTEGER_MINIMUM || (is_boolean && operation == INTEGER_AND)) {
    return (integer_set_t){MIN(a.low, b.low), MIN(a.high, b.high)};
  }
  if (operation == INTEGER_DIVIDE || operation == INTEGER_REMAINDER) {
    return apply_division(element, operation, a, b);
  }
  bool is_shift = operation == INTEGER_SHIFT_LEFT || operation == INTEGER_SHIFT_RIGHT;
  bool are_points = integer_set_is_point(&a) && integer_set_is_point(&b);
  if (!are_points) return apply_hull(element, operation, a, b);
  if (is_shift && !is_good_shift(element, b.low)) return integer_set_everything(element);
  uint64_t bits = apply_bits(element, operation, integer_to_pattern(element, a.low),
                             integer_to_pattern(element, b.low));
  return integer_set_of(integer_from_pattern(element, bits & element_mask(element)));
}

integer_set_t integer_set_convert(const element_t *to, integer_set_t a) {
  bool has_all = integer_is_of(to, a.low) && integer_is_of(to, a.high);
  return has_all ? a : integer_set_everything(to);
}

integer_set_t integer_set_compare(comparison_t comparison, integer_set_t a, integer_set_t b) {
  bool may_be = a.low <= b.high && b.low <= a.high; /* Equal: the sets meet. */
  bool may_not_be = !integer_set_is_point(&a) || !integer_set_is_point(&b) || a.low != b.low;
  if (comparison == COMPARISON_LESS) {
    may_be = a.low < b.high;
    may_not_be = a.high >= b.low;
  } else if (comparison == COMPARISON_LESS_EQUAL) {
    may_be = a.low <= b.high;
    may_not_be = a.high > b.low;
  }
  return (integer_set_t){may_not_be ? 0 : 1, may_be ? 1 : 0};
}

integer_set_t integer_set_unite(integer_set_t a, integer_set_t b) {
  return (integer_set_t){MIN(a.low, b.low), MAX(a.high, b.high)};
}
