/* SPDX-License-Identifier: Apache-2.0 */
/* Float formats a second time, by definition and in MPFR, to test harness/num against: a
 * magnitude's value comes from the formula of IEEE 754 clause 3.4, and rounding picks between the
 * two neighbours by comparing distances.  Nothing here shifts significands. */
#ifndef ASSAY_TESTS_NUM_FORMAT_REFERENCE_H
#define ASSAY_TESTS_NUM_FORMAT_REFERENCE_H

#include <glib.h>
#include <mpfr.h>

#include "harness/base/rng.h"
#include "harness/num/format.h"

enum { REFERENCE_PRECISION = 256, EXHAUSTIVE_BITS_MAX = 16 };

/* Where a number lies between its neighbours. */
typedef enum position { AT_LOWER, BELOW_MIDDLE, AT_MIDDLE, ABOVE_MIDDLE } position_t;

static const rounding_t reference_roundings[] = {ROUNDING_NEAREST_EVEN, ROUNDING_NEAREST_AWAY,
                                                 ROUNDING_TOWARD_ZERO,  ROUNDING_UP,
                                                 ROUNDING_DOWN,         ROUNDING_ODD};

typedef struct reference {
  mpfr_t lower, upper, middle;
} reference_t;

static inline void reference_init(reference_t *reference) {
  mpfr_inits2(REFERENCE_PRECISION, reference->lower, reference->upper, reference->middle,
              (mpfr_ptr)NULL);
}

static inline void reference_deinit(reference_t *reference) {
  mpfr_clears(reference->lower, reference->upper, reference->middle, (mpfr_ptr)NULL);
}

static inline bool reference_has_sign(const format_t *format) {
  return format->specials != FORMAT_EXPONENT_ONLY;
}

/* Number of magnitude patterns: those without the sign bit. */
static inline uint64_t reference_magnitudes(const format_t *format) {
  return UINT64_C(1) << (format->bits - (reference_has_sign(format) ? 1 : 0));
}

static inline uint64_t reference_signed(const format_t *format, bool negative, uint64_t magnitude) {
  return negative ? reference_magnitudes(format) + magnitude : magnitude;
}

/* The value of a magnitude, as if no pattern were special; also of the one after the last. */
static inline void reference_value(const format_t *format, uint64_t magnitude, mpfr_t out_value) {
  uint64_t scale = UINT64_C(1) << (format->precision - 1);
  uint64_t field = magnitude / scale;
  uint64_t fraction = magnitude % scale;
  bool has_subnormals = format->specials != FORMAT_EXPONENT_ONLY;
  bool is_subnormal = has_subnormals && field == 0;
  long exponent = (is_subnormal ? 1 : (long)field) - format->exponent_bias;
  mpfr_set_ui(out_value, fraction, MPFR_RNDN);
  mpfr_div_ui(out_value, out_value, scale, MPFR_RNDN);
  if (!is_subnormal) mpfr_add_ui(out_value, out_value, 1, MPFR_RNDN);
  mpfr_mul_2si(out_value, out_value, exponent, MPFR_RNDN);
}

static inline number_kind_t reference_kind(const format_t *format, uint64_t bits) {
  uint64_t magnitudes = reference_magnitudes(format);
  uint64_t magnitude = bits % magnitudes;
  uint64_t binade = UINT64_C(1) << (format->precision - 1);
  if (format->specials == FORMAT_IEEE && magnitude >= magnitudes - binade) {
    return magnitude == magnitudes - binade ? NUMBER_INFINITY : NUMBER_NAN;
  }
  bool nan_is_all_ones =
      format->specials == FORMAT_NAN_ALL_ONES || format->specials == FORMAT_EXPONENT_ONLY;
  if (nan_is_all_ones && magnitude == magnitudes - 1) return NUMBER_NAN;
  if (format->specials == FORMAT_NAN_MINUS_ZERO && bits == magnitudes) return NUMBER_NAN;
  bool is_zero = reference_has_sign(format) && magnitude == 0;
  return is_zero ? NUMBER_ZERO : NUMBER_FINITE;
}

static inline bool reference_is_negative(const format_t *format, uint64_t bits) {
  bool is_unsigned_nan =
      format->specials == FORMAT_NAN_MINUS_ZERO && reference_kind(format, bits) == NUMBER_NAN;
  return bits >= reference_magnitudes(format) && !is_unsigned_nan;
}

static inline uint64_t reference_largest(const format_t *format) {
  uint64_t magnitude = reference_magnitudes(format) - 1;
  while (reference_kind(format, magnitude) != NUMBER_FINITE) {
    magnitude = format->specials == FORMAT_IEEE
                    ? reference_magnitudes(format) - (UINT64_C(1) << (format->precision - 1)) - 1
                    : magnitude - 1;
  }
  return magnitude;
}

