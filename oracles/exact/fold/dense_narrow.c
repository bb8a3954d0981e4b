/* SPDX-License-Identifier: Apache-2.0 */
/* Sequential sums and dot products of bf16 and f16, carried in binary64: each operation of binary64
 * is rounded to the format in integer arithmetic, in loops that compilers turn into vector code.
 * All instruction sets give the same bits. */
#include "oracles/exact/fold/dense_narrow.h"

#include <math.h>
#include <string.h>

#include "harness/num/binary64.h"
#include "harness/num/element_value.h"
#include "oracles/exact/instruction_sets.h"

/* A format as constants of the lanes. */
typedef struct narrow {
  int drop;           /* Fraction bits of binary64 that the format lacks. */
  uint64_t half_less; /* Half a unit in the last place, less 1: in patterns of binary64. */
  uint64_t kept;      /* All bits but those that it lacks. */
  uint64_t smallest;  /* The smallest normal number. */
  uint64_t largest;   /* The largest number; beyond it there is infinity. */
  double anchor;      /* 1.5 * 2^52 smallest numbers of the format. */
} narrow_t;

static narrow_t narrow_make(const format_t *format) {
  int drop = BINARY64_FRACTION_BITS - (format->precision - 1);
  uint64_t unit = UINT64_C(1) << drop;
  int least = format->exponent_min - (format->precision - 1);
  return (narrow_t){.drop = drop,
                    .half_less = unit / 2 - 1,
                    .kept = ~(unit - 1),
                    .smallest = binary64_bits(binary64_power(format->exponent_min)),
                    .largest = binary64_bits(format_to_double(format, format->largest_bits)),
                    .anchor = 1.5 * binary64_power(least + BINARY64_FRACTION_BITS)};
}

/* format_round_double() without decisions. */
INLINE double round_narrow(narrow_t to, double value) {
  uint64_t bits = binary64_bits(value), sign = bits & BINARY64_SIGN, magnitude = bits ^ sign;
  uint64_t rounded = (magnitude + to.half_less + (magnitude >> to.drop & 1)) & to.kept;
  rounded = rounded > to.largest ? BINARY64_EXPONENT_FIELD : rounded;
  uint64_t multiple = binary64_bits((binary64_value(magnitude) + to.anchor) - to.anchor);
  rounded = magnitude < to.smallest ? multiple : rounded;
  rounded = magnitude > BINARY64_EXPONENT_FIELD ? magnitude : rounded; /* NaN. */
  return binary64_value(rounded | sign);
}

/* One row of DENSE_LANES results. */
INLINE void dot_block(narrow_t to, bool starts_with_term, const dense_dot_t *dot,
                      const double *restrict lhs, const double *restrict rhs,
                      double *restrict result) {
  const size_t terms = dot->terms, columns = dot->columns;
  double sum[DENSE_LANES] = {0};
  size_t term = 0;
  if (starts_with_term && terms > 0) {
    for (int lane = 0; lane < DENSE_LANES; lane++) sum[lane] = round_narrow(to, lhs[0] * rhs[lane]);
    term = 1;
  }
  for (; term < terms; term++) {
    const double *row = rhs + term * columns;
    for (int lane = 0; lane < DENSE_LANES; lane++) {
      sum[lane] = round_narrow(to, sum[lane] + round_narrow(to, lhs[term] * row[lane]));
    }
  }
  for (int lane = 0; lane < DENSE_LANES; lane++) result[lane] = sum[lane];
}

INLINE void dot_all(narrow_t to, bool starts_with_term, const dense_dot_t *dot, const double *lhs,
                    const double *rhs, double *result) {
  for (size_t row = 0; row < dot->rows; row++) {
    for (size_t column = 0; column < dot->columns; column += DENSE_LANES) {
      dot_block(to, starts_with_term, dot, lhs + row * dot->terms, rhs + column,
                result + row * dot->columns + column);
    }
  }
}

/* What each sum starts with: its first term, if it has one, or a value. */
typedef struct sum_start {
  bool is_term;
  double value;
} sum_start_t;

/* DENSE_LANES sums at once; `base` tells where the terms of each begin. */
INLINE void sum_block(narrow_t to, sum_start_t start, const dense_sum_t *sum,
                      const size_t *restrict base, const double *restrict data,
                      double *restrict out_sums) {
  double sums[DENSE_LANES];
  size_t term = 0;
  for (int lane = 0; lane < DENSE_LANES; lane++) sums[lane] = start.value;
  if (start.is_term && sum->terms > 0) {
    for (int lane = 0; lane < DENSE_LANES; lane++) {
      sums[lane] = data[base[lane] + sum->term_offset[0]];
    }
    term = 1;
  }
  for (; term < sum->terms; term++) {
    const double *terms = data + sum->term_offset[term];
    for (int lane = 0; lane < DENSE_LANES; lane++) {
      sums[lane] = round_narrow(to, sums[lane] + terms[base[lane]]);
    }
  }
  for (int lane = 0; lane < DENSE_LANES; lane++) out_sums[lane] = sums[lane];
}

