/* SPDX-License-Identifier: Apache-2.0 */
/* The fast side of the judge: holds a block of components against a fast accept set (accept.h)
 * and measures their errors, in loops that compilers turn into vector code.  Private to
 * harness/judge. */
#ifndef ASSAY_JUDGE_BLOCK_COMPARE_H
#define ASSAY_JUDGE_BLOCK_COMPARE_H

#include "harness/model/accept.h"

enum { COMPONENT_BLOCK = 256 }; /* Components: their scratch stays in the first-level cache. */

typedef struct component_block {
  size_t first;                       /* Component that slot 0 holds. */
  size_t count;                       /* Slots in use, at most COMPONENT_BLOCK. */
  uint64_t rejected[COMPONENT_BLOCK]; /* Nonzero where the fast set does not hold the component. */
  uint64_t rejected_any;              /* Nonzero if some slot is. */
} component_block_t;

/* The largest measures seen; see verdict.h. */
typedef struct measures {
  double ulp_error;
  double slack;
  double backward_error;
} measures_t;

/* Fills `rejected` for block->first and block->count, and raises the measures to those of the
 * components whose reference value is known. */
void block_compare(const accept_t *accept, const tensor_t *result, component_block_t *block,
                   measures_t *inout_measures);

#endif
