/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized and hybrid dot_general, evaluated naively with rationals. */
#ifndef ASSAY_TESTS_OPS_DOT_GENERAL_NAIVE_DOT_QUANTIZED_H
#define ASSAY_TESTS_OPS_DOT_GENERAL_NAIVE_DOT_QUANTIZED_H

#include <string.h>

#include "tests/ops/dot_general/naive_dot_place.h"
#include "tests/ops/naive_rational.h"

/* Which of a type's scales and zero points an element has. */
static inline size_t naive_channel(const type_t *type, size_t element) {
  if (type->quantization->axis == -1) return 0;
  int64_t index[TYPE_RANK_MAX];
  check_unravel(type, element, index);
  return (size_t)index[type->quantization->axis];
}

static inline int64_t naive_stored(const tensor_t *tensor, size_t element) {
  const element_t *storage = tensor->type.element;
  return element_signed_value(storage, element_load(storage, tensor->data, element));
}

/* q - z */
static inline int64_t naive_difference(const tensor_t *tensor, size_t element) {
  size_t channel = naive_channel(&tensor->type, element);
  return naive_stored(tensor, element) - tensor->type.quantization->zero_points[channel];
}

/* Rounds a rational to the format, as a double, which may be infinite. */
static inline double naive_rounded(const format_t *format, mpq_t inout_q) {
  bool is_negative = mpq_sgn(inout_q) < 0;
  if (rational_round_float(format, inout_q)) return mpq_get_d(inout_q);
  return is_negative ? -INFINITY : INFINITY;
}

/* rn(a op b) where both are finite, IEEE's result else. */
static inline double naive_step(const format_t *format, char op, double a, double b) {
  bool is_plain = isfinite(a) && isfinite(b);
  if (!is_plain) return op == '*' ? a * b : op == '/' ? a / b : a + b;
  mpq_t left, right;
  mpq_inits(left, right, NULL);
  mpq_set_d(left, a);
  mpq_set_d(right, b);
  (op == '*' ? mpq_mul : op == '/' ? mpq_div : mpq_add)(left, left, right);
  double rounded = naive_rounded(format, left);
  mpq_clears(left, right, NULL);
  return rounded;
}

static inline double naive_dequantize(const tensor_t *tensor, size_t element) {
  const quantization_t *quantization = tensor->type.quantization;
  const format_t *format = quantization->expressed->format;
  double difference = naive_step(format, '+', (double)naive_difference(tensor, element), 0);
  double scale = quantization->scales[naive_channel(&tensor->type, element)];
  return naive_step(format, '*', difference, scale);
}

/* Where the formula ends in NaN, the zero point, as models have it. */
static inline int64_t naive_quantize(const type_t *type, size_t element, double value) {
  const quantization_t *quantization = type->quantization;
  const format_t *format = quantization->expressed->format;
  size_t channel = naive_channel(type, element);
  int64_t zero_point = quantization->zero_points[channel];
  int64_t smallest = quantization->storage_min, largest = quantization->storage_max;
  double low = naive_step(format, '+', (double)smallest, 0);
  double high = naive_step(format, '+', (double)largest, 0);
  double addend = naive_step(format, '+', (double)zero_point, 0);
  double sum = naive_step(format, '/', value, quantization->scales[channel]);
  sum = naive_step(format, '+', sum, addend);
  if (isnan(sum)) return zero_point;
  sum = sum < low ? low : sum > high ? high : sum;
  if (sum >= (double)largest) return largest;
  if (sum <= (double)smallest) return smallest;
  double whole = floor(sum), rest = sum - whole;
  bool goes_up = rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0);
  return (int64_t)whole + (goes_up ? 1 : 0);
}

static inline void naive_store_integer(tensor_t *tensor, size_t element, int64_t value) {
  const element_t *storage = tensor->type.element;
  element_store(storage, tensor->data, element, (uint64_t)value & element_mask(storage));
}

static inline void naive_quantize_all(const tensor_t *sums, tensor_t *result) {
  const format_t *format = sums->type.element->format;
  for (size_t i = 0; i < type_element_count(&result->type); i++) {
    double value = format_to_double(format, element_load(sums->type.element, sums->data, i));
    naive_store_integer(result, i, naive_quantize(&result->type, i, value));
  }
}

