/* SPDX-License-Identifier: Apache-2.0 */
/* Every operation of every format against its exact result in MPFR, rounded by the definition of
 * rounding: all pairs of the formats of 8 bits and less, hard pairs of the others. */
#include <math.h>

#include "oracles/exact/arithmetic.h"
#include "tests/num/format_reference.h"

enum {
  EXACT_PRECISION = 4400, /* Holds every sum and product of binary64 numbers. */
  DRAWS = 10000,
};

typedef enum operation { ADD, MULTIPLY, FUSED, ADD_TRUNCATED, MULTIPLY_TRUNCATED } operation_t;

typedef struct check {
  const format_t *format;
  reference_t reference;
  mpfr_t exact, term;
} check_t;

static void check_init(check_t *check, const format_t *format) {
  check->format = format;
  reference_init(&check->reference);
  mpfr_inits2(EXACT_PRECISION, check->exact, check->term, (mpfr_ptr)NULL);
}

static void check_deinit(check_t *check) {
  reference_deinit(&check->reference);
  mpfr_clears(check->exact, check->term, (mpfr_ptr)NULL);
}

/* What the operation gives in binary64: right as to NaN, infinities of operands and zero signs. */
static double in_binary64(operation_t operation, double a, double b, double c) {
  switch (operation) {
    case ADD:
    case ADD_TRUNCATED:
      return a + b;
    case MULTIPLY:
    case MULTIPLY_TRUNCATED:
      return a * b;
    case FUSED:
      break;
  }
  return a * b + c;
}

static uint64_t expected_bits(check_t *check, operation_t operation, double a, double b, double c) {
  const format_t *format = check->format;
  mpfr_set_d(check->exact, a, MPFR_RNDN);
  mpfr_set_d(check->term, b, MPFR_RNDN);
  bool is_sum = operation == ADD || operation == ADD_TRUNCATED;
  int inexact = is_sum ? mpfr_add(check->exact, check->exact, check->term, MPFR_RNDN)
                       : mpfr_mul(check->exact, check->exact, check->term, MPFR_RNDN);
  if (operation == FUSED) {
    mpfr_set_d(check->term, c, MPFR_RNDN);
    inexact |= mpfr_add(check->exact, check->exact, check->term, MPFR_RNDN);
  }
  g_assert_cmpint(inexact, ==, 0);
  bool negative = mpfr_signbit(check->exact) != 0;
  if (mpfr_zero_p(check->exact)) return format_from_double(format, negative ? -0.0 : 0.0);
  bool truncates = operation == ADD_TRUNCATED || operation == MULTIPLY_TRUNCATED;
  mpfr_abs(check->exact, check->exact, MPFR_RNDN);
  uint64_t lower = reference_lower(format, check->exact, &check->reference);
  position_t position = reference_position(format, lower, check->exact, &check->reference);
  rounding_t rounding = truncates ? ROUNDING_TOWARD_ZERO : ROUNDING_NEAREST_EVEN;
  return reference_round(format, lower, position, negative, rounding, OVERFLOW_FORMAT);
}

static double computed(const format_t *format, operation_t operation, double a, double b,
                       double c) {
  arithmetic_t arithmetic = arithmetic_make(format);
  arithmetic.truncate_additions = operation == ADD_TRUNCATED;
  arithmetic.truncate_products = operation == MULTIPLY_TRUNCATED;
  switch (operation) {
    case ADD:
    case ADD_TRUNCATED:
      return arithmetic_add(&arithmetic, a, b);
    case MULTIPLY:
    case MULTIPLY_TRUNCATED:
      return arithmetic_multiply(&arithmetic, a, b);
    case FUSED:
      break;
  }
  return arithmetic_fused(&arithmetic, a, b, c);
}

static void check_operation(check_t *check, operation_t operation, double a, double b, double c) {
  const format_t *format = check->format;
  double got = computed(format, operation, a, b, c);
  g_assert_true(isnan(got) || format_to_double(format, format_from_double(format, got)) == got);
  uint64_t got_bits = format_from_double(format, got);
  bool is_special = !isfinite(a) || !isfinite(b) || !isfinite(c);
  uint64_t expected = is_special ? format_from_double(format, in_binary64(operation, a, b, c))
                                 : expected_bits(check, operation, a, b, c);
  bool both_nan = format_is_nan(format, got_bits) && format_is_nan(format, expected);
  if (got_bits == expected || both_nan) return; /* The sign of a NaN is the host's affair. */
  g_test_message("%s operation %d of %a %a %a: %a, not %a", format->name, (int)operation, a, b, c,
                 got, format_to_double(format, expected));
  g_test_fail();
}

static void test_all_pairs(gconstpointer data) {
  check_t check;
  check_init(&check, data);
  uint64_t patterns = UINT64_C(1) << check.format->bits;
  rng_t rng = rng_make(patterns);
  for (uint64_t i = 0; i < patterns; i++) {
    double a = format_to_double(check.format, i);
    for (uint64_t j = i; j < patterns; j++) { /* Both operations are commutative. */
      double b = format_to_double(check.format, j);
      check_operation(&check, ADD, a, b, 0);
      check_operation(&check, MULTIPLY, a, b, 0);
      if (!rng_one_in(&rng, 16)) continue;
      double c = format_to_double(check.format, rng_below(&rng, patterns));
      check_operation(&check, FUSED, a, b, c);
      check_operation(&check, ADD_TRUNCATED, b, a, 0);
      check_operation(&check, MULTIPLY_TRUNCATED, b, a, 0);
    }
  }
  check_deinit(&check);
}

