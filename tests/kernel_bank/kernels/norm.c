/* SPDX-License-Identifier: Apache-2.0 */
/* layer_norm and l2_norm of f32 along the last dimension, rms_norm of f16, and batch_norm_training.
 */
#include <math.h>

#include "tests/kernel_bank/kernels/kernels.h"

enum { LANES = 16, BLOCK = 64 };

static float epsilon_of(const assay_program_t *program) {
  double epsilon = 0;
  assay_attribute_number(program, "epsilon", &epsilon);
  return (float)epsilon;
}

static int is_epsilon_outside(const assay_program_t *program) {
  return assay_attribute_is(program, "eps_outside_sqrt", "true");
}

/* ---- Mean and variance ----------------------------------------------------------------------- */

typedef struct moments {
  float mean;
  float squares; /* The sum of the squared deviations from it. */
} moments_t;

static moments_t moments_two_pass(const float *x, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; i++) sum += x[i];
  moments_t moments = {.mean = sum / (float)n};
  for (int64_t i = 0; i < n; i++) {
    float deviation = x[i] - moments.mean;
    moments.squares += deviation * deviation;
  }
  return moments;
}

static moments_t moments_welford(const float *x, int64_t n) {
  moments_t moments = {0};
  for (int64_t i = 0; i < n; i++) {
    float deviation = x[i] - moments.mean;
    moments.mean += deviation / (float)(i + 1);
    moments.squares += deviation * (x[i] - moments.mean);
  }
  return moments;
}

/* Block by block, merged by Chan's formula.  The first block is taken as it is: merged with nothing
 * it would be 0 * inf, a NaN, where the square of its mean overflows. */
static moments_t moments_blocks(const float *x, int64_t n) {
  moments_t all = moments_two_pass(x, n < BLOCK ? n : BLOCK);
  for (int64_t begin = BLOCK; begin < n; begin += BLOCK) {
    int64_t count = n - begin < BLOCK ? n - begin : BLOCK;
    moments_t block = moments_two_pass(x + begin, count);
    float before = (float)begin;
    float after = (float)(begin + count);
    float distance = block.mean - all.mean;
    all.mean += distance * ((float)count / after);
    all.squares += block.squares + distance * distance * (before * (float)count / after);
  }
  return all;
}

/* ---- layer_norm ------------------------------------------------------------------------------ */

typedef moments_t moments_function_t(const float *x, int64_t n);

static inline void normalize(const float *x, int64_t n, const moments_t *moments, float inverse,
                             const void *const *inputs, float *y) {
  const float *weight = inputs[1];
  const float *bias = inputs[2];
  for (int64_t i = 0; i < n; i++) {
    y[i] = (x[i] - moments->mean) * inverse * weight[i] + bias[i];
  }
}

static float inverse_deviation(const assay_program_t *program, float variance) {
  float epsilon = epsilon_of(program);
  return is_epsilon_outside(program) ? 1 / (sqrtf(variance) + epsilon)
                                     : 1 / sqrtf(variance + epsilon);
}

static inline void layer_norm(const assay_program_t *program, const void *const *inputs,
                              void *const *outputs, moments_function_t *take_moments) {
  const float *x = inputs[0];
  float *y = outputs[0];
  int64_t rows = assay_rows(&program->operands[0]);
  int64_t n = assay_last_size(&program->operands[0]);
  for (int64_t row = 0; row < rows; row++) {
    moments_t moments = take_moments(x + row * n, n);
    float inverse = inverse_deviation(program, moments.squares / (float)n);
    normalize(x + row * n, n, &moments, inverse, inputs, y + row * n);
  }
}

void run_layer_norm_two_pass(const assay_program_t *program, const void *const *inputs,
                             void *const *outputs) {
  layer_norm(program, inputs, outputs, moments_two_pass);
}

void run_layer_norm_welford(const assay_program_t *program, const void *const *inputs,
                            void *const *outputs) {
  layer_norm(program, inputs, outputs, moments_welford);
}

