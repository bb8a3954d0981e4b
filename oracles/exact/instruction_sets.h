/* SPDX-License-Identifier: Apache-2.0 */
/* Marks for loops that are compiled for several instruction sets and chosen when called, by
 * instruction_set() (harness/base/instruction_set.h): on x86-64 the plain one has neither wide
 * vectors nor a fused multiply-add.  All of them give the same bits. */
#ifndef ASSAY_ORACLES_EXACT_INSTRUCTION_SETS_H
#define ASSAY_ORACLES_EXACT_INSTRUCTION_SETS_H

/* To be compiled into each of its callers, for their instruction set. */
#define INLINE static inline __attribute__((always_inline))

#include "harness/base/instruction_set.h"

#if defined(__x86_64__)
#define HAS_TARGETS 1
#define TARGET_AVX512 __attribute__((target("avx512f,fma")))
#define TARGET_AVX2 __attribute__((target("avx2,fma")))
#else
#define HAS_TARGETS 0
#endif

#endif
