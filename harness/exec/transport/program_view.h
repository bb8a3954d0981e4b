/* SPDX-License-Identifier: Apache-2.0 */
/* A program as backends see it through the ABI. */
#ifndef ASSAY_EXEC_TRANSPORT_PROGRAM_VIEW_H
#define ASSAY_EXEC_TRANSPORT_PROGRAM_VIEW_H

#include "harness/exec/assay_executor.h"
#include "harness/model/op.h"

/* All memory of the view lives in `arena` or is the program's. */
const assay_program_t *program_view(const program_t *program, arena_t *arena);

#endif
