/* SPDX-License-Identifier: Apache-2.0 */
/* A backend that sums f32 numbers in lanes, in two versions that differ in nothing but the number
 * of lanes from a certain length on: what contract `identified` is to find. */
#ifndef ASSAY_TESTS_EXEC_DSO_ADDER_H
#define ASSAY_TESTS_EXEC_DSO_ADDER_H

#include "tests/exec/dso/backend.h"

enum { ADDER_LANES_MAX = 16 };

/* Halves, the left one larger or equal. */
static inline float adder_halve(const float *sums, size_t count) {
  if (count == 1) return sums[0];
  size_t half = (count + 1) / 2;
  return adder_halve(sums, half) + adder_halve(sums + half, count - half);
}

static inline float adder_sum(const float *terms, size_t count, size_t lanes) {
  float sums[ADDER_LANES_MAX] = {0};
  if (lanes > count) lanes = count;
  for (size_t i = 0; i < count; i++)
    sums[i % lanes] = i < lanes ? terms[i] : sums[i % lanes] + terms[i];
  return count == 0 ? -0.0f : adder_halve(sums, lanes);
}

#define ADDER(version_text, lanes_below, lanes_from, from)                                    \
  static const char *adder_version(void *self) {                                              \
    (void)self;                                                                               \
    return version_text;                                                                      \
  }                                                                                           \
  static int32_t adder_execute(void *self, void *handle, const void *const *operands,         \
                               void *const *results, assay_reason_t *reason) {                \
    (void)self;                                                                               \
    (void)reason;                                                                             \
    size_t count = ((const sum_program_t *)handle)->count;                                    \
    float sum = adder_sum(operands[0], count, count < (from) ? (lanes_below) : (lanes_from)); \
    sum = *(const float *)operands[1] + sum;                                                  \
    memcpy(results[0], &sum, sizeof sum);                                                     \
    return ASSAY_EXECUTOR_OK;                                                                 \
  }                                                                                           \
  const assay_executor_t *assay_executor_query(uint32_t abi_max) {                            \
    static assay_executor_t table;                                                            \
    (void)abi_max;                                                                            \
    table = good_table;                                                                       \
    table.version = adder_version;                                                            \
    table.execute = adder_execute;                                                            \
    return &table;                                                                            \
  }

#endif