INLINE void sum_all(narrow_t to, sum_start_t start, const dense_sum_t *sum, const double *data,
                    double *result) {
  for (size_t output = 0; output < sum->outputs; output += DENSE_LANES) {
    size_t base[DENSE_LANES], left = sum->outputs - output;
    size_t count = left < DENSE_LANES ? left : DENSE_LANES;
    for (size_t lane = 0; lane < DENSE_LANES; lane++) { /* The last output fills spare lanes. */
      base[lane] = sum->output_base[output + (lane < count ? lane : count - 1)];
    }
    double sums[DENSE_LANES];
    sum_block(to, start, sum, base, data, sums);
    memcpy(result + output, sums, count * sizeof *result);
  }
}

#if HAS_TARGETS
TARGET_AVX512 static void sum_avx512(narrow_t to, sum_start_t start, const dense_sum_t *sum,
                                     const double *data, double *result) {
  sum_all(to, start, sum, data, result);
}

TARGET_AVX2 static void sum_avx2(narrow_t to, sum_start_t start, const dense_sum_t *sum,
                                 const double *data, double *result) {
  sum_all(to, start, sum, data, result);
}

TARGET_AVX512 static void dot_avx512(narrow_t to, bool starts_with_term, const dense_dot_t *dot,
                                     const double *lhs, const double *rhs, double *result) {
  dot_all(to, starts_with_term, dot, lhs, rhs, result);
}

TARGET_AVX2 static void dot_avx2(narrow_t to, bool starts_with_term, const dense_dot_t *dot,
                                 const double *lhs, const double *rhs, double *result) {
  dot_all(to, starts_with_term, dot, lhs, rhs, result);
}
#endif

bool dense_narrow_applies(const fold_t *fold) {
  const format_t *format = fold->element->format;
  bool is_narrow = format == &format_table[FORMAT_bf16] || format == &format_table[FORMAT_f16];
  return is_narrow && fold->element->kind == ELEMENT_FLOAT && !fold->fused &&
         fold->body == FOLD_ADD && fold->schedule->order.kind == SUM_SEQUENTIAL &&
         !fold->schedule->compensated && fold->schedule->fault == FAULT_NONE &&
         fold->arithmetic.format == format;
}

void dense_narrow_dot(const fold_t *fold, const dense_dot_t *dot, const double *lhs,
                      const double *rhs, double *result) {
  const narrow_t to = narrow_make(fold->element->format);
  const bool starts_with_term = fold->init_count == 0;
#if HAS_TARGETS
  if (instruction_set() == ISA_AVX512) {
    dot_avx512(to, starts_with_term, dot, lhs, rhs, result);
    return;
  }
  if (instruction_set() == ISA_AVX2) {
    dot_avx2(to, starts_with_term, dot, lhs, rhs, result);
    return;
  }
#endif
  dot_all(to, starts_with_term, dot, lhs, rhs, result);
}

void dense_narrow_sum(const fold_t *fold, const dense_sum_t *sum, const double *data, double init,
                      double *result) {
  const narrow_t to = narrow_make(fold->element->format);
  sum_start_t start = {.is_term = fold->init_count == 0, .value = init};
  for (uint32_t i = 1; i < fold->init_count; i++) {
    start.value = round_narrow(to, start.value + init);
  }
#if HAS_TARGETS
  if (instruction_set() == ISA_AVX512) {
    sum_avx512(to, start, sum, data, result);
    return;
  }
  if (instruction_set() == ISA_AVX2) {
    sum_avx2(to, start, sum, data, result);
    return;
  }
#endif
  sum_all(to, start, sum, data, result);
}

void dense_narrow_load(const tensor_t *operand, size_t count, double *out) {
  for (size_t i = 0; i < count; i++) {
    out[i] = element_load_float(operand->type.element, operand->data, i);
  }
}

void dense_narrow_store(const fold_t *fold, const double *results, size_t count, size_t first,
                        uint8_t *out_data) {
  const element_t *element = fold->element;
  for (size_t i = 0; i < count; i++) {
    double value = isnan(results[i]) ? (double)NAN : results[i];
    element_store(element, out_data, first + i, format_from_double(element->format, value));
  }
}
