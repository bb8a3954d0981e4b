/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of integers (oracles/theory.md, T154): single numbers of i8 and ui8 against C's arithmetic,
 * all of them; and of i2, ui2 and i1 all intervals against all of their numbers. */
#include <glib.h>

#include "oracles/formula/integers/integer_set.h"

static const char *const narrow[] = {"i1", "i2", "ui2"};
enum { OPERATIONS = INTEGER_REMAINDER + 1 };

/* ---- Points ---------------------------------------------------------------------------------- */

/* Returns false where any value is right. */
static bool expect(integer_operation_t operation, bool is_signed, int a, int b, int *out) {
  unsigned pattern = (unsigned)a & 0xff, other = (unsigned)b & 0xff;
  unsigned result = 0;
  switch (operation) {
    case INTEGER_ADD:
      result = pattern + other;
      break;
    case INTEGER_SUBTRACT:
      result = pattern - other;
      break;
    case INTEGER_MULTIPLY:
      result = pattern * other;
      break;
    case INTEGER_MAXIMUM:
      result = (unsigned)MAX(a, b);
      break;
    case INTEGER_MINIMUM:
      result = (unsigned)MIN(a, b);
      break;
    case INTEGER_AND:
      result = pattern & other;
      break;
    case INTEGER_OR:
      result = pattern | other;
      break;
    case INTEGER_XOR:
      result = pattern ^ other;
      break;
    case INTEGER_SHIFT_LEFT:
    case INTEGER_SHIFT_RIGHT:
      if (b < 0 || b >= 8) return false;
      result = operation == INTEGER_SHIFT_LEFT ? pattern << b : (unsigned)(a >> b);
      break;
    case INTEGER_DIVIDE:
    case INTEGER_REMAINDER:
      if (b == 0 || (a == INT8_MIN && b == -1)) return false;
      result = (unsigned)(operation == INTEGER_DIVIDE ? a / b : a % b);
  }
  *out = is_signed ? (int8_t)(uint8_t)result : (uint8_t)result;
  return true;
}

static void check_points(const element_t *element, integer_operation_t operation) {
  bool is_signed = element->kind == ELEMENT_SIGNED;
  int first = is_signed ? -128 : 0;
  const integer_set_t all = integer_set_everything(element);
  for (int a = first; a < first + 256; a++) {
    for (int b = first; b < first + 256; b++) {
      integer_set_t set =
          integer_set_apply(element, operation, integer_set_of(a), integer_set_of(b));
      int expected;
      bool is_known = expect(operation, is_signed, a, b, &expected);
      g_assert_true(set.low == (is_known ? expected : all.low));
      g_assert_true(set.high == (is_known ? expected : all.high));
    }
  }
}

static void test_points(void) {
  for (int operation = 0; operation < OPERATIONS; operation++) {
    check_points(element_named("i8"), (integer_operation_t)operation);
    check_points(element_named("ui8"), (integer_operation_t)operation);
  }
}

/* ---- Intervals ------------------------------------------------------------------------------- */

static bool holds(integer_set_t set, integer_set_t part) {
  return set.low <= part.low && part.high <= set.high;
}

/* What each pair of numbers gives is in the set, and of booleans and by max and min nothing else is
 * at its ends. */
static void check_pair(const element_t *element, integer_operation_t operation, integer_set_t a,
                       integer_set_t b) {
  integer_set_t set = integer_set_apply(element, operation, a, b);
  integer_set_t hull = {100, -100};
  for (integer_t x = a.low; x <= a.high; x++) {
    for (integer_t y = b.low; y <= b.high; y++) {
      integer_set_t part =
          integer_set_apply(element, operation, integer_set_of(x), integer_set_of(y));
      g_assert_true(holds(set, part));
      hull = (integer_set_t){MIN(hull.low, part.low), MAX(hull.high, part.high)};
    }
  }
  bool is_sharp = operation == INTEGER_MAXIMUM || operation == INTEGER_MINIMUM;
  is_sharp |=
      element->kind == ELEMENT_BOOLEAN && (operation == INTEGER_AND || operation == INTEGER_OR);
  if (is_sharp) g_assert_true(set.low == hull.low && set.high == hull.high);
  g_assert_true(integer_is_of(element, set.low) && integer_is_of(element, set.high));
}

static void check_comparisons(integer_set_t a, integer_set_t b) {
  for (int c = COMPARISON_LESS; c <= COMPARISON_EQUAL; c++) {
    bool may_be = false, may_not_be = false;
    for (integer_t x = a.low; x <= a.high; x++) {
      for (integer_t y = b.low; y <= b.high; y++) {
        bool is = c == COMPARISON_LESS ? x < y : c == COMPARISON_EQUAL ? x == y : x <= y;
        may_be |= is;
        may_not_be |= !is;
      }
    }
    integer_set_t set = integer_set_compare((comparison_t)c, a, b);
    g_assert_true(set.high == (may_be ? 1 : 0));
    g_assert_true(set.low == (may_not_be ? 0 : 1));
  }
}

static void test_intervals(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(narrow); i++) {
    const element_t *element = element_named(narrow[i]);
    const integer_set_t all = integer_set_everything(element);
    for (integer_t al = all.low; al <= all.high; al++)
      for (integer_t ah = al; ah <= all.high; ah++)
        for (integer_t bl = all.low; bl <= all.high; bl++)
          for (integer_t bh = bl; bh <= all.high; bh++) {
            const integer_set_t a = {al, ah}, b = {bl, bh};
            check_comparisons(a, b);
            for (int o = 0; o < OPERATIONS; o++) {
              bool is_shift = o >= INTEGER_SHIFT_LEFT;
              if (is_shift && element->kind == ELEMENT_BOOLEAN) continue;
              check_pair(element, (integer_operation_t)o, a, b);
            }
          }
  }
}

/* ---- Conversions ----------------------------------------------------------------------------- */

static void test_conversions(void) {
  static const char *const names[] = {"i1", "i2", "i8", "ui8", "i16", "ui32", "i64", "ui64"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    const element_t *element = element_named(names[i]);
    const integer_set_t all = integer_set_everything(element);
    for (int value = -300; value <= 300; value++) {
      bool has = all.low <= value && value <= all.high;
      integer_set_t set = integer_set_convert(element, integer_set_of(value));
      g_assert_true(set.low == (has ? value : all.low) && set.high == (has ? value : all.high));
    }
    uint64_t ones = element_mask(element);
    integer_t last = integer_from_pattern(element, ones);
    g_assert_true(last == (element->kind == ELEMENT_SIGNED ? -1 : all.high));
    g_assert_true(integer_to_pattern(element, last) == ones);
  }
  const element_t *u64 = element_named("ui64");
  const integer_set_t top = integer_set_of(integer_from_pattern(u64, UINT64_MAX));
  g_assert_true(integer_set_apply(u64, INTEGER_MULTIPLY, top, top).low == 1);
  g_assert_true(integer_set_apply(u64, INTEGER_ADD, top, integer_set_of(1)).high == 0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/integer_sets/points", test_points);
  g_test_add_func("/integer_sets/intervals", test_intervals);
  g_test_add_func("/integer_sets/conversions", test_conversions);
  return g_test_run();
}
