/* SPDX-License-Identifier: Apache-2.0 */
/* The floating-point environment: rounding mode and flush-to-zero (MXCSR on x86, FPCR on Arm).
 * Loading a library that was linked with -Ofast switches a whole process to flush-to-zero; that
 * must never reach the oracle. */
#ifndef ASSAY_EXEC_TRANSPORT_ENVIRONMENT_H
#define ASSAY_EXEC_TRANSPORT_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct environment {
  uint64_t control; /* The control bits, without the exception flags. */
} environment_t;

/* The present one of this thread. */
environment_t environment_get(void);

/* Round to nearest even, gradual underflow, all exceptions masked. */
environment_t environment_default(void);

/* Sets it; true if it differed before. */
bool environment_set(environment_t environment);

#endif
