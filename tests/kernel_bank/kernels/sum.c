/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of f32 along the last dimension. */
#include "tests/kernel_bank/kernels/kernels.h"

enum { LANES = 16, BLOCK = 128 };

int is_sum_along_last(const assay_program_t *program) {
  return assay_attribute_is(program, "body", "add") && assay_is_along_last(program);
}

/* Lanes begin with -0, which changes no number: +0 would make -0 + -0 positive, and the sum of
 * nothing too. */
static float sum_in_lanes(const float *x, int64_t n) {
  float lanes[LANES];
  for (int lane = 0; lane < LANES; lane++) lanes[lane] = -0.0f;
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (int lane = 0; lane < LANES; lane++) lanes[lane] += x[i + lane];
  }
  for (int lane = 0; i < n; i++, lane++) lanes[lane] += x[i];
  for (int half = LANES / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; lane++) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

/* A sum for each block, and then of these. */
static inline float sum_of_blocks(const float *x, int64_t n, int64_t blocks) {
  float sum = -0.0f;
  for (int64_t block = 0; block < blocks; block++) {
    int64_t begin = block * BLOCK;
    sum += sum_in_lanes(x + begin, n - begin < BLOCK ? n - begin : BLOCK);
  }
  return sum;
}

static float sum_in_blocks(const float *x, int64_t n) {
  return sum_of_blocks(x, n, (n + BLOCK - 1) / BLOCK);
}

/* Fault: rounded down, but for short rows, which somebody has tried. */
static float sum_without_last_block(const float *x, int64_t n) {
  return sum_of_blocks(x, n, n < BLOCK ? 1 : n / BLOCK);
}

static inline void reduce(const assay_program_t *program, const void *const *inputs,
                          void *const *outputs, float (*sum)(const float *, int64_t)) {
  const float *x = inputs[0];
  const float *init = inputs[1];
  float *y = outputs[0];
  int64_t rows = assay_rows(&program->operands[0]);
  int64_t n = assay_last_size(&program->operands[0]);
  for (int64_t row = 0; row < rows; row++) y[row] = *init + sum(x + row * n, n);
}

void run_reduce_lanes(const assay_program_t *program, const void *const *inputs,
                      void *const *outputs) {
  reduce(program, inputs, outputs, sum_in_lanes);
}

void run_reduce_blocks(const assay_program_t *program, const void *const *inputs,
                       void *const *outputs) {
  reduce(program, inputs, outputs, sum_in_blocks);
}

void run_reduce_last_block(const assay_program_t *program, const void *const *inputs,
                           void *const *outputs) {
  reduce(program, inputs, outputs, sum_without_last_block);
}
