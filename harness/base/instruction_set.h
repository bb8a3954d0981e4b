/* SPDX-License-Identifier: Apache-2.0 */
/* Which instructions the loops run with that are compiled several times: the widest that this
 * machine has, or those that the variable ASSAY_ISA names.  All of them give the same bits. */
#ifndef ASSAY_BASE_INSTRUCTION_SET_H
#define ASSAY_BASE_INSTRUCTION_SET_H

#include <stdbool.h>

#include "harness/base/status.h"

typedef enum instruction_set {
  ISA_PLAIN, /* What every processor of this kind has. */
  ISA_AVX2,  /* With FMA. */
  ISA_AVX512,
  ISA_COUNT
} instruction_set_t;

/* "plain", "avx2", "avx512" */
const char *instruction_set_name(instruction_set_t set);

bool machine_has(instruction_set_t set);

/* Looked up once; any thread.  A value of ASSAY_ISA that cannot be had ends the program: who can
 * tell that better asks instruction_set_check() before. */
instruction_set_t instruction_set(void);

/* STATUS_INVALID if ASSAY_ISA is no name, or of what this machine has not. */
status_t instruction_set_check(failure_t *error);

#endif
