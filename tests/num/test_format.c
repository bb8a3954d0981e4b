/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of every format: decoding, classes, order and neighbours. */
#include <math.h>

#include "tests/num/format_reference.h"

/* What the formats' specifications say, to pin the rows themselves. */
typedef struct published {
  const char *name;
  double largest;
  double smallest_normal;
  double smallest;
} published_t;

static const published_t published[] = {
    {"f4E2M1FN", 6, 1, 0.5},
    {"f6E2M3FN", 7.5, 1, 0.125},
    {"f6E3M2FN", 28, 0.25, 0.0625},
    {"f8E3M4", 15.5, 0.25, 0x1p-6},
    {"f8E4M3", 240, 0x1p-6, 0x1p-9},
    {"f8E4M3FN", 448, 0x1p-6, 0x1p-9},
    {"f8E4M3FNUZ", 240, 0x1p-7, 0x1p-10},
    {"f8E4M3B11FNUZ", 30, 0x1p-10, 0x1p-13},
    {"f8E5M2", 57344, 0x1p-14, 0x1p-16},
    {"f8E5M2FNUZ", 57344, 0x1p-15, 0x1p-17},
    {"f8E8M0FNU", 0x1p127, 0x1p-127, 0x1p-127},
    {"f16", 65504, 0x1p-14, 0x1p-24},
    {"bf16", 0x1.fep127, 0x1p-126, 0x1p-133},
    {"tf32", 0x1.ffcp127, 0x1p-126, 0x1p-136},
    {"f32", 0x1.fffffep127, 0x1p-126, 0x1p-149},
    {"f64", 0x1.fffffffffffffp1023, 0x1p-1022, 0x1p-1074},
};

static void test_published(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(published); i++) {
    const format_t *format = format_find(str_from(published[i].name));
    g_assert_nonnull(format);
    uint64_t smallest = format->specials == FORMAT_EXPONENT_ONLY ? 0 : 1;
    g_assert_cmpfloat(format_to_double(format, format->largest_bits), ==, published[i].largest);
    g_assert_cmpfloat(format_to_double(format, smallest), ==, published[i].smallest);
    g_assert_cmpfloat(ldexp(1, format->exponent_min), ==, published[i].smallest_normal);
    g_assert_cmpint(format->exponent_max, ==, ilogb(published[i].largest));
  }
}

static void test_find(void) {
  for (int i = 0; i < FORMAT_COUNT; i++) {
    g_assert_true(format_find(str_from(format_table[i].name)) == &format_table[i]);
  }
  g_assert_null(format_find(str_from("f8")));
  g_assert_null(format_find(str_from("f32 ")));
  g_assert_null(format_find(str_from("")));
}

static void check_decode(const format_t *format, uint64_t bits, mpfr_t expected, mpfr_t decoded) {
  number_kind_t kind = reference_kind(format, bits);
  bool is_negative = reference_is_negative(format, bits);
  number_t number = format_decode(format, bits);
  g_assert_cmpint(number.kind, ==, kind);
  g_assert_cmpint(number.negative, ==, is_negative);
  g_assert_false(number.sticky);
  g_assert_cmpint(format_is_nan(format, bits), ==, kind == NUMBER_NAN);
  g_assert_cmpint(format_is_infinity(format, bits), ==, kind == NUMBER_INFINITY);
  g_assert_cmpint(format_is_zero(format, bits), ==, kind == NUMBER_ZERO);
  g_assert_cmpint(format_is_negative(format, bits), ==, is_negative);
  if (kind != NUMBER_FINITE) return;
  reference_value(format, bits % reference_magnitudes(format), expected);
  g_assert_cmpint(mpfr_set_ui_2exp(decoded, number.significand, number.exponent, MPFR_RNDN), ==, 0);
  g_assert_true(mpfr_equal_p(expected, decoded));
  bool is_subnormal = mpfr_cmp_si_2exp(expected, 1, format->exponent_min) < 0;
  g_assert_cmpint(format_is_subnormal(format, bits), ==, is_subnormal);
}

