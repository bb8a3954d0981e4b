/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the bank as one shared object: dso:tests/dso/kernel_bank.so?NAME. */
#include "tests/kernel_bank/kernels/kernels.h"

#define ROW(name, op, types, keys, takes, ...) {#name, op, types, keys, takes, run_##name},
#define RIGHT(...) ROW(__VA_ARGS__, )
#define FAULTY(...) ROW(__VA_ARGS__)

static const assay_kernel_t kernels[] = {
#include "tests/kernel_bank/kernels.def"
};

ASSAY_KERNELS(kernels)
