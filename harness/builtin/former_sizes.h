/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of programs with sizes that are unknown when they are compiled: what a kernel keeps of the
 * sizes that it ran at before.  Of other programs, and of other faults, these do nothing. */
#ifndef ASSAY_BUILTIN_FORMER_SIZES_H
#define ASSAY_BUILTIN_FORMER_SIZES_H

#include "harness/model/case.h"
#include "harness/model/fault.h"

/* Of one compiled program; filled with 0 at first. */
typedef struct former_sizes {
  bool has_run;
  type_t first[CASE_RESULTS_MAX]; /* The results' types of the first execution. */
  case_t largest;                 /* The operands of an execution at the largest size. */
  arena_t arena;                  /* Of `largest`, if `has_largest`. */
  bool has_largest;
} former_sizes_t;

void former_sizes_deinit(former_sizes_t *former);

/* former_size_padded: where an earlier execution was larger, the operands are as large as they were
 * then, and hold behind what was given what they held then.  True if it changed the case; its
 * results are then as large too. */
bool former_sizes_spoil(fault_t fault, former_sizes_t *former, case_t *inout_case, arena_t *arena);

/* Zeroed results of a program. */
void former_sizes_make_results(const program_t *program, arena_t *arena, tensor_t *out_results);

/* Copies what the results hold of `larger`, if that is not NULL.  first_size_kept: elements beyond
 * the sizes of the first execution are 0. */
void former_sizes_store(fault_t fault, former_sizes_t *former, const tensor_t *larger,
                        uint32_t count, tensor_t *inout_results);

#endif