/* A number of the format with few bits set, or many, in binade `exponent` if there is one. */
static double draw_number(rng_t *rng, const format_t *format, int exponent) {
  uint64_t significand = rng_bits(rng) >> 11 | UINT64_C(1) << 52;
  int zeros = (int)rng_below(rng, 54);
  if (rng_one_in(rng, 2)) significand = significand >> zeros << zeros;
  if (rng_one_in(rng, 4)) significand |= ((UINT64_C(1) << zeros) - 1) >> 1;
  double value = ldexp((double)significand, exponent - 52);
  const arithmetic_t arithmetic = arithmetic_make(format);
  value = arithmetic_truncate(&arithmetic, value);
  return rng_one_in(rng, 2) ? -value : value;
}

static int draw_exponent(rng_t *rng, const format_t *format) {
  return (int)rng_between(rng, format->exponent_min - format->precision, format->exponent_max);
}

/* Exponents that make the low bits of one operand meet the rounding bit of the other, or overflow,
 * or underflow. */
static void test_hard_triples(gconstpointer data) {
  check_t check;
  check_init(&check, data);
  const format_t *format = data;
  int reach = format->precision + 3;
  rng_t rng = rng_make(format->bits);
  for (int draw = 0; draw < DRAWS; draw++) {
    int exponent = draw_exponent(&rng, format);
    double a = draw_number(&rng, format, exponent);
    double b = draw_number(&rng, format, exponent + (int)rng_between(&rng, -reach, reach));
    check_operation(&check, ADD, a, b, 0);
    check_operation(&check, ADD_TRUNCATED, a, b, 0);
    int product_exponent = draw_exponent(&rng, format) + (int)rng_between(&rng, -1, 1);
    double factor = draw_number(&rng, format, product_exponent - exponent);
    check_operation(&check, MULTIPLY, a, factor, 0);
    check_operation(&check, MULTIPLY_TRUNCATED, a, factor, 0);
    int far = 53 + reach; /* Where the addend is lost to binary64, but may break a tie. */
    int offset = (int)rng_between(&rng, rng_one_in(&rng, 2) ? -far : -reach, reach);
    double addend = draw_number(&rng, format, product_exponent + offset);
    if (isfinite(factor) && isfinite(addend)) {
      check_operation(&check, FUSED, a, factor, addend);
    }
  }
  check_deinit(&check);
}

/* The host's single precision, which f32 uses, against the way of the other formats. */
static void test_f32_is_like_the_others(void) {
  const format_t *f32 = &format_table[FORMAT_f32];
  const arithmetic_t arithmetic = arithmetic_make(f32);
  rng_t rng = rng_make(1);
  for (int draw = 0; draw < 1000000; draw++) {
    double a = format_to_double(f32, rng_bits(&rng) >> 32);
    double b = format_to_double(f32, rng_bits(&rng) >> 32);
    double sum = arithmetic_add(&arithmetic, a, b);
    double product = arithmetic_multiply(&arithmetic, a, b);
    g_assert_cmphex(format_from_double(f32, sum), ==, format_from_double(f32, a + b));
    g_assert_cmphex(format_from_double(f32, product), ==, format_from_double(f32, a * b));
  }
}

static void test_maximum_and_minimum(void) {
  static const struct {
    double a, b, maximum, minimum;
  } rows[] = {
      {1, 2, 2, 1},           {-1, -2, -1, -2},         {0.0, -0.0, 0.0, -0.0},
      {-0.0, 0.0, 0.0, -0.0}, {-0.0, -0.0, -0.0, -0.0}, {INFINITY, 1, INFINITY, 1},
      {NAN, 1, NAN, NAN},     {1, NAN, NAN, NAN},       {NAN, -INFINITY, NAN, NAN},
  };
  const format_t *f64 = &format_table[FORMAT_f64];
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_assert_cmphex(format_from_double(f64, arithmetic_maximum(rows[i].a, rows[i].b)), ==,
                    format_from_double(f64, rows[i].maximum));
    g_assert_cmphex(format_from_double(f64, arithmetic_minimum(rows[i].a, rows[i].b)), ==,
                    format_from_double(f64, rows[i].minimum));
  }
}

/* Against the definition: every number of the narrow format survives a rounding to the wide one. */
static void test_format_holds(void) {
  for (int i = 0; i < FORMAT_COUNT; i++) {
    for (int j = 0; j < FORMAT_COUNT; j++) {
      const format_t *narrow = &format_table[i];
      const format_t *wide = &format_table[j];
      if (narrow->bits > EXHAUSTIVE_BITS_MAX || wide->specials == FORMAT_EXPONENT_ONLY) continue;
      bool holds = true;
      for (uint64_t bits = 0; bits < UINT64_C(1) << narrow->bits; bits++) {
        double value = format_to_double(narrow, bits);
        if (isfinite(value)) holds &= format_round_double(wide, value) == value;
      }
      g_assert_cmpint(arithmetic_format_holds(wide, narrow), ==, holds);
    }
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (int i = 0; i < FORMAT_COUNT; i++) {
    const format_t *format = &format_table[i];
    if (format->specials == FORMAT_EXPONENT_ONLY) continue;
    bool is_small = format->bits <= 8;
    char *path = g_strdup_printf("/arithmetic/%s/%s", is_small ? "all" : "hard", format->name);
    g_test_add_data_func(path, format, is_small ? test_all_pairs : test_hard_triples);
    g_free(path);
  }
  g_test_add_func("/arithmetic/f32_is_like_the_others", test_f32_is_like_the_others);
  g_test_add_func("/arithmetic/maximum_and_minimum", test_maximum_and_minimum);
  g_test_add_func("/arithmetic/format_holds", test_format_holds);
  return g_test_run();
}
