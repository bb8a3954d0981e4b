/* SPDX-License-Identifier: Apache-2.0 */
/* A direct convolution of f32 with two spatial dimensions, features last. */
#include "tests/kernel_bank/kernels/kernels.h"

enum { SPATIAL = 2 };

int is_features_last(const assay_program_t *program) {
  static const uint32_t features_last[] = {0, 3, 1, 2}, filters[] = {2, 3, 0, 1};
  assay_convolution_dims_t dims;
  int64_t groups = 0;
  return assay_attribute_integer(program, "batch_group_count", &groups) && groups == 1 &&
         program->operands[0].rank == 4 && assay_convolution_read(program, 4, &dims) &&
         memcmp(dims.lhs, features_last, sizeof features_last) == 0 &&
         memcmp(dims.rhs, filters, sizeof filters) == 0 &&
         memcmp(dims.result, features_last, sizeof features_last) == 0;
}

typedef struct window {
  assay_dims_t strides;
  assay_dims_t before; /* Padding. */
  assay_dims_t after;
  assay_dims_t lhs_dilation;
  assay_dims_t rhs_dilation;
  bool is_reversed[SPATIAL];
  const int64_t *lhs; /* Dimensions: batch, 0, 1, feature; */
  const int64_t *rhs; /* 0, 1, input feature, output feature. */
} window_t;

/* Which element of the operand is behind tap `tap` of the window at `place`; -1: padding, or a gap.
 */
static int64_t element_at(const window_t *window, int dim, int64_t place, int64_t tap) {
  int64_t offset = place * window->strides.dims[dim] + tap * window->rhs_dilation.dims[dim] -
                   window->before.dims[dim];
  int64_t element = offset / window->lhs_dilation.dims[dim];
  int is_gap = offset < 0 || offset % window->lhs_dilation.dims[dim] != 0;
  return is_gap || element >= window->lhs[1 + dim] ? -1 : element;
}

static float dot_window(const window_t *window, const float *x, const float *kernel,
                        const int64_t place[4], int64_t first_feature) {
  const int64_t *lhs = window->lhs, *rhs = window->rhs;
  float sum = 0;
  for (int64_t i = 0; i < rhs[0]; i++) {
    for (int64_t j = 0; j < rhs[1]; j++) {
      int64_t row = element_at(window, 0, place[1], window->is_reversed[0] ? rhs[0] - 1 - i : i);
      int64_t column = element_at(window, 1, place[2], window->is_reversed[1] ? rhs[1] - 1 - j : j);
      int is_padding = row < 0 || column < 0;
      for (int64_t f = 0; f < rhs[2]; f++) {
        int64_t from = ((place[0] * lhs[1] + row) * lhs[2] + column) * lhs[3] + first_feature + f;
        float factor = is_padding ? 0 : x[from];
        sum += factor * kernel[((i * rhs[1] + j) * rhs[2] + f) * rhs[3] + place[3]];
      }
    }
  }
  return sum;
}

void run_convolution(const assay_program_t *program, const void *const *inputs,
                     void *const *outputs) {
  window_t window = {.lhs = program->operands[0].dims, .rhs = program->operands[1].dims};
  int64_t groups = 1;
  assay_attribute_dims(program, "window_strides", &window.strides);
  assay_attribute_pairs(program, "padding", &window.before, &window.after);
  assay_attribute_dims(program, "lhs_dilation", &window.lhs_dilation);
  assay_attribute_dims(program, "rhs_dilation", &window.rhs_dilation);
  assay_attribute_booleans(program, "window_reversal", SPATIAL, window.is_reversed);
  assay_attribute_integer(program, "feature_group_count", &groups);
  const int64_t *sizes = program->results[0].dims;
  float *y = outputs[0];
  for (int64_t b = 0; b < sizes[0]; b++) {
    for (int64_t i = 0; i < sizes[1]; i++) {
      for (int64_t j = 0; j < sizes[2]; j++) {
        for (int64_t f = 0; f < sizes[3]; f++) {
          int64_t group = f / (sizes[3] / groups);
          const int64_t place[4] = {b, i, j, f};
          *y++ = dot_window(&window, inputs[0], inputs[1], place, group * window.rhs[2]);
        }
      }
    }
  }
}
