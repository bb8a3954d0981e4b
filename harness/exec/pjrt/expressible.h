/* SPDX-License-Identifier: Apache-2.0 */
/* Which programs can be handed to a PJRT plugin at all. */
#ifndef ASSAY_EXEC_PJRT_EXPRESSIBLE_H
#define ASSAY_EXEC_PJRT_EXPRESSIBLE_H

#include "harness/exec/assay_executor.h"

/* ASSAY_EXECUTOR_OK, or ASSAY_EXECUTOR_UNSUPPORTED with what PJRT has no words for. */
int32_t pjrt_is_expressible(const assay_program_t *program, assay_reason_t *reason);

#endif
