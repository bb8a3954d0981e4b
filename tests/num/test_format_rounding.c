/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding to every format, under every rule, at and on both sides of every number and every middle
 * between two numbers, and the same through binary64. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tests/num/format_reference.h"

/* A positive number in both notations. */
typedef struct sample_number {
  number_t number;
  mpfr_t value;
} sample_number_t;

static void sample_set(sample_number_t *sample, uint64_t significand, int exponent, bool sticky) {
  sample->number = (number_t){
      .kind = NUMBER_FINITE, .sticky = sticky, .exponent = exponent, .significand = significand};
  mpfr_set_ui(sample->value, significand, MPFR_RNDN);
  if (sticky) mpfr_add_d(sample->value, sample->value, 0x1p-9, MPFR_RNDN);
  mpfr_mul_2si(sample->value, sample->value, exponent, MPFR_RNDN);
}

/* The 64 leading bits of a value; exact for all values here. */
static uint64_t leading_bits(const mpfr_t value, int *out_exponent) {
  mpz_t integer;
  mpz_init(integer);
  long exponent = mpfr_get_z_2exp(integer, value);
  long excess = (long)mpz_sizeinbase(integer, 2) - 64;
  mpz_tdiv_q_2exp(integer, integer, (mp_bitcnt_t)excess);
  uint64_t significand = mpz_get_ui(integer);
  mpz_clear(integer);
  *out_exponent = (int)(exponent + excess);
  return significand;
}

/* Sets the number at `value` (side 0), just above it (1) or just below it (-1). */
static void sample_beside(sample_number_t *sample, const mpfr_t value, int side) {
  int exponent;
  uint64_t significand = leading_bits(value, &exponent);
  sample_set(sample, significand - (side < 0 ? 1 : 0), exponent, side != 0);
}

static bool same_double(double a, double b) {
  return isnan(a) || isnan(b) ? isnan(a) && isnan(b) : a == b && signbit(a) == signbit(b);
}

/* The value that a pattern stands for, through MPFR. */
static double reference_double(const format_t *format, uint64_t bits, reference_t *scratch) {
  double sign = reference_is_negative(format, bits) ? -1 : 1;
  switch (reference_kind(format, bits)) {
    case NUMBER_ZERO:
      return sign * 0.0;
    case NUMBER_INFINITY:
      return sign * INFINITY;
    case NUMBER_NAN:
      return NAN;
    case NUMBER_FINITE:
      break;
  }
  reference_value(format, bits % reference_magnitudes(format), scratch->lower);
  return sign * mpfr_get_d(scratch->lower, MPFR_RNDN);
}

static void check_through_double(const format_t *format, double value, uint64_t expected,
                                 reference_t *scratch) {
  g_assert_cmphex(format_from_double(format, value), ==, expected);
  double rounded = format_round_double(format, value);
  g_assert_true(same_double(rounded, reference_double(format, expected, scratch)));
}

