/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the table at the end of a source that is compiled once for each instruction set
 * (oracles/vector_kernels.cmake), which is all that is visible of it. */
#ifndef ASSAY_ORACLES_EXACT_VECTOR_KERNELS_H
#define ASSAY_ORACLES_EXACT_VECTOR_KERNELS_H

#ifndef KERNEL_SUFFIX
#define KERNEL_SUFFIX portable
#endif

#define KERNEL_JOIN_EXPANDED(a, b) a##b
#define KERNEL_JOIN(a, b) KERNEL_JOIN_EXPANDED(a, b)
#define KERNEL_QUOTE_EXPANDED(a) #a
#define KERNEL_QUOTE(a) KERNEL_QUOTE_EXPANDED(a)

/* KERNEL_TABLE(exact_kernels_) is exact_kernels_avx2, say, and KERNEL_NAME "avx2". */
#define KERNEL_TABLE(prefix) KERNEL_JOIN(prefix, KERNEL_SUFFIX)
#define KERNEL_NAME KERNEL_QUOTE(KERNEL_SUFFIX)

#endif
