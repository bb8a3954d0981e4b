/* SPDX-License-Identifier: Apache-2.0 */
/* The vector kernels of this folder, one table for each instruction set they were compiled for. */
#ifndef ASSAY_ORACLES_EXACT_MATMUL_KERNELS_H
#define ASSAY_ORACLES_EXACT_MATMUL_KERNELS_H

#include "harness/base/arena.h"
#include "oracles/exact/matmul/enclosure_round.h"
#include "oracles/exact/matmul/matmul.h"
#include "oracles/exact/matmul/signed_sums.h"

typedef struct exact_kernels {
  const char *name; /* "avx512", "avx2", "portable". */
  void (*matmul_f32)(const exact_matmul_t *matmul, const float *a, const float *b, arena_t *arena);
  void (*matmul_f64)(const exact_matmul_t *matmul, const double *a, const double *b,
                     arena_t *arena);
  void (*sums_f32)(const exact_matmul_t *sums, const float *b, arena_t *arena);
  void (*sums_f64)(const exact_matmul_t *sums, const double *b, arena_t *arena);
  void (*round_ends)(const enclosure_t *enclosure, double *low, double *high);
  void (*signed_sums_f32)(const float *a, const float *b, size_t k, size_t stride, size_t columns,
                          signed_sums_t *out_sums);
  void (*signed_sums_f64)(const double *a, const double *b, size_t k, size_t stride, size_t columns,
                          signed_sums_t *out_sums);
} exact_kernels_t;

/* The fastest that this machine can run. */
const exact_kernels_t *exact_kernels_best(void);

/* The table of that name; NULL if this build or this machine lacks it. */
const exact_kernels_t *exact_kernels_named(const char *name);

#endif
