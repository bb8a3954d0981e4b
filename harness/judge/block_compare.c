/* SPDX-License-Identifier: Apache-2.0 */
/* Block kernels of the judge: loads, interval and pattern tests and error measures in branch-free
 * loops, compiled for the baseline and for AVX2. */
#include "harness/judge/block_compare.h"

#include <float.h>
#include <math.h>

#include "harness/base/instruction_set.h"
#include "harness/num/binary64.h"

/* Independent maxima, so that they can live in the lanes of vector registers. */
enum { LANES = 8 };

/* The loops below exist twice, for the machine's baseline and for AVX2: KERNEL functions are
 * inlined into both. */
#define KERNEL static inline __attribute__((always_inline))

/* One loop per width of a component, so that loads have a constant size. */
#define DEFINE_LOAD(bytes, word_t)                                                               \
  KERNEL void load_##bytes(const uint8_t *restrict data, size_t count, uint64_t *restrict out) { \
    for (size_t i = 0; i < count; i++) {                                                         \
      word_t word;                                                                               \
      memcpy(&word, data + i * sizeof word, sizeof word);                                        \
      out[i] = word;                                                                             \
    }                                                                                            \
  }
DEFINE_LOAD(1, uint8_t)
DEFINE_LOAD(2, uint16_t)
DEFINE_LOAD(4, uint32_t)
DEFINE_LOAD(8, uint64_t)

KERNEL void load_patterns(const element_t *element, const uint8_t *data, size_t count,
                          uint64_t *out_bits) {
  switch (element->component_bytes) {
    case 1:
      load_1(data, count, out_bits);
      break;
    case 2:
      load_2(data, count, out_bits);
      break;
    case 4:
      load_4(data, count, out_bits);
      break;
    default: /* Tensor elements have no other width. */
      load_8(data, count, out_bits);
      break;
  }
}

KERNEL void widen_f32(const uint8_t *restrict data, size_t count, double *restrict out_value) {
  for (size_t i = 0; i < count; i++) {
    float value;
    memcpy(&value, data + i * sizeof value, sizeof value);
    out_value[i] = (double)value;
  }
}

KERNEL void load_values(const element_t *element, const uint8_t *data, size_t count,
                        double *out_value) {
  if (element->format == &format_table[FORMAT_f32]) {
    widen_f32(data, count, out_value);
  } else if (element->format == &format_table[FORMAT_f64]) {
    memcpy(out_value, data, count * sizeof *out_value);
  } else {
    uint64_t bits[COMPONENT_BLOCK] = {0}; /* gcc 12 does not see that a block is never empty. */
    load_patterns(element, data, count, bits);
    format_to_doubles(element->format, bits, count, out_value);
  }
}

KERNEL void reject_outside(const double *restrict value, const double *restrict low,
                           const double *restrict high, size_t count,
                           uint64_t *restrict out_rejected) {
  for (size_t i = 0; i < count; i++) {
    bool is_negative_zero = binary64_bits(value[i]) == BINARY64_SIGN;
    bool is_inside = (value[i] >= low[i]) & (value[i] <= high[i]) & (fabs(value[i]) <= DBL_MAX);
    out_rejected[i] = (is_inside & !is_negative_zero) ? 0 : 1;
  }
}

KERNEL void accept_patterns(const uint64_t *restrict bits, const uint64_t *restrict expected,
                            size_t count, uint64_t *restrict inout_rejected) {
  for (size_t i = 0; i < count; i++) inout_rejected[i] &= bits[i] != expected[i];
}

KERNEL void reject_unknown(const uint8_t *restrict decide, size_t count,
                           uint64_t *restrict inout_rejected) {
  for (size_t i = 0; i < count; i++) inout_rejected[i] |= decide[i];
}

KERNEL bool asks_any(const uint8_t *decide, size_t first, size_t count) {
  if (decide == NULL) return false;
  uint8_t any = 0;
  for (size_t i = 0; i < count; i++) any |= decide[first + i];
  return any != 0;
}

KERNEL uint64_t any_of(const uint64_t *rejected, size_t count) {
  uint64_t any = 0;
  for (size_t i = 0; i < count; i++) any |= rejected[i];
  return any;
}