/* The float dot_general in the expressed type. */
static inline case_t naive_dequantized(const case_t *instance, arena_t *arena) {
  case_t floats = *instance;
  const element_t *expressed = instance->operands[DOT_GENERAL_RHS].type.quantization->expressed;
  for (uint32_t i = 0; i < 2; i++) {
    const tensor_t *tensor = &instance->operands[i];
    if (tensor->type.quantization == NULL) continue;
    type_t *type = &floats.program.operands[i];
    *type = type_make(expressed, tensor->type.rank, tensor->type.dims);
    floats.operands[i] = tensor_make(arena, type);
    for (size_t e = 0; e < type_element_count(type); e++) {
      uint64_t bits = format_from_double(expressed->format, naive_dequantize(tensor, e));
      element_store(expressed, floats.operands[i].data, e, bits);
    }
  }
  type_t *result = &floats.program.results[0];
  *result = type_make(expressed, result->rank, result->dims);
  return floats;
}

static inline __int128 naive_clamp32(__int128 value) {
  return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
}

/* Sum of (q - z) (q - z) of a result element, exact or saturated to 32 bits after each term; and
 * s s / s. */
static inline __int128 naive_integer_sum(const case_t *instance, size_t element, bool saturates,
                                         mpq_t out_multiplier) {
  const program_t *program = &instance->program;
  const tensor_t *lhs = &instance->operands[0], *rhs = &instance->operands[1];
  const type_t *result = &program->results[0];
  place_t place = place_of_result(program, element);
  mpq_t scale;
  mpq_init(scale);
  __int128 sum = 0;
  mpq_set_ui(out_multiplier, 1, 1);
  for (bool more = has_terms(program); more; more = next_term(program, &place)) {
    size_t left = check_ravel(&lhs->type, place.lhs), right = check_ravel(&rhs->type, place.rhs);
    sum += (__int128)naive_difference(lhs, left) * naive_difference(rhs, right);
    if (saturates) sum = naive_clamp32(sum);
    mpq_set_d(out_multiplier, lhs->type.quantization->scales[naive_channel(&lhs->type, left)]);
    mpq_set_d(scale, rhs->type.quantization->scales[naive_channel(&rhs->type, right)]);
    mpq_mul(out_multiplier, out_multiplier, scale);
  }
  mpq_set_d(scale, result->quantization->scales[naive_channel(result, element)]);
  mpq_div(out_multiplier, out_multiplier, scale);
  mpq_clear(scale);
  return sum;
}

/* Value of a 128-bit integer, in two steps of 64 bits. */
static inline void naive_set_integer(mpq_t out, __int128 value) {
  mpq_t low;
  mpq_init(low);
  mpq_set_si(out, (long)(value >> 64), 1);
  mpq_mul_2exp(out, out, 64);
  mpq_set_ui(low, (unsigned long)(uint64_t)value, 1);
  mpq_add(out, out, low);
  mpq_clear(low);
}

/* sum * multiplier + zero point, rounded to nearest, ties to even, and clamped. */
static inline int64_t naive_rescale(const type_t *result, size_t element, __int128 sum,
                                    const mpq_t multiplier) {
  const quantization_t *quantization = result->quantization;
  mpq_t value, addend;
  mpz_t whole;
  mpq_inits(value, addend, NULL);
  mpz_init(whole);
  naive_set_integer(value, sum);
  mpq_mul(value, value, multiplier);
  mpq_set_si(addend, quantization->zero_points[naive_channel(result, element)], 1);
  mpq_add(value, value, addend);
  rational_round(whole, value, TIES_EVEN);
  int64_t stored = mpz_cmp_si(whole, quantization->storage_max) > 0   ? quantization->storage_max
                   : mpz_cmp_si(whole, quantization->storage_min) < 0 ? quantization->storage_min
                                                                      : mpz_get_si(whole);
  mpq_clears(value, addend, NULL);
  mpz_clear(whole);
  return stored;
}

static inline void naive_dot_integers(const case_t *instance, bool saturates, tensor_t *result) {
  mpq_t multiplier;
  mpq_init(multiplier);
  for (size_t i = 0; i < type_element_count(&result->type); i++) {
    __int128 sum = naive_integer_sum(instance, i, saturates, multiplier);
    naive_store_integer(result, i, naive_rescale(&result->type, i, sum, multiplier));
  }
  mpq_clear(multiplier);
}

#endif