void run_layer_norm_blocks(const assay_program_t *program, const void *const *inputs,
                           void *const *outputs) {
  layer_norm(program, inputs, outputs, moments_blocks);
}

/* Fault: sums over whole blocks, as a kernel with masked loads has them, and so does their count.
 */
void run_layer_norm_wrong_count(const assay_program_t *program, const void *const *inputs,
                                void *const *outputs) {
  const float *x = inputs[0];
  float *y = outputs[0];
  int64_t rows = assay_rows(&program->operands[0]);
  int64_t n = assay_last_size(&program->operands[0]);
  int64_t padded = (n + BLOCK - 1) / BLOCK * BLOCK;
  for (int64_t row = 0; row < rows; row++) {
    moments_t moments = moments_two_pass(x + row * n, n);
    float inverse = inverse_deviation(program, moments.squares / (float)padded);
    normalize(x + row * n, n, &moments, inverse, inputs, y + row * n);
  }
}

/* Fault: epsilon is outside of the root, wherever it should be. */
void run_layer_norm_epsilon(const assay_program_t *program, const void *const *inputs,
                            void *const *outputs) {
  const float *x = inputs[0];
  float *y = outputs[0];
  int64_t rows = assay_rows(&program->operands[0]);
  int64_t n = assay_last_size(&program->operands[0]);
  for (int64_t row = 0; row < rows; row++) {
    moments_t moments = moments_two_pass(x + row * n, n);
    float inverse = 1 / (sqrtf(moments.squares / (float)n) + epsilon_of(program));
    normalize(x + row * n, n, &moments, inverse, inputs, y + row * n);
  }
}

/* ---- l2_norm --------------------------------------------------------------------------------- */

static float sum_of_squares(const float *x, int64_t n) {
  float lanes[LANES] = {0};
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (int lane = 0; lane < LANES; lane++) lanes[lane] += x[i + lane] * x[i + lane];
  }
  float sum = 0;
  for (int lane = 0; lane < LANES; lane++) sum += lanes[lane];
  for (; i < n; i++) sum += x[i] * x[i];
  return sum;
}

static inline float at_least(float x, float least) { return x < least ? least : x; }

/* The rows of the operand begin `stride` elements apart. */
static inline void l2_norm(const assay_program_t *program, const float *x, int64_t stride,
                           float *y) {
  float epsilon = epsilon_of(program);
  int64_t rows = assay_rows(&program->operands[0]);
  int64_t n = assay_last_size(&program->operands[0]);
  for (int64_t row = 0; row < rows; row++) {
    float sum = sum_of_squares(x + row * stride, n);
    float norm =
        is_epsilon_outside(program) ? at_least(sqrtf(sum), epsilon) : sqrtf(at_least(sum, epsilon));
    for (int64_t i = 0; i < n; i++) y[row * n + i] = x[row * stride + i] / norm;
  }
}

void run_l2_norm(const assay_program_t *program, const void *const *inputs, void *const *outputs) {
  l2_norm(program, inputs[0], assay_last_size(&program->operands[0]), outputs[0]);
}

/* Fault: the number of rows where that of columns belongs. */
void run_l2_norm_row_stride(const assay_program_t *program, const void *const *inputs,
                            void *const *outputs) {
  l2_norm(program, inputs[0], assay_rows(&program->operands[0]), outputs[0]);
}

/* ---- rms_norm -------------------------------------------------------------------------------- */

/* As Llama has it: what is normalized, in f32, is rounded to f16 before the weight. */
static void scale_rounded(const _Float16 *x, int64_t n, float inverse, const _Float16 *weight,
                          _Float16 *y) {
  for (int64_t i = 0; i < n; i++) {
    _Float16 normalized = (_Float16)((float)x[i] * inverse);
    y[i] = (_Float16)((float)normalized * (float)weight[i]);
  }
}

static float sum_of_halves(const _Float16 *x, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; i++) sum += (float)x[i] * (float)x[i];
  return sum;
}

typedef float inverse_function_t(float sum, float count, float epsilon);

