/* SPDX-License-Identifier: Apache-2.0 */
/* Quantizes and dequantizes blocks of elements that share one scale and zero point, in branch-free
 * loops. Elements whose value is NaN or not defined are marked for the exact decision. */
#include "oracles/exact/quantum/quantize_simd.h"

#include <glib.h>

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Elements in a row that have one quantization. */
static size_t run_length(const type_t *type) {
  const quantization_t *quantization = type->quantization;
  if (quantization == NULL || quantization->axis == -1) return SIZE_MAX;
  size_t stride = 1;
  for (uint32_t i = (uint32_t)quantization->axis + 1; i < type->rank; i++) {
    stride *= (size_t)type->dims[i];
  }
  return MAX(stride, 1);
}

/* Runs of two types of one shape begin together: their axes' strides divide one another. */
void quantize_simd_runs(const type_t *const types[], size_t type_count, quantize_simd_run_t *run,
                        void *context) {
  size_t length = SIZE_MAX, count = type_element_count(types[0]);
  for (size_t i = 0; i < type_count; i++) length = MIN(length, run_length(types[i]));
  for (size_t begin = 0; begin < count;) {
    size_t left_of_run = length - begin % length;
    size_t block = MIN(MIN(left_of_run, count - begin), (size_t)QUANTIZE_SIMD_BLOCK);
    run(context, begin, block);
    begin += block;
  }
}

/* ---- To floats ------------------------------------------------------------------------------- */

/* Differences from the zero point, of at most 33 bits. */
static void load_differences(const tensor_t *tensor, const quantum_t *quantum, size_t begin,
                             size_t count, float out_values[QUANTIZE_SIMD_BLOCK]) {
  const element_t *storage = tensor->type.element;
  const uint8_t *data = tensor->data;
  if (storage->bits == 8) { /* So many bits that vectors convert them. */
    int32_t flip = storage->kind == ELEMENT_SIGNED ? 0x80 : 0;
    int32_t offset = flip + (int32_t)quantum->zero_point;
    for (size_t i = 0; i < count; i++) {
      out_values[i] = (float)((int32_t)(data[begin + i] ^ flip) - offset);
    }
    return;
  }
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = element_load(storage, data, begin + i);
    out_values[i] = (float)(element_signed_value(storage, bits) - quantum->zero_point);
  }
}

void fast_dequantize_floats(const tensor_t *tensor, size_t begin, size_t count,
                            float out_values[QUANTIZE_SIMD_BLOCK]) {
  const quantum_t quantum = quantum_of(&tensor->type, begin);
  load_differences(tensor, &quantum, begin, count, out_values);
  float scale = (float)quantum.scale;
  for (size_t i = 0; i < count; i++) out_values[i] *= scale;
}

void fast_dequantize(const tensor_t *tensor, const arithmetic_t *steps, size_t begin, size_t count,
                     double out_values[QUANTIZE_SIMD_BLOCK]) {
  const quantum_t quantum = quantum_of(&tensor->type, begin);
  for (size_t i = 0; i < count; i++) {
    double difference = (double)(quantum_load(tensor, begin + i) - quantum.zero_point);
    out_values[i] = arithmetic_multiply(steps, arithmetic_round(steps, difference), quantum.scale);
  }
}

/* ---- To storage ------------------------------------------------------------------------------ */

/* A clamp by an end beyond the storage range, then by the range, is one by the range; and one by an
 * end within it by that. */
fast_quantizer_t fast_quantizer_make(const type_t *type, const format_t *arithmetic,
                                     size_t element) {
  quantum_t quantum = quantum_of(type, element);
  const arithmetic_t steps = arithmetic_make(arithmetic);
  double smallest = (double)quantum.storage_min, largest = (double)quantum.storage_max;
  double low = arithmetic_round(&steps, smallest), high = arithmetic_round(&steps, largest);
  return (fast_quantizer_t){.steps = steps,
                            .scale = quantum.scale,
                            .zero_point = arithmetic_round(&steps, (double)quantum.zero_point),
                            .low = low > smallest ? low : smallest,
                            .high = high < largest ? high : largest,
                            .has_ends = low <= high,
                            .mask = element_mask(type->element)};
}

/* Added to a number of at most 32 bits, 1.5 * 2^52 leaves no place for a fraction: the sum is
 * rounded to the nearest integer, ties to even, whose low bits are its own in two's complement. */
static inline uint64_t clamp_and_round(const fast_quantizer_t *quantizer, double value) {
  double clamped = value < quantizer->low ? quantizer->low : value;
  clamped = clamped > quantizer->high ? quantizer->high : clamped;
  return binary64_bits(clamped + 0x1.8p52) & quantizer->mask;
}

void fast_quantize_floats(const fast_quantizer_t *quantizer, const float values[], size_t count,
                          uint64_t out_bits[], uint8_t out_decide[]) {
  float scale = (float)quantizer->scale, zero_point = (float)quantizer->zero_point;
  float sums[QUANTIZE_SIMD_BLOCK];
  for (size_t i = 0; i < count; i++) sums[i] = values[i] / scale + zero_point;
  for (size_t i = 0; i < count; i++) out_bits[i] = clamp_and_round(quantizer, (double)sums[i]);
  for (size_t i = 0; i < count; i++) out_decide[i] = sums[i] != sums[i];
}

void fast_quantize(const fast_quantizer_t *quantizer, const double values[], size_t count,
                   uint64_t out_bits[], uint8_t out_decide[]) {
  for (size_t i = 0; i < count; i++) {
    double quotient = arithmetic_divide(&quantizer->steps, values[i], quantizer->scale);
    double sum = arithmetic_add(&quantizer->steps, quotient, quantizer->zero_point);
    out_bits[i] = clamp_and_round(quantizer, sum);
    out_decide[i] = sum != sum || !quantizer->has_ends;
  }
}