/* Rounds a positive number and its negative under all rules. */
static void check_rounding(const format_t *format, const sample_number_t *sample,
                           reference_t *scratch) {
  uint64_t lower = reference_lower(format, sample->value, scratch);
  position_t position = reference_position(format, lower, sample->value, scratch);
  bool is_below_all = mpfr_less_p(sample->value, scratch->lower);
  for (int negative = 0; negative <= (reference_has_sign(format) ? 1 : 0); negative++) {
    number_t number = sample->number;
    number.negative = negative;
    for (size_t i = 0; i < G_N_ELEMENTS(reference_roundings); i++) {
      for (int overflow = OVERFLOW_FORMAT; overflow <= OVERFLOW_SATURATE; overflow++) {
        rounding_t rounding = reference_roundings[i];
        uint64_t expected = is_below_all ? 0
                                         : reference_round(format, lower, position, negative,
                                                           rounding, (overflow_t)overflow);
        uint64_t bits = format_encode(format, number, rounding, (overflow_t)overflow);
        if (bits == expected) continue;
        g_test_fail_printf("%s: %" PRIx64 "%s * 2^%d, sign %d, rounding %d, overflow %d: %" PRIx64
                           " instead of %" PRIx64,
                           format->name, number.significand, number.sticky ? "+t" : "",
                           number.exponent, negative, (int)rounding, overflow, bits, expected);
        return;
      }
    }
    double value = mpfr_get_d(sample->value, MPFR_RNDN);
    if (mpfr_cmp_d(sample->value, value) != 0) continue;
    uint64_t nearest = is_below_all ? 0
                                    : reference_round(format, lower, position, negative,
                                                      ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
    check_through_double(format, negative ? -value : value, nearest, scratch);
  }
}

/* All around `magnitude` and around the middle between it and the next one. */
static void check_gap(const format_t *format, uint64_t magnitude, sample_number_t *sample,
                      mpfr_t center, reference_t *scratch) {
  mpfr_t upper;
  mpfr_init2(upper, REFERENCE_PRECISION);
  for (int is_middle = 0; is_middle <= 1; is_middle++) {
    reference_value(format, magnitude, center);
    if (is_middle) {
      reference_value(format, magnitude + 1, upper);
      mpfr_add(center, center, upper, MPFR_RNDN);
      mpfr_div_2ui(center, center, 1, MPFR_RNDN);
    }
    if (mpfr_zero_p(center)) continue;
    for (int side = -1; side <= 1; side++) {
      sample_beside(sample, center, side);
      check_rounding(format, sample, scratch);
    }
    double beside[] = {nextafter(mpfr_get_d(center, MPFR_RNDN), INFINITY),
                       nextafter(mpfr_get_d(center, MPFR_RNDN), 0)};
    for (size_t i = 0; i < G_N_ELEMENTS(beside); i++) {
      if (!isfinite(beside[i]) || beside[i] == 0) continue;
      mpfr_set_d(center, beside[i], MPFR_RNDN);
      sample_beside(sample, center, 0);
      check_rounding(format, sample, scratch);
    }
  }
  mpfr_clear(upper);
}

static void test_gaps(gconstpointer data) {
  const format_t *format = data;
  GArray *magnitudes = reference_sample(format);
  reference_t scratch;
  sample_number_t sample;
  mpfr_t center;
  reference_init(&scratch);
  mpfr_inits2(REFERENCE_PRECISION, sample.value, center, (mpfr_ptr)NULL);
  for (guint i = 0; i < magnitudes->len && !g_test_failed(); i++) {
    check_gap(format, g_array_index(magnitudes, uint64_t, i), &sample, center, &scratch);
  }
  mpfr_clears(sample.value, center, (mpfr_ptr)NULL);
  reference_deinit(&scratch);
  g_array_unref(magnitudes);
}

/* Random significands and exponents, and numbers far outside the range. */
static void test_random(gconstpointer data) {
  const format_t *format = data;
  rng_t rng = rng_make(0x5eed);
  reference_t scratch;
  sample_number_t sample;
  reference_init(&scratch);
  mpfr_init2(sample.value, REFERENCE_PRECISION);
  for (int i = 0; i < 2000 && !g_test_failed(); i++) {
    uint64_t significand = rng_bits(&rng) | UINT64_C(1) << 63;
    bool sticky = rng_one_in(&rng, 2);
    if (!sticky) significand >>= rng_below(&rng, 64);
    int64_t binade =
        rng_between(&rng, format->exponent_min - format->precision - 3, format->exponent_max + 3);
    if (rng_one_in(&rng, 8)) binade = rng_between(&rng, -100000, 100000);
    sample_set(&sample, significand, (int)binade - 63 + __builtin_clzll(significand), sticky);
    check_rounding(format, &sample, &scratch);
  }
  mpfr_clear(sample.value);
  reference_deinit(&scratch);
}

/* encode(decode(bits)) == bits, and every pattern through binary64 and back. */
static void test_round_trip(gconstpointer data) {
  const format_t *format = data;
  GArray *magnitudes = reference_sample(format);
  reference_t scratch;
  reference_init(&scratch);
  for (guint i = 0; i < 2 * magnitudes->len; i++) {
    uint64_t magnitude = g_array_index(magnitudes, uint64_t, i / 2);
    bool negative = i % 2 == 1 && reference_has_sign(format);
    uint64_t bits = reference_signed(format, negative, magnitude);
    if (reference_kind(format, bits) == NUMBER_NAN) continue;
    for (size_t j = 0; j < G_N_ELEMENTS(reference_roundings); j++) {
      uint64_t encoded = format_encode(format, format_decode(format, bits), reference_roundings[j],
                                       OVERFLOW_FORMAT);
      g_assert_cmphex(encoded, ==, bits);
    }
    double value = format_to_double(format, bits);
    g_assert_true(same_double(value, reference_double(format, bits, &scratch)));
    check_through_double(format, value, bits, &scratch);
  }
  reference_deinit(&scratch);
  g_array_unref(magnitudes);
}

/* What infinity, NaN and the zeros become. */
static void test_specials(gconstpointer data) {
  const format_t *format = data;
  bool has_sign = reference_has_sign(format);
  bool has_negative_zero = has_sign && format->specials != FORMAT_NAN_MINUS_ZERO;
  for (int negative = 0; negative <= 1; negative++) {
    number_t number = {.kind = NUMBER_ZERO, .negative = negative};
    uint64_t zero = reference_signed(format, negative && has_negative_zero, 0);
    g_assert_cmphex(format_encode(format, number, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT), ==,
                    zero);
    g_assert_cmphex(format_from_double(format, negative ? -0.0 : 0.0), ==, zero);

    number.kind = NUMBER_NAN;
    uint64_t nan = format_encode(format, number, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
    g_assert_cmpint(format_is_nan(format, nan), ==, format_has_nan(format));
    bool has_signed_nan =
        format->specials == FORMAT_IEEE || format->specials == FORMAT_NAN_ALL_ONES;
    g_assert_cmpint(format_is_negative(format, nan), ==, negative && has_signed_nan);
    g_assert_cmphex(format_from_double(format, negative ? -(double)NAN : (double)NAN), ==, nan);
    if (!format_has_nan(format)) g_assert_cmphex(nan, ==, 0);

    number.kind = NUMBER_INFINITY;
    for (int overflow = OVERFLOW_FORMAT; overflow <= OVERFLOW_SATURATE; overflow++) {
      uint64_t expected =
          negative && !has_sign ? nan : reference_infinity(format, negative, (overflow_t)overflow);
      for (size_t i = 0; i < G_N_ELEMENTS(reference_roundings); i++) {
        g_assert_cmphex(format_encode(format, number, reference_roundings[i], (overflow_t)overflow),
                        ==, expected);
      }
    }
    uint64_t infinity =
        negative && !has_sign ? nan : reference_infinity(format, negative, OVERFLOW_FORMAT);
    g_assert_cmphex(format_from_double(format, negative ? -INFINITY : INFINITY), ==, infinity);
  }
}

/* A negative number has no place in a format without sign. */
static void test_negative_unsigned(void) {
  for (int i = 0; i < FORMAT_COUNT; i++) {
    const format_t *format = &format_table[i];
    if (reference_has_sign(format)) continue;
    g_assert_true(format_is_nan(format, format_from_double(format, -1)));
    g_assert_true(format_is_nan(format, format_from_double(format, -0x1p-1000)));
    g_assert_true(isnan(format_round_double(format, -3)));
  }
}

/* NaNs with any payload, signalling ones too, decode to a quiet binary64 NaN of the same sign. */
static void test_nan_to_double(gconstpointer data) {
  const format_t *format = data;
  uint64_t candidates[] = {format->largest_bits + 1, format->largest_bits + 2,
                           reference_magnitudes(format) - 1, reference_magnitudes(format)};
  for (size_t i = 0; i < 2 * G_N_ELEMENTS(candidates); i++) {
    uint64_t bits = candidates[i / 2] | (i % 2 == 1 ? reference_magnitudes(format) : 0);
    bool is_pattern = bits <= (UINT64_MAX >> (64 - format->bits));
    if (!is_pattern || reference_kind(format, bits) != NUMBER_NAN) continue;
    double value = format_to_double(format, bits);
    uint64_t value_bits;
    memcpy(&value_bits, &value, sizeof value_bits);
    uint64_t sign = reference_is_negative(format, bits) ? UINT64_C(1) << 63 : 0;
    g_assert_cmphex(value_bits, ==, sign | UINT64_C(0x7ff8000000000000));
  }
}

static uint64_t reference_convert(const format_t *from, const format_t *to, uint64_t bits,
                                  rounding_t rounding, reference_t *scratch, mpfr_t value) {
  number_t number = {.kind = reference_kind(from, bits),
                     .negative = reference_is_negative(from, bits)};
  if (number.kind != NUMBER_FINITE) return format_encode(to, number, rounding, OVERFLOW_FORMAT);
  if (number.negative && !reference_has_sign(to)) return reference_magnitudes(to) - 1;
  reference_value(from, bits % reference_magnitudes(from), value);
  uint64_t lower = reference_lower(to, value, scratch);
  position_t position = reference_position(to, lower, value, scratch);
  if (mpfr_less_p(value, scratch->lower)) return 0;
  return reference_round(to, lower, position, number.negative, rounding, OVERFLOW_FORMAT);
}

/* Every pattern of every small format into every small format. */
static void test_convert(gconstpointer data) {
  const format_t *from = data;
  if (from->bits > 8) return; /* Random numbers stand for it. */
  reference_t scratch;
  mpfr_t value;
  reference_init(&scratch);
  mpfr_init2(value, REFERENCE_PRECISION);
  for (int i = 0; i < FORMAT_COUNT; i++) {
    const format_t *to = &format_table[i];
    if (to->bits > 8) continue;
    for (uint64_t bits = 0; bits < UINT64_C(1) << from->bits; bits++) {
      for (size_t j = 0; j < G_N_ELEMENTS(reference_roundings); j++) {
        uint64_t expected =
            reference_convert(from, to, bits, reference_roundings[j], &scratch, value);
        g_assert_cmphex(format_convert(from, to, bits, reference_roundings[j]), ==, expected);
      }
    }
  }
  mpfr_clear(value);
  reference_deinit(&scratch);
}

/* The thresholds as published (StableHLO's formats in APFloat): the smallest number that overflows,
 * or the largest that does not, and what either becomes. */
typedef struct threshold {
  const char *name;
  double value;
  double rounded;
} threshold_t;

static const threshold_t thresholds[] = {
    {"f4E2M1FN", 1e30, 6},
    {"f6E2M3FN", 1e30, 7.5},
    {"f6E3M2FN", -1e30, -28},
    {"f8E3M4", 15.75, INFINITY},
    {"f8E4M3", 248, INFINITY},
    {"f8E4M3", 247.9, 240},
    {"f8E4M3FN", 464, 448},
    {"f8E4M3FN", 464.1, NAN},
    {"f8E4M3FNUZ", 248, NAN},
    {"f8E4M3FNUZ", -0x1p-20, 0},
    {"f8E4M3B11FNUZ", 31, NAN},
    {"f8E5M2", 61440, INFINITY},
    {"f8E5M2", -61440, -INFINITY},
    {"f8E5M2FNUZ", 61440, NAN},
    {"f8E8M0FNU", 1.5, 2},
    {"f8E8M0FNU", 3, 4},
    {"f8E8M0FNU", 0, 0x1p-127},
    {"f16", 65520, INFINITY},
    {"f16", 65519.99, 65504},
    {"bf16", 0x1.ffp127, INFINITY},
    {"tf32", 0x1.ffep127, INFINITY},
    {"f32", 0x1.ffffffp127, INFINITY},
    {"f32", 0x1.fffffefffffffp127, 0x1.fffffep127},
};

static void test_thresholds(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(thresholds); i++) {
    const format_t *format = format_find(str_from(thresholds[i].name));
    double rounded = format_round_double(format, thresholds[i].value);
    g_assert_true(same_double(rounded, thresholds[i].rounded));
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rounding/thresholds", test_thresholds);
  g_test_add_func("/rounding/negative_unsigned", test_negative_unsigned);
  reference_add_tests("/rounding/specials", test_specials);
  reference_add_tests("/rounding/nan_to_double", test_nan_to_double);
  reference_add_tests("/rounding/round_trip", test_round_trip);
  reference_add_tests("/rounding/convert", test_convert);
  reference_add_tests("/rounding/random", test_random);
  reference_add_tests("/rounding/gaps", test_gaps);
  return g_test_run();
}
