/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the instruction set for exact matrix products and sums (portable, AVX2, AVX-512) and
 * forwards to its kernels, which are compiled separately and give identical results. */
#include "oracles/exact/matmul/matmul.h"

#include <stdbool.h>
#include <string.h>

#include "harness/base/instruction_set.h"
#include "oracles/exact/matmul/kernels.h"
#include "oracles/exact/matmul/signed_sums.h"

extern const exact_kernels_t exact_kernels_portable;
#ifdef VECTOR_KERNELS_X86
extern const exact_kernels_t exact_kernels_avx2, exact_kernels_avx512;
#endif

const exact_kernels_t *exact_kernels_best(void) {
#ifdef VECTOR_KERNELS_X86
  switch (instruction_set()) {
    case ISA_AVX512:
      return &exact_kernels_avx512;
    case ISA_AVX2:
      return &exact_kernels_avx2;
    case ISA_PLAIN:
    case ISA_COUNT:
    default:
      break;
  }
#endif
  return &exact_kernels_portable;
}

const exact_kernels_t *exact_kernels_named(const char *name) {
#ifdef VECTOR_KERNELS_X86
  if (strcmp(name, "avx512") == 0) return machine_has(ISA_AVX512) ? &exact_kernels_avx512 : NULL;
  if (strcmp(name, "avx2") == 0) return machine_has(ISA_AVX2) ? &exact_kernels_avx2 : NULL;
#endif
  return strcmp(name, "portable") == 0 ? &exact_kernels_portable : NULL;
}

void exact_matmul_f32(const exact_matmul_t *matmul, const float *a, const float *b,
                      arena_t *arena) {
  exact_kernels_best()->matmul_f32(matmul, a, b, arena);
}

void exact_matmul_f64(const exact_matmul_t *matmul, const double *a, const double *b,
                      arena_t *arena) {
  exact_kernels_best()->matmul_f64(matmul, a, b, arena);
}

void exact_sums_f32(const exact_matmul_t *sums, const float *b, arena_t *arena) {
  exact_kernels_best()->sums_f32(sums, b, arena);
}

void exact_sums_f64(const exact_matmul_t *sums, const double *b, arena_t *arena) {
  exact_kernels_best()->sums_f64(sums, b, arena);
}

void signed_sums_f32(const float *a, const float *b, size_t k, size_t stride, size_t columns,
                     signed_sums_t *out_sums) {
  exact_kernels_best()->signed_sums_f32(a, b, k, stride, columns, out_sums);
}

void signed_sums_f64(const double *a, const double *b, size_t k, size_t stride, size_t columns,
                     signed_sums_t *out_sums) {
  exact_kernels_best()->signed_sums_f64(a, b, k, stride, columns, out_sums);
}