/* Numbers that lie between those of a narrower format. */
KERNEL void reject_off_grid(const format_t *grid, const double *value, size_t count,
                            uint64_t *rejected) {
  for (size_t i = 0; i < count; i++) {
    bool is_on_grid = format_round_double(grid, value[i]) == value[i];
    rejected[i] |= is_on_grid ? 0 : 1;
  }
}

/* accept_special_holds() without branches, where an interval may be known. */
KERNEL void accept_specials(const double *restrict value, const uint8_t *restrict specials,
                            size_t count, uint64_t *restrict inout_rejected) {
  const uint64_t infinity = BINARY64_EXPONENT_FIELD;
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = binary64_bits(value[i]), magnitude = bits & ~BINARY64_SIGN;
    uint64_t special = (magnitude > infinity ? ACCEPT_NAN : 0) |
                       (bits == infinity ? ACCEPT_POSITIVE_INFINITY : 0) |
                       (bits == (infinity | BINARY64_SIGN) ? ACCEPT_NEGATIVE_INFINITY : 0) |
                       (bits == BINARY64_SIGN ? ACCEPT_NEGATIVE_ZERO : 0);
    inout_rejected[i] &= (specials[i] & special) != 0 ? 0 : ~UINT64_C(0);
  }
}

/* The largest number, or 0: NaNs, which stand for unknown errors and for 0 / 0, compare false. */
KERNEL double largest_of(const double *numbers, size_t count) {
  double maxima[LANES] = {0};
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    for (size_t lane = 0; lane < LANES; lane++) {
      double number = numbers[i + lane];
      maxima[lane] = number > maxima[lane] ? number : maxima[lane];
    }
  }
  double largest = 0;
  for (; i < count; i++) largest = numbers[i] > largest ? numbers[i] : largest;
  for (size_t lane = 0; lane < LANES; lane++) {
    largest = maxima[lane] > largest ? maxima[lane] : largest;
  }
  return largest;
}

KERNEL double largest_ratio(const double *restrict error, const double *restrict divisor,
                            size_t count) {
  double ratio[COMPONENT_BLOCK];
  for (size_t i = 0; i < count; i++) ratio[i] = error[i] / divisor[i];
  return largest_of(ratio, count);
}

/* |value - x*|; NaN where x* is not known or the value not finite. */
KERNEL void find_errors(const accept_t *accept, size_t first, size_t count,
                        const double *restrict value, double *restrict out_error) {
  const double *reference = accept->reference + first;
  for (size_t i = 0; i < count; i++) out_error[i] = value[i] - reference[i];
  if (accept->reference_tail != NULL) {
    const double *tail = accept->reference_tail + first;
    for (size_t i = 0; i < count; i++) out_error[i] -= tail[i];
  }
  if (asks_any(accept->decide, first, count)) {
    const uint8_t *decide = accept->decide + first;
    for (size_t i = 0; i < count; i++) out_error[i] = decide[i] != 0 ? (double)NAN : out_error[i];
  }
  for (size_t i = 0; i < count; i++) { /* The oracle measures what is not finite. */
    double magnitude = fabs(out_error[i]);
    out_error[i] = magnitude <= DBL_MAX ? magnitude : (double)NAN;
  }
}

/* The largest error / ulp_T(x*), ulp_T(x*) = 2^(max(e(x*), emin) - p + 1) (oracles/theory.md, D2).
 * Keeping only the exponent field of a normal binary64 number leaves its power of two, and of a
 * subnormal one 0; that field subtracted from the one of infinity is twice the reciprocal, which
 * is never subnormal. */
KERNEL double largest_ulp_error(const format_t *format, const double *restrict reference,
                                size_t count, const double *restrict error) {
  const double smallest_binade = ldexp(1, format->exponent_min);
  double doubled[COMPONENT_BLOCK]; /* 2 * error / 2^max(e(x*), emin) */
  for (size_t i = 0; i < count; i++) {
    double binade = binary64_value(binary64_bits(reference[i]) & BINARY64_EXPONENT_FIELD);
    binade = binade > smallest_binade ? binade : smallest_binade;
    doubled[i] = error[i] * binary64_value(BINARY64_EXPONENT_FIELD - binary64_bits(binade));
  }
  return largest_of(doubled, count) * ldexp(1, format->precision - 2);
}

