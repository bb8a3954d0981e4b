/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax and log_softmax of f32 along the last dimension. */
#include <math.h>

#include "tests/kernel_bank/kernels/kernels.h"

enum { LANES = 16, BLOCK = 32 };

static float largest(const float *x, int64_t n) {
  float max = -INFINITY;
  for (int64_t i = 0; i < n; i++) max = x[i] > max ? x[i] : max;
  return max;
}

typedef void row_function_t(const float *x, int64_t n, float *y);

static void each_row(const assay_program_t *program, const void *const *inputs,
                     void *const *outputs, row_function_t *softmax) {
  const float *x = inputs[0];
  float *y = outputs[0];
  int64_t rows = assay_rows(&program->operands[0]);
  int64_t n = assay_last_size(&program->operands[0]);
  for (int64_t row = 0; row < rows; row++) softmax(x + row * n, n, y + row * n);
}

/* ---- In two passes --------------------------------------------------------------------------- */

static inline void softmax_shifted(const float *x, int64_t n, float shift, float *y) {
  float sum = 0;
  for (int64_t i = 0; i < n; i++) {
    y[i] = expf(x[i] - shift);
    sum += y[i];
  }
  for (int64_t i = 0; i < n; i++) y[i] /= sum;
}

static void softmax_two_pass(const float *x, int64_t n, float *y) {
  softmax_shifted(x, n, largest(x, n), y);
}

static void softmax_missing_max(const float *x, int64_t n, float *y) {
  softmax_shifted(x, n, 0, y);
}

static void log_softmax(const float *x, int64_t n, float *y) {
  float max = largest(x, n);
  float sum = 0;
  for (int64_t i = 0; i < n; i++) sum += expf(x[i] - max);
  float log_sum = logf(sum);
  for (int64_t i = 0; i < n; i++) y[i] = (x[i] - max) - log_sum;
}

/* ---- In lanes, over whole blocks: what is behind the end is filled in ------------------------ */

static inline float load(const float *x, int64_t n, int64_t i, float filling) {
  return i < n ? x[i] : filling;
}

static inline void softmax_filled(const float *x, int64_t n, float filling, float *y) {
  float max[LANES];
  float sum[LANES] = {0};
  for (int lane = 0; lane < LANES; lane++) max[lane] = -INFINITY;
  for (int64_t i = 0; i < n; i += LANES) {
    for (int lane = 0; lane < LANES; lane++) {
      float value = load(x, n, i + lane, filling);
      max[lane] = value > max[lane] ? value : max[lane];
    }
  }
  float shift = largest(max, LANES);
  for (int64_t i = 0; i < n; i += LANES) {
    for (int lane = 0; lane < LANES; lane++) {
      sum[lane] += expf(load(x, n, i + lane, filling) - shift);
    }
  }
  float total = 0;
  for (int lane = 0; lane < LANES; lane++) total += sum[lane];
  float inverse = 1 / total;
  for (int64_t i = 0; i < n; i++) y[i] = expf(x[i] - shift) * inverse;
}

static void softmax_padded(const float *x, int64_t n, float *y) {
  softmax_filled(x, n, -INFINITY, y);
}

static void softmax_tail_mask(const float *x, int64_t n, float *y) { softmax_filled(x, n, 0, y); }

/* ---- Online: block by block, the sum corrected as larger numbers come ------------------------ */

static inline void softmax_by_blocks(const float *x, int64_t n, int rescales, float *y) {
  float max = -INFINITY;
  float sum = 0;
  for (int64_t begin = 0; begin < n; begin += BLOCK) {
    int64_t count = n - begin < BLOCK ? n - begin : BLOCK;
    float block_max = largest(x + begin, count);
    float new_max = block_max > max ? block_max : max;
    float shift = new_max == -INFINITY ? 0 : new_max; /* Or -inf - -inf would be NaN. */
    if (rescales) sum *= expf(max - shift);
    for (int64_t i = begin; i < begin + count; i++) sum += expf(x[i] - shift);
    max = new_max;
  }
  for (int64_t i = 0; i < n; i++) y[i] = expf(x[i] - max) / sum;
}

static void softmax_online(const float *x, int64_t n, float *y) { softmax_by_blocks(x, n, 1, y); }

static void softmax_no_rescale(const float *x, int64_t n, float *y) {
  softmax_by_blocks(x, n, 0, y);
}

/* ---- As kernels ------------------------------------------------------------------------------ */

#define SOFTMAX_KERNEL(name)                                                 \
  void run_##name(const assay_program_t *program, const void *const *inputs, \
                  void *const *outputs) {                                    \
    each_row(program, inputs, outputs, name);                                \
  }

SOFTMAX_KERNEL(softmax_two_pass)
SOFTMAX_KERNEL(softmax_missing_max)
SOFTMAX_KERNEL(log_softmax)
SOFTMAX_KERNEL(softmax_padded)
SOFTMAX_KERNEL(softmax_tail_mask)
SOFTMAX_KERNEL(softmax_online)
SOFTMAX_KERNEL(softmax_no_rescale)