/* Every finite magnitude of the sample with both signs, and every special of a small format. */
static void test_decode(gconstpointer data) {
  const format_t *format = data;
  GArray *sample = reference_sample(format);
  mpfr_t expected, decoded;
  mpfr_inits2(REFERENCE_PRECISION, expected, decoded, (mpfr_ptr)NULL);
  for (guint i = 0; i < sample->len; i++) {
    uint64_t magnitude = g_array_index(sample, uint64_t, i);
    check_decode(format, magnitude, expected, decoded);
    if (!reference_has_sign(format)) continue;
    check_decode(format, reference_signed(format, true, magnitude), expected, decoded);
  }
  uint64_t largest = reference_largest(format);
  g_assert_cmphex(format->largest_bits, ==, largest);
  for (uint64_t above = 1; above <= 2000 && largest + above < reference_magnitudes(format);
       above++) {
    check_decode(format, largest + above, expected, decoded);
    if (!reference_has_sign(format)) continue;
    check_decode(format, reference_signed(format, true, largest + above), expected, decoded);
  }
  mpfr_clears(expected, decoded, (mpfr_ptr)NULL);
  g_array_unref(sample);
}

static void test_high_bits_ignored(gconstpointer data) {
  const format_t *format = data;
  if (format->bits == 64) return; /* There are no bits above. */
  uint64_t high = UINT64_MAX << format->bits;
  uint64_t patterns[] = {0, 1, format->largest_bits, reference_magnitudes(format)};
  for (size_t i = 0; i < G_N_ELEMENTS(patterns); i++) {
    number_t plain = format_decode(format, patterns[i] & ~high);
    number_t dirty = format_decode(format, patterns[i] | high);
    g_assert_cmpint(plain.kind, ==, dirty.kind);
    g_assert_cmpint(plain.negative, ==, dirty.negative);
    g_assert_cmphex(plain.significand, ==, dirty.significand);
    g_assert_cmpint(plain.exponent, ==, dirty.exponent);
  }
}

static bool is_smaller_number(number_t a, number_t b, mpfr_t scratch_a, mpfr_t scratch_b) {
  if (a.kind == NUMBER_INFINITY || b.kind == NUMBER_INFINITY) {
    return (a.kind == NUMBER_INFINITY && a.negative) || (b.kind == NUMBER_INFINITY && !b.negative);
  }
  if (a.kind == NUMBER_ZERO && b.kind == NUMBER_ZERO) return a.negative && !b.negative;
  mpfr_set_ui_2exp(scratch_a, a.significand, a.exponent, MPFR_RNDN);
  mpfr_set_ui_2exp(scratch_b, b.significand, b.exponent, MPFR_RNDN);
  if (a.negative) mpfr_neg(scratch_a, scratch_a, MPFR_RNDN);
  if (b.negative) mpfr_neg(scratch_b, scratch_b, MPFR_RNDN);
  return mpfr_less_p(scratch_a, scratch_b);
}

/* Ordinals count the numbers one by one, in their order, and neighbours are one step apart. */
static void check_step(const format_t *format, int64_t ordinal, mpfr_t a, mpfr_t b) {
  uint64_t here = format_from_ordinal(format, ordinal);
  uint64_t above = format_from_ordinal(format, ordinal + 1);
  g_assert_cmpint(format_ordinal(format, here), ==, ordinal);
  g_assert_cmpint(format_ordinal(format, above), ==, ordinal + 1);
  g_assert_true(is_smaller_number(format_decode(format, here), format_decode(format, above), a, b));
  g_assert_cmphex(format_next_up(format, here), ==, above);
  g_assert_cmphex(format_next_down(format, above), ==, here);
}

