/* SPDX-License-Identifier: Apache-2.0 */
/* A product in blocks of terms, and layer_norm.  With -DFAULTY as they are written now and then:
 * the sum goes through bf16 from one block to the next, and epsilon is added behind the root. */
#include "kernels.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 32 };

static float from_bf16(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

/* To the nearest, ties to even; NaN stays NaN. */
static uint16_t to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (isnan(value)) return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void matmul_bf16(const uint16_t *a, const uint16_t *b, uint16_t *c, int64_t rows, int64_t terms,
                 int64_t columns) {
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t j = 0; j < columns; j++) {
      float sum = 0;
      for (int64_t begin = 0; begin < terms; begin += BLOCK) {
        int64_t end = begin + BLOCK < terms ? begin + BLOCK : terms;
        for (int64_t k = begin; k < end; k++) {
          sum += from_bf16(a[i * terms + k]) * from_bf16(b[k * columns + j]);
        }
#ifdef FAULTY
        sum = from_bf16(to_bf16(sum));
#endif
      }
      c[i * columns + j] = to_bf16(sum);
    }
  }
}

void layer_norm(const float *x, const float *weight, const float *bias, float *y, int64_t rows,
                int64_t size, float epsilon) {
  for (int64_t row = 0; row < rows; row++, x += size, y += size) {
    float sum = 0, squares = 0;
    for (int64_t i = 0; i < size; i++) sum += x[i];
    float mean = sum / (float)size;
    for (int64_t i = 0; i < size; i++) squares += (x[i] - mean) * (x[i] - mean);
#ifdef FAULTY
    float deviation = sqrtf(squares / (float)size) + epsilon;
#else
    float deviation = sqrtf(squares / (float)size + epsilon);
#endif
    for (int64_t i = 0; i < size; i++) y[i] = (x[i] - mean) / deviation * weight[i] + bias[i];
  }
}
