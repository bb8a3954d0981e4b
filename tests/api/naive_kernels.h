/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that share nothing with Assay, for checks of real sizes: one image, channels last,
 * windows of 3 by 3, numbers that no order of summation rounds. */
#ifndef ASSAY_TESTS_API_NAIVE_KERNELS_H
#define ASSAY_TESTS_API_NAIVE_KERNELS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct image {
  int64_t size; /* Of both sides. */
  int64_t channels;
} image_t;

static inline size_t image_count(image_t image) {
  return (size_t)(image.size * image.size * image.channels);
}

static inline float naive_small(size_t i) { return (float)((int)(i * 2654435761U >> 13 & 7) - 3); }

/* All different, for 24 bits of places. */
static inline float naive_distinct(size_t i) {
  return (float)((i * 10368889U & 0xffffff)) - 8388608.0f;
}

static inline void naive_fill(float *data, size_t count, float (*number)(size_t i)) {
  for (size_t i = 0; i < count; i++) data[i] = number(i);
}

/* y[h,w,o] = sum of x[h+i-1, w+j-1, c] k[i,j,c,o], of as many features out as in. */
static inline void naive_convolve(image_t image, const float *x, const float *k, float *y) {
  const int64_t size = image.size, features = image.channels;
  memset(y, 0, image_count(image) * sizeof *y);
  for (int64_t at = 0; at < size * size * 9; at++) {
    const int64_t row = at / 9 / size, column = at / 9 % size;
    const int64_t from_row = row + at % 9 / 3 - 1, from_column = column + at % 3 - 1;
    if (from_row < 0 || from_row >= size || from_column < 0 || from_column >= size) continue;
    const float *from = x + (from_row * size + from_column) * features;
    float *to = y + (row * size + column) * features;
    for (int64_t c = 0; c < features; c++) {
      const float *weights = k + ((at % 9) * features + c) * features;
      for (int64_t o = 0; o < features; o++) to[o] += from[c] * weights[o];
    }
  }
}

/* The largest of the nine around each. */
static inline void naive_pool(image_t image, const float *x, float *y) {
  const int64_t size = image.size, channels = image.channels;
  for (int64_t i = 0; i < size * size * channels; i++) {
    const int64_t row = i / channels / size, column = i / channels % size;
    float largest = -INFINITY;
    for (int64_t k = 0; k < 9; k++) {
      const int64_t r = row + k / 3 - 1, c = column + k % 3 - 1;
      if (r < 0 || r >= size || c < 0 || c >= size) continue;
      largest = fmaxf(largest, x[(r * size + c) * channels + i % channels]);
    }
    y[i] = largest;
  }
}

/* Each source element, of every second place, added where the largest under its window lies, which
 * reaches from there to two places on. */
static inline void naive_scatter(image_t image, const float *x, const float *source, float *y) {
  const int64_t size = image.size, channels = image.channels, windows = size / 2;
  memset(y, 0, image_count(image) * sizeof *y);
  for (int64_t i = 0; i < windows * windows * channels; i++) {
    const int64_t row = i / channels / windows * 2, column = i / channels % windows * 2;
    int64_t best = -1;
    for (int64_t k = 0; k < 9; k++) {
      const int64_t r = row + k / 3, c = column + k % 3;
      if (r >= size || c >= size) continue;
      const int64_t at = (r * size + c) * channels + i % channels;
      if (best < 0 || x[at] > x[best]) best = at;
    }
    y[best] += source[i];
  }
}

#endif
