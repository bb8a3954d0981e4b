/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/composite/store/fast_store.h"

#include <string.h>

#include "harness/base/instruction_set.h"

extern const fast_store_t fast_store_portable;
#ifdef VECTOR_KERNELS_X86
extern const fast_store_t fast_store_avx2, fast_store_avx512;
#endif

const fast_store_t *fast_store_best(void) {
#ifdef VECTOR_KERNELS_X86
  const instruction_set_t set = instruction_set();
  if (set == ISA_AVX512) return &fast_store_avx512;
  if (set == ISA_AVX2) return &fast_store_avx2;
#endif
  return &fast_store_portable;
}

const fast_store_t *fast_store_named(const char *name) {
#ifdef VECTOR_KERNELS_X86
  if (strcmp(name, "avx512") == 0) return machine_has(ISA_AVX512) ? &fast_store_avx512 : NULL;
  if (strcmp(name, "avx2") == 0) return machine_has(ISA_AVX2) ? &fast_store_avx2 : NULL;
#endif
  return strcmp(name, "portable") == 0 ? &fast_store_portable : NULL;
}
