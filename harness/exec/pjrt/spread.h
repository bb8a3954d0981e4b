/* SPDX-License-Identifier: Apache-2.0 */
/* How a program is spread over devices.  A case of a collective has all its processes: dimension 0
 * of every operand and result counts them, process (replica r, partition p) as r * partitions + p,
 * and the module is what each of them runs, on tensors without that dimension.  All other programs
 * have one process. */
#ifndef ASSAY_EXEC_PJRT_SPREAD_H
#define ASSAY_EXEC_PJRT_SPREAD_H

#include <glib.h>
#include <stdbool.h>

#include "harness/exec/assay_executor.h"

typedef struct pjrt_spread {
  bool is_collective;
  uint32_t replicas;
  uint32_t partitions;
} pjrt_spread_t;

/* Refuses what breaks a rule on the number of processes, which no module can tell: as
 * ASSAY_EXECUTOR_INVALID; and as _UNSUPPORTED a program of no process. */
int32_t pjrt_spread_find(const assay_program_t *program, pjrt_spread_t *out_spread,
                         assay_reason_t *reason);

static inline uint32_t pjrt_spread_processes(const pjrt_spread_t *spread) {
  return spread->replicas * spread->partitions;
}

/* The type of what one process has. */
static inline assay_type_t pjrt_spread_type(const pjrt_spread_t *spread, const assay_type_t *type) {
  assay_type_t own = *type;
  if (!spread->is_collective) return own;
  own.dims++;
  own.rank--;
  return own;
}

/* The module to compile, freed by the caller: of several partitions each argument and result is
 * marked as one partition's own, or XLA would divide it.  NULL if the module has no main as we
 * print it. */
char *pjrt_spread_module(const pjrt_spread_t *spread, const assay_program_t *program);

#endif