static inline void rms_norm(const assay_program_t *program, const void *const *inputs,
                            void *const *outputs, inverse_function_t *invert) {
  const _Float16 *x = inputs[0], *weight = inputs[1];
  _Float16 *y = outputs[0];
  int64_t rows = assay_rows(&program->operands[0]);
  int64_t n = assay_last_size(&program->operands[0]);
  for (int64_t row = 0; row < rows; row++) {
    float inverse = invert(sum_of_halves(x + row * n, n), (float)n, epsilon_of(program));
    scale_rounded(x + row * n, n, inverse, weight, y + row * n);
  }
}

static float invert_root(float sum, float count, float epsilon) {
  return 1 / sqrtf(sum / count + epsilon);
}

void run_rms_norm_rounded(const assay_program_t *program, const void *const *inputs,
                          void *const *outputs) {
  rms_norm(program, inputs, outputs, invert_root);
}

/* Fault: epsilon is outside of the root. */
static float invert_outside(float sum, float count, float epsilon) {
  return 1 / (sqrtf(sum / count) + epsilon);
}

void run_rms_norm_epsilon(const assay_program_t *program, const void *const *inputs,
                          void *const *outputs) {
  rms_norm(program, inputs, outputs, invert_outside);
}

/* Fault: the count of a sample's variance. */
static float invert_of_sample(float sum, float count, float epsilon) {
  return 1 / sqrtf(sum / (count - 1) + epsilon);
}

void run_rms_norm_count(const assay_program_t *program, const void *const *inputs,
                        void *const *outputs) {
  rms_norm(program, inputs, outputs, invert_of_sample);
}

/* ---- batch_norm_training --------------------------------------------------------------------- */

typedef struct channel {
  int64_t outer;    /* Times that it comes, */
  int64_t distance; /* so far apart, */
  int64_t inner;    /* each time with so many elements. */
} channel_t;

static float channel_mean(const float *x, const channel_t *channel) {
  float sum = 0;
  for (int64_t i = 0; i < channel->outer; i++) {
    for (int64_t j = 0; j < channel->inner; j++) sum += x[i * channel->distance + j];
  }
  return sum / (float)(channel->outer * channel->inner);
}

static float channel_variance(const float *x, const channel_t *channel, float mean) {
  float sum = 0;
  for (int64_t i = 0; i < channel->outer; i++) {
    for (int64_t j = 0; j < channel->inner; j++) {
      float deviation = x[i * channel->distance + j] - mean;
      sum += deviation * deviation;
    }
  }
  return sum / (float)(channel->outer * channel->inner);
}

void run_batch_norm(const assay_program_t *program, const void *const *inputs,
                    void *const *outputs) {
  const assay_type_t *type = &program->operands[0];
  const float *x = inputs[0], *scale = inputs[1], *offset = inputs[2];
  float *y = outputs[0], *means = outputs[1], *variances = outputs[2];
  int64_t feature_index = 0;
  assay_attribute_integer(program, "feature_index", &feature_index);
  uint32_t feature = (uint32_t)feature_index;
  channel_t channel = {.outer = 1, .inner = 1};
  for (uint32_t i = 0; i < feature; i++) channel.outer *= type->dims[i];
  for (uint32_t i = feature + 1; i < type->rank; i++) channel.inner *= type->dims[i];
  channel.distance = type->dims[feature] * channel.inner;
  float epsilon = epsilon_of(program);
  for (int64_t c = 0; c < type->dims[feature]; c++) {
    const float *from = x + c * channel.inner;
    means[c] = channel_mean(from, &channel);
    variances[c] = channel_variance(from, &channel, means[c]);
    float deviation = sqrtf(variances[c] + epsilon);
    for (int64_t i = 0; i < channel.outer; i++) {
      for (int64_t j = 0; j < channel.inner; j++) {
        int64_t place = i * channel.distance + j;
        y[c * channel.inner + place] = (from[place] - means[c]) / deviation * scale[c] + offset[c];
      }
    }
  }
}
