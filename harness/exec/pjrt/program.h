/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled programs of a PJRT client: functions of the executor ABI, whose `self` is a
 * pjrt_client_t. */
#ifndef ASSAY_EXEC_PJRT_PROGRAM_H
#define ASSAY_EXEC_PJRT_PROGRAM_H

#include "harness/exec/assay_executor.h"

int32_t pjrt_program_compile(void *self, const assay_program_t *program, void **out_handle,
                             assay_reason_t *reason);
int32_t pjrt_program_execute(void *self, void *handle, const void *const *operands,
                             void *const *results, assay_reason_t *reason);
void pjrt_program_release(void *self, void *handle);

#endif
