/* SPDX-License-Identifier: Apache-2.0 */
/* A number less itself without its lowest set bit is a power of two; the fraction is 0 where the
 * number is a power of two.  Loops without decisions, compiled for the baseline and for AVX2. */
#include "oracles/exact/matmul/lowest_bits.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "harness/num/binary64.h"
#include "oracles/exact/instruction_sets.h"

enum { LANES = 8 };

/* Infinity of what is 0 or not finite. */
INLINE double lowest_power(double number) {
  const uint64_t fraction_mask = (UINT64_C(1) << BINARY64_FRACTION_BITS) - 1;
  uint64_t bits = binary64_bits(number);
  double power = fabs(number - binary64_value(bits & (bits - 1)));
  /* Its fraction is 0: the number is a power of two, or 0. */
  power = (bits & fraction_mask) == 0 ? fabs(number) : power;
  bool is_known = (power > 0) & (fabs(number) <= DBL_MAX);
  return is_known ? power : (double)INFINITY;
}

#define DEFINE_LOOPS(type, suffix)                                                           \
  INLINE void of_columns_##suffix(const type *restrict numbers, size_t rows, size_t columns, \
                                  double *restrict out) {                                    \
    for (size_t j = 0; j < columns; j++) out[j] = (double)INFINITY;                          \
    for (size_t i = 0; i < rows; i++) {                                                      \
      const type *row = numbers + i * columns;                                               \
      for (size_t j = 0; j < columns; j++) {                                                 \
        double power = lowest_power((double)row[j]);                                         \
        out[j] = power < out[j] ? power : out[j];                                            \
      }                                                                                      \
    }                                                                                        \
  }                                                                                          \
  INLINE double of_row_##suffix(const type *restrict numbers, size_t count) {                \
    double least[LANES];                                                                     \
    for (size_t lane = 0; lane < LANES; lane++) least[lane] = (double)INFINITY;              \
    size_t i = 0;                                                                            \
    for (; i + LANES <= count; i += LANES) {                                                 \
      for (size_t lane = 0; lane < LANES; lane++) {                                          \
        double power = lowest_power((double)numbers[i + lane]);                              \
        least[lane] = power < least[lane] ? power : least[lane];                             \
      }                                                                                      \
    }                                                                                        \
    for (; i < count; i++) least[0] = fmin(least[0], lowest_power((double)numbers[i]));      \
    for (size_t lane = 1; lane < LANES; lane++) least[0] = fmin(least[0], least[lane]);      \
    return least[0];                                                                         \
  }
DEFINE_LOOPS(double, f64)
DEFINE_LOOPS(float, f32)

#if HAS_TARGETS
#define DEFINE_CALLS(type, suffix)                                                       \
  TARGET_AVX2 static void of_columns_avx2_##suffix(const type *numbers, size_t rows,     \
                                                   size_t columns, double *out) {        \
    of_columns_##suffix(numbers, rows, columns, out);                                    \
  }                                                                                      \
  TARGET_AVX2 static double of_row_avx2_##suffix(const type *numbers, size_t count) {    \
    return of_row_##suffix(numbers, count);                                              \
  }                                                                                      \
  void lowest_bits_of_columns_##suffix(const type *numbers, size_t rows, size_t columns, \
                                       double *out) {                                    \
    if (instruction_set() != ISA_PLAIN) {                                                \
      of_columns_avx2_##suffix(numbers, rows, columns, out);                             \
    } else {                                                                             \
      of_columns_##suffix(numbers, rows, columns, out);                                  \
    }                                                                                    \
  }                                                                                      \
  double lowest_bits_of_row_##suffix(const type *numbers, size_t count) {                \
    return instruction_set() != ISA_PLAIN ? of_row_avx2_##suffix(numbers, count)         \
                                          : of_row_##suffix(numbers, count);             \
  }
#else
#define DEFINE_CALLS(type, suffix)                                                       \
  void lowest_bits_of_columns_##suffix(const type *numbers, size_t rows, size_t columns, \
                                       double *out) {                                    \
    of_columns_##suffix(numbers, rows, columns, out);                                    \
  }                                                                                      \
  double lowest_bits_of_row_##suffix(const type *numbers, size_t count) {                \
    return of_row_##suffix(numbers, count);                                              \
  }
#endif
DEFINE_CALLS(double, f64)
DEFINE_CALLS(float, f32)
