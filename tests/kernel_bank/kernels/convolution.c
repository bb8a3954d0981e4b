/* SPDX-License-Identifier: Apache-2.0 */
/* A direct convolution of f32 with two spatial dimensions, features last. */
#include "tests/kernel_bank/kernels/kernels.h"

enum { SPATIAL = 2 };

int is_features_last(const assay_program_t *program) {
  return strcmp(assay_attribute(program, "dimension_numbers"), "[b,0,1,f]x[0,1,i,o]->[b,0,1,f]") ==
             0 &&
         strcmp(assay_attribute(program, "batch_group_count"), "1") == 0;
}

/* Reads the numbers of a list, of lists too: "[[0,1],[-1,2]]". */
static void read_numbers(const char *text, int count, int64_t *out) {
  for (int i = 0; i < count; i++) {
    text += strcspn(text, "-0123456789");
    char *end = NULL;
    out[i] = strtoll(text, &end, 10);
    text = end;
  }
}

static void read_flags(const char *text, int *out) {
  out[0] = strncmp(text, "[true", 5) == 0;
  out[1] = strstr(text, ",true]") != NULL;
}

typedef struct window {
  int64_t strides[SPATIAL];
  int64_t padding[2 * SPATIAL];
  int64_t lhs_dilation[SPATIAL];
  int64_t rhs_dilation[SPATIAL];
  int is_reversed[SPATIAL];
  const int64_t *lhs; /* Dimensions: batch, 0, 1, feature; */
  const int64_t *rhs; /* 0, 1, input feature, output feature. */
} window_t;

/* Which element of the operand is behind tap `tap` of the window at `place`; -1: padding, or a gap.
 */
static int64_t element_at(const window_t *window, int dim, int64_t place, int64_t tap) {
  int64_t offset =
      place * window->strides[dim] + tap * window->rhs_dilation[dim] - window->padding[2 * dim];
  int64_t element = offset / window->lhs_dilation[dim];
  int is_gap = offset < 0 || offset % window->lhs_dilation[dim] != 0;
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
  read_numbers(assay_attribute(program, "window_strides"), SPATIAL, window.strides);
  read_numbers(assay_attribute(program, "padding"), 2 * SPATIAL, window.padding);
  read_numbers(assay_attribute(program, "lhs_dilation"), SPATIAL, window.lhs_dilation);
  read_numbers(assay_attribute(program, "rhs_dilation"), SPATIAL, window.rhs_dilation);
  read_flags(assay_attribute(program, "window_reversal"), window.is_reversed);
  int64_t groups = strtoll(assay_attribute(program, "feature_group_count"), NULL, 10);
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
