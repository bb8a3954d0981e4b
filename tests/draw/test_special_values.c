/* SPDX-License-Identifier: Apache-2.0 */
/* Single corner patterns of every element type. */
#include <glib.h>
#include <math.h>

#include "harness/draw/special_values.h"

enum { DRAWS = 3000 };

/* Calls a check for every float (and complex) type, or for every other one. */
static void for_each_element(bool floats, void (*check)(const element_t *element)) {
  for (size_t e = 0; e < element_count; e++) {
    const element_t *element = &element_table[e];
    if (!element->is_tensor_element || (element->format != NULL) != floats) continue;
    g_test_message("%s", element->name);
    check(element);
  }
}

static bool has_sign_and_zero(const format_t *format) {
  return format->specials != FORMAT_EXPONENT_ONLY;
}

static void check_float_specials(const element_t *element) {
  const format_t *format = element->format;
  rng_t rng = rng_make(1);
  for (int i = 0; i < DRAWS; i++) {
    uint64_t nan = special_value_nan(&rng, element);
    uint64_t infinity = special_value_infinity(&rng, element);
    uint64_t boundary = special_value_boundary(&rng, element);
    g_assert_cmpint(format_is_nan(format, nan), ==, format_has_nan(format));
    g_assert_cmpint(format_is_infinity(format, infinity), ==, format_has_infinity(format));
    number_kind_t kind = format_decode(format, boundary).kind;
    g_assert_true(kind == NUMBER_FINITE || kind == NUMBER_ZERO);
    uint64_t all = nan | infinity | boundary | special_value_special(&rng, element);
    g_assert_cmphex(all & ~element_mask(element), ==, 0);
  }
}

static void check_float_integers(const element_t *element) {
  const format_t *format = element->format;
  if (!has_sign_and_zero(format)) {
    g_assert_cmpfloat(format_to_double(format, special_value_integer(element, -4)), ==, 4);
    g_assert_cmphex(special_value_integer(element, 0), ==, 0);
    return;
  }
  for (int value = -4; value <= 4; value++) {
    g_assert_cmpfloat(format_to_double(format, special_value_integer(element, value)), ==, value);
  }
  uint64_t huge = special_value_number(element, true, 1, 5000);
  uint64_t tiny = special_value_number(element, false, 1, -5000);
  g_assert_cmphex(huge, ==, special_value_negated(element, format->largest_bits));
  g_assert_cmphex(tiny, ==, 0);
}

static void check_float_negated(const element_t *element) {
  const format_t *format = element->format;
  rng_t rng = rng_make(2);
  g_assert_true(!has_sign_and_zero(format) ||
                format_is_zero(format, special_value_zero(element, true)));
  g_assert_cmpint(special_value_zero(element, true) != special_value_zero(element, false), ==,
                  format_has_negative_zero(format));
  for (int i = 0; i < DRAWS; i++) {
    uint64_t bits = special_value_any(&rng, element);
    uint64_t negated = special_value_negated(element, bits);
    g_assert_cmphex(special_value_negated(element, negated), ==, bits);
    if (format_is_nan(format, bits) || !has_sign_and_zero(format)) {
      g_assert_cmphex(negated, ==, bits);
    } else {
      g_assert_cmpfloat(format_to_double(format, negated), ==, -format_to_double(format, bits));
    }
  }
}

static void check_integers(const element_t *element) {
  rng_t rng = rng_make(3);
  bool is_signed = element->kind == ELEMENT_SIGNED;
  for (int value = -1; value <= 1; value++) {
    int64_t expected = is_signed ? value : abs(value);
    g_assert_cmpint(element_signed_value(element, special_value_integer(element, value)), ==,
                    expected);
  }
  g_assert_cmphex(special_value_zero(element, true), ==, 0);
  for (int i = 0; i < DRAWS; i++) {
    uint64_t bits = special_value_any(&rng, element);
    uint64_t negated = special_value_negated(element, bits);
    g_assert_cmphex((bits | negated) & ~element_mask(element), ==, 0);
    if (element_is_integer(element)) {
      g_assert_cmphex((bits + negated) & element_mask(element), ==, 0);
    } else {
      g_assert_cmphex(negated, ==, bits);
    }
  }
}

/* Numbers are those of format_encode(): with few bits and with many, halfway between two numbers,
 * below the normal ones and beyond the largest. */
static void check_float_numbers(const element_t *element) {
  const format_t *format = element->format;
  rng_t rng = rng_make(12);
  for (int i = 0; i < 10 * DRAWS; i++) {
    uint64_t significand = rng_bits(&rng) >> rng_below(&rng, 64);
    if (rng_one_in(&rng, 2)) significand &= ~UINT64_C(0) << rng_below(&rng, 64);
    bool is_negative = rng_one_in(&rng, 2);
    int binade = (int)rng_between(&rng, format->exponent_min - 60, format->exponent_max + 3);
    int exponent = significand == 0 ? binade : binade - (63 - __builtin_clzll(significand));
    const number_t number = {.kind = significand == 0 ? NUMBER_ZERO : NUMBER_FINITE,
                             .negative = is_negative && has_sign_and_zero(format),
                             .exponent = exponent,
                             .significand = significand};
    uint64_t encoded = format_encode(format, number, ROUNDING_NEAREST_EVEN, OVERFLOW_SATURATE);
    g_assert_cmphex(special_value_number(element, is_negative, significand, exponent), ==, encoded);
  }
}

static void test_float_numbers(void) { for_each_element(true, check_float_numbers); }
static void test_float_specials(void) { for_each_element(true, check_float_specials); }
static void test_float_integers(void) { for_each_element(true, check_float_integers); }
static void test_float_negated(void) { for_each_element(true, check_float_negated); }
static void test_integers(void) { for_each_element(false, check_integers); }

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/special_values/float_specials", test_float_specials);
  g_test_add_func("/special_values/float_numbers", test_float_numbers);
  g_test_add_func("/special_values/float_integers", test_float_integers);
  g_test_add_func("/special_values/float_negated", test_float_negated);
  g_test_add_func("/special_values/integers", test_integers);
  return g_test_run();
}
