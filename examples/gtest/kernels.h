/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels under test, in C. */
#ifndef ASSAY_EXAMPLES_GTEST_KERNELS_H
#define ASSAY_EXAMPLES_GTEST_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* c = a b: [rows, terms] by [terms, columns], row-major; elements are bf16, sums f32. */
void matmul_bf16(const uint16_t *a, const uint16_t *b, uint16_t *c, int64_t rows, int64_t terms,
                 int64_t columns);

/* Each of `rows` rows of `size` numbers: (x - mean) / sqrt(variance + epsilon) * weight + bias. */
void layer_norm(const float *x, const float *weight, const float *bias, float *y, int64_t rows,
                int64_t size, float epsilon);

#ifdef __cplusplus
}
#endif
#endif