/* Slack and backward error. */
KERNEL void measure_bounds(const accept_t *accept, const double *magnitude, size_t count,
                           const double *error, measures_t *inout_measures) {
  double relative = largest_ratio(error, magnitude, count);
  if (relative == 0) return;
  if (accept->unit_roundoff != 0) {
    inout_measures->backward_error =
        fmax(inout_measures->backward_error, relative / accept->unit_roundoff);
  }
  double slack = relative / accept->bound_factor;
  if (accept->bound_offset != 0) { /* Then no common factor turns one maximum into the other. */
    double bound[COMPONENT_BLOCK];
    for (size_t i = 0; i < count; i++) {
      bound[i] = accept->bound_factor * magnitude[i] + accept->bound_offset;
    }
    slack = largest_ratio(error, bound, count);
  }
  inout_measures->slack = fmax(inout_measures->slack, slack);
}

KERNEL void forget_rejected(const uint64_t *restrict rejected, size_t count,
                            double *restrict inout_error) {
  for (size_t i = 0; i < count; i++) {
    inout_error[i] = rejected[i] != 0 ? (double)NAN : inout_error[i];
  }
}

KERNEL void measure(const accept_t *accept, const format_t *format, const component_block_t *block,
                    const double *value, measures_t *inout_measures) {
  const size_t first = block->first;
  const size_t count = block->count;
  double error[COMPONENT_BLOCK];
  find_errors(accept, first, count, value, error);
  if (accept->measures_inside) forget_rejected(block->rejected, count, error);
  double ulp_error = largest_ulp_error(format, accept->reference + first, count, error);
  inout_measures->ulp_error = fmax(inout_measures->ulp_error, ulp_error);
  if (accept->magnitude == NULL) return;
  measure_bounds(accept, accept->magnitude + first, count, error, inout_measures);
}

KERNEL void judge_block(const accept_t *accept, const tensor_t *result, component_block_t *block,
                        measures_t *inout_measures) {
  const element_t *element = result->type.element;
  const size_t first = block->first;
  const size_t count = block->count;
  const uint8_t *data = result->data + first * element->component_bytes;
  bool has_range = element->format != NULL && accept->low != NULL;
  bool has_reference = element->format != NULL && accept->reference != NULL;
  bool has_specials = element->format != NULL && accept->specials != NULL;
  double value[COMPONENT_BLOCK];
  if (has_range || has_reference || has_specials) load_values(element, data, count, value);

  for (size_t i = 0; i < count; i++) block->rejected[i] = 1;
  if (has_range) {
    reject_outside(value, accept->low + first, accept->high + first, count, block->rejected);
  }
  if (has_range && accept->other_low != NULL) {
    uint64_t outside[COMPONENT_BLOCK];
    reject_outside(value, accept->other_low + first, accept->other_high + first, count, outside);
    for (size_t i = 0; i < count; i++) block->rejected[i] &= outside[i];
  }
  if (has_range && accept->grid != NULL) {
    reject_off_grid(accept->grid, value, count, block->rejected);
  }
  if (accept->bits != NULL) {
    uint64_t bits[COMPONENT_BLOCK];
    load_patterns(element, data, count, bits);
    accept_patterns(bits, accept->bits + first, count, block->rejected);
  }
  if (element->format == NULL && accept->low != NULL) {
    for (size_t i = 0; i < count; i++) {
      if (block->rejected[i] == 0) continue;
      uint64_t bits = element_load(element, result->data, first + i);
      block->rejected[i] = !accept_holds(accept, element, first + i, bits);
    }
  }
  bool asks = asks_any(accept->decide, first, count);
  if (asks) reject_unknown(accept->decide + first, count, block->rejected);
  if (has_reference) measure(accept, element->format, block, value, inout_measures);
  if (has_specials) {
    accept_specials(value, accept->specials + first, count, block->rejected);
    if (asks) reject_unknown(accept->decide + first, count, block->rejected);
  }
  block->rejected_any = any_of(block->rejected, count);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void judge_block_avx2(const accept_t *accept,
                                                             const tensor_t *result,
                                                             component_block_t *block,
                                                             measures_t *inout_measures) {
  judge_block(accept, result, block, inout_measures);
}
#endif

void block_compare(const accept_t *accept, const tensor_t *result, component_block_t *block,
                   measures_t *inout_measures) {
#ifdef __x86_64__
  if (instruction_set() != ISA_PLAIN) {
    judge_block_avx2(accept, result, block, inout_measures);
    return;
  }
#endif
  judge_block(accept, result, block, inout_measures);
}
