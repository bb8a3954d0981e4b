/* SPDX-License-Identifier: Apache-2.0 */
/* Lowest bits of rows and columns in vector loops, against a loop over one number at a time. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "harness/base/rng.h"
#include "harness/num/binary64.h"
#include "oracles/exact/matmul/lowest_bits.h"

enum { ROWS_MAX = 19, COLUMNS_MAX = 21, MATRICES = 4000 };

/* All patterns, and numbers of few bits; now and then zeros, NaN and infinities. */
static double draw_f64(rng_t *rng) {
  uint64_t bits = rng_bits(rng);
  uint64_t kept = rng_bits(rng) << rng_below(rng, 64);
  double value = binary64_value(bits & (kept | BINARY64_SIGN | BINARY64_EXPONENT_FIELD));
  switch (rng_below(rng, 8)) {
    case 0:
      return rng_one_in(rng, 2) ? 0 : -0.0;
    case 1:
      return rng_one_in(rng, 2) ? (double)NAN : -(double)INFINITY;
    case 2: /* Subnormal. */
      return binary64_value(bits & kept & ~BINARY64_EXPONENT_FIELD);
    case 3:
      return (double)(int64_t)rng_between(rng, -8, 8);
    default:
      return value;
  }
}

static float draw_f32(rng_t *rng) {
  uint32_t bits = (uint32_t)rng_bits(rng) & (uint32_t)(rng_bits(rng) << rng_below(rng, 32));
  float value;
  memcpy(&value, &bits, sizeof value);
  return rng_one_in(rng, 4) ? (float)rng_between(rng, -8, 8) : value;
}

static double plainly(double least, double number) {
  if (number == 0 || !isfinite(number)) return least;
  return fmin(least, binary64_power(binary64_lowest_bit(number)));
}

static size_t check(const double *numbers, const float *floats, size_t rows, size_t columns) {
  double of_columns[COLUMNS_MAX], of_float_columns[COLUMNS_MAX];
  size_t known = 0;
  lowest_bits_of_columns_f64(numbers, rows, columns, of_columns);
  lowest_bits_of_columns_f32(floats, rows, columns, of_float_columns);
  for (size_t j = 0; j < columns; j++) {
    double least = INFINITY, least_float = INFINITY;
    for (size_t i = 0; i < rows; i++) {
      least = plainly(least, numbers[i * columns + j]);
      least_float = plainly(least_float, (double)floats[i * columns + j]);
    }
    g_assert_cmpfloat(of_columns[j], ==, least);
    g_assert_cmpfloat(of_float_columns[j], ==, least_float);
    known += isfinite(least) != 0;
  }
  for (size_t i = 0; i < rows; i++) {
    double least = INFINITY, least_float = INFINITY;
    for (size_t j = 0; j < columns; j++) {
      least = plainly(least, numbers[i * columns + j]);
      least_float = plainly(least_float, (double)floats[i * columns + j]);
    }
    g_assert_cmpfloat(lowest_bits_of_row_f64(numbers + i * columns, columns), ==, least);
    g_assert_cmpfloat(lowest_bits_of_row_f32(floats + i * columns, columns), ==, least_float);
  }
  return known;
}

static void test_drawn(void) {
  rng_t rng = rng_make(17);
  size_t known = 0;
  for (int matrix = 0; matrix < MATRICES; matrix++) {
    double numbers[ROWS_MAX * COLUMNS_MAX];
    float floats[ROWS_MAX * COLUMNS_MAX];
    size_t rows = rng_below(&rng, ROWS_MAX + 1), columns = rng_below(&rng, COLUMNS_MAX + 1);
    for (size_t i = 0; i < rows * columns; i++) numbers[i] = draw_f64(&rng);
    for (size_t i = 0; i < rows * columns; i++) floats[i] = draw_f32(&rng);
    known += check(numbers, floats, rows, columns);
  }
  g_assert_cmpuint(known, >, MATRICES);
}

/* Every place of the lowest bit, alone and beneath others. */
static void test_each_bit(void) {
  for (int bit = -1074; bit <= 1023; bit++) {
    double power = binary64_power(bit), more = bit <= 1020 ? 7 * power : power;
    const double numbers[] = {power, -power, more, 0, -more};
    g_assert_cmpfloat(lowest_bits_of_row_f64(numbers, 1), ==, power);
    g_assert_cmpfloat(lowest_bits_of_row_f64(numbers + 1, 1), ==, power);
    g_assert_cmpfloat(lowest_bits_of_row_f64(numbers + 2, 3), ==, power);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/lowest_bits/drawn", test_drawn);
  g_test_add_func("/lowest_bits/each-bit", test_each_bit);
  return g_test_run();
}
