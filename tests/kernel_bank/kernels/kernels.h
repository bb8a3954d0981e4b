/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the bank in C: one function for each row of tests/kernel_bank/kernels.def, and the
 * questions about programs that the rows ask. */
#ifndef ASSAY_TESTS_KERNEL_BANK_KERNELS_KERNELS_H
#define ASSAY_TESTS_KERNEL_BANK_KERNELS_KERNELS_H

#include "harness/exec/assay_kernel.h"

int is_gelu_by_erf(const assay_program_t *program);
int is_gelu_by_tanh(const assay_program_t *program);
int is_plain_matmul(const assay_program_t *program);
int is_sum_along_last(const assay_program_t *program);
int is_features_last(const assay_program_t *program);

#define RIGHT(name, ...) \
  void run_##name(const assay_program_t *program, const void *const *inputs, void *const *outputs);
#define FAULTY RIGHT
#include "tests/kernel_bank/kernels.def"
#undef FAULTY
#undef RIGHT

#endif