/* The largest finite magnitude at or below the positive `value`; 0 if there is none. */
static inline uint64_t reference_lower(const format_t *format, const mpfr_t value,
                                       reference_t *scratch) {
  uint64_t low = 0;
  uint64_t high = reference_largest(format);
  while (low < high) {
    uint64_t middle = low + (high - low + 1) / 2;
    reference_value(format, middle, scratch->middle);
    if (mpfr_lessequal_p(scratch->middle, value)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/* Position of `value` above magnitude `lower`, which is the largest one at or below it. */
static inline position_t reference_position(const format_t *format, uint64_t lower,
                                            const mpfr_t value, reference_t *scratch) {
  reference_value(format, lower, scratch->lower);
  if (mpfr_equal_p(value, scratch->lower)) return AT_LOWER;
  reference_value(format, lower + 1, scratch->upper);
  mpfr_add(scratch->middle, scratch->lower, scratch->upper, MPFR_RNDN);
  mpfr_div_2ui(scratch->middle, scratch->middle, 1, MPFR_RNDN);
  int sign = mpfr_cmp(value, scratch->middle);
  return sign < 0 ? BELOW_MIDDLE : sign == 0 ? AT_MIDDLE : ABOVE_MIDDLE;
}

/* Infinity of that sign, or what the format has in its place. */
static inline uint64_t reference_infinity(const format_t *format, bool negative,
                                          overflow_t overflow) {
  uint64_t magnitudes = reference_magnitudes(format);
  uint64_t largest = reference_signed(format, negative, reference_largest(format));
  if (overflow == OVERFLOW_SATURATE) return largest;
  switch (format->specials) {
    case FORMAT_IEEE: {
      uint64_t infinity = magnitudes - (UINT64_C(1) << (format->precision - 1));
      return reference_signed(format, negative, infinity);
    }
    case FORMAT_NAN_ALL_ONES:
      return reference_signed(format, negative, magnitudes - 1);
    case FORMAT_NAN_MINUS_ZERO:
      return magnitudes;
    case FORMAT_EXPONENT_ONLY:
      return magnitudes - 1;
    case FORMAT_FINITE:
      break;
  }
  return largest;
}

/* The pattern that a number above magnitude `lower` rounds to. */
static inline uint64_t reference_round(const format_t *format, uint64_t lower, position_t position,
                                       bool negative, rounding_t rounding, overflow_t overflow) {
  /* Two powers of two have no even one between them: ties go away from zero. */
  bool lower_is_odd = lower % 2 == 1 || format->specials == FORMAT_EXPONENT_ONLY;
  bool takes_upper = false;
  switch (rounding) {
    case ROUNDING_NEAREST_EVEN:
      takes_upper = position == ABOVE_MIDDLE || (position == AT_MIDDLE && lower_is_odd);
      break;
    case ROUNDING_NEAREST_AWAY:
      takes_upper = position >= AT_MIDDLE;
      break;
    case ROUNDING_TOWARD_ZERO:
      break;
    case ROUNDING_UP:
      takes_upper = !negative && position != AT_LOWER;
      break;
    case ROUNDING_DOWN:
      takes_upper = negative && position != AT_LOWER;
      break;
    case ROUNDING_ODD:
      takes_upper = position != AT_LOWER && !lower_is_odd && lower != reference_largest(format);
      break;
  }
  uint64_t magnitude = lower + (takes_upper ? 1 : 0);
  if (magnitude > reference_largest(format)) return reference_infinity(format, negative, overflow);
  bool has_negative_zero = format->specials != FORMAT_NAN_MINUS_ZERO;
  return reference_signed(format, negative && (magnitude != 0 || has_negative_zero), magnitude);
}

/* Finite magnitudes to test: all of a small format; of a large one the ends and the middle of every
 * binade, all around the largest and the subnormal border, and random ones. */
static inline GArray *reference_sample(const format_t *format) {
  GArray *sample = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  uint64_t largest = reference_largest(format);
  if (format->bits <= EXHAUSTIVE_BITS_MAX) {
    for (uint64_t magnitude = 0; magnitude <= largest; magnitude++) {
      g_array_append_val(sample, magnitude);
    }
    return sample;
  }
  rng_t rng = rng_make(format->bits);
  uint64_t binade = UINT64_C(1) << (format->precision - 1);
  for (uint64_t start = 0; start < largest; start += binade) {
    uint64_t offsets[] = {0,          1,          2,          binade / 2 - 1,
                          binade / 2, binade - 2, binade - 1, rng_below(&rng, binade)};
    for (size_t i = 0; i < G_N_ELEMENTS(offsets); i++) {
      uint64_t magnitude = start + offsets[i];
      g_array_append_val(sample, magnitude);
    }
  }
  for (uint64_t i = 0; i < 1000; i++) {
    uint64_t magnitudes[] = {i, largest - i, binade + i, binade - 1 - i,
                             rng_below(&rng, largest + 1)};
    g_array_append_vals(sample, magnitudes, G_N_ELEMENTS(magnitudes));
  }
  return sample;
}

/* Adds one test per format, "/PREFIX/NAME". */
static inline void reference_add_tests(const char *prefix, GTestDataFunc test) {
  for (int i = 0; i < FORMAT_COUNT; i++) {
    char *path = g_strdup_printf("%s/%s", prefix, format_table[i].name);
    g_test_add_data_func(path, &format_table[i], test);
    g_free(path);
  }
}

#endif