static void test_order(gconstpointer data) {
  const format_t *format = data;
  bool has_infinity = format->specials == FORMAT_IEEE;
  bool has_negative_zero =
      format->specials <= FORMAT_FINITE && format->specials != FORMAT_NAN_MINUS_ZERO;
  int64_t last = (int64_t)reference_largest(format) + has_infinity;
  int64_t first = reference_has_sign(format) ? -last - has_negative_zero : 0;
  mpfr_t a, b;
  mpfr_inits2(REFERENCE_PRECISION, a, b, (mpfr_ptr)NULL);
  GArray *sample = reference_sample(format);
  for (guint i = 0; i < sample->len; i++) {
    int64_t magnitude = (int64_t)g_array_index(sample, uint64_t, i);
    if (magnitude < last) check_step(format, magnitude, a, b);
    if (-magnitude - 1 >= first) check_step(format, -magnitude - 1, a, b);
  }
  uint64_t last_bits = format_from_ordinal(format, last);
  uint64_t first_bits = format_from_ordinal(format, first);
  g_assert_cmphex(format_next_up(format, last_bits), ==, last_bits);
  g_assert_cmphex(format_next_down(format, first_bits), ==, first_bits);
  g_assert_cmpint(reference_kind(format, last_bits), ==,
                  has_infinity ? NUMBER_INFINITY : NUMBER_FINITE);
  if (format->bits <= EXHAUSTIVE_BITS_MAX) { /* Then the steps met every pattern but the NaNs. */
    int64_t nan_count = 0;
    for (uint64_t bits = 0; bits < UINT64_C(1) << format->bits; bits++) {
      nan_count += reference_kind(format, bits) == NUMBER_NAN;
    }
    g_assert_cmpint(last - first + 1 + nan_count, ==, INT64_C(1) << format->bits);
  }
  mpfr_clears(a, b, (mpfr_ptr)NULL);
  g_array_unref(sample);
}

/* The unit in the last place is the distance to the next number away from zero. */
static void test_ulp(gconstpointer data) {
  const format_t *format = data;
  GArray *sample = reference_sample(format);
  reference_t scratch;
  reference_init(&scratch);
  for (guint i = 0; i < sample->len; i++) {
    uint64_t magnitude = g_array_index(sample, uint64_t, i);
    if (reference_kind(format, magnitude) == NUMBER_ZERO) continue;
    reference_value(format, magnitude, scratch.lower);
    reference_value(format, magnitude + 1, scratch.upper);
    int binade = (int)mpfr_get_exp(scratch.lower) - 1;
    mpfr_sub(scratch.middle, scratch.upper, scratch.lower, MPFR_RNDN);
    g_assert_cmpint(mpfr_cmp_si_2exp(scratch.middle, 1, format_ulp_exponent(format, binade)), ==,
                    0);
  }
  g_assert_cmpint(format_ulp_exponent(format, -100000), ==,
                  format->exponent_min - format->precision + 1);
  reference_deinit(&scratch);
  g_array_unref(sample);
}

static void test_specials(gconstpointer data) {
  const format_t *format = data;
  bool has[4] = {false};
  bool has_negative_zero = false;
  uint64_t binade = UINT64_C(1) << (format->precision - 1);
  uint64_t signs[] = {0, reference_magnitudes(format)};
  for (size_t i = 0; i < (reference_has_sign(format) ? 2 : 1); i++) {
    uint64_t patterns[] = {signs[i], signs[i] + reference_magnitudes(format) - binade,
                           signs[i] + reference_magnitudes(format) - 1};
    for (size_t j = 0; j < G_N_ELEMENTS(patterns); j++) {
      has[reference_kind(format, patterns[j])] = true;
    }
    has_negative_zero |= i == 1 && reference_kind(format, signs[i]) == NUMBER_ZERO;
  }
  g_assert_cmpint(format_has_nan(format), ==, has[NUMBER_NAN]);
  g_assert_cmpint(format_has_infinity(format), ==, has[NUMBER_INFINITY]);
  g_assert_cmpint(format_has_negative_zero(format), ==, has_negative_zero);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/format/published", test_published);
  g_test_add_func("/format/find", test_find);
  reference_add_tests("/format/decode", test_decode);
  reference_add_tests("/format/high_bits_ignored", test_high_bits_ignored);
  reference_add_tests("/format/order", test_order);
  reference_add_tests("/format/ulp", test_ulp);
  reference_add_tests("/format/specials", test_specials);
  return g_test_run();
}
