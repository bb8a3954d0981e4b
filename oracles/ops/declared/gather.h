/* SPDX-License-Identifier: Apache-2.0 */
/* STEP_GATHER and STEP_PICK of a declared op: numbers at places that integers or the file give.
 * Private to this folder. */
#ifndef ASSAY_ORACLES_OPS_DECLARED_GATHER_H
#define ASSAY_ORACLES_OPS_DECLARED_GATHER_H

#include "oracles/ops/declared/run.h"

/* Of floats, and of integers or booleans. */
row_t run_gather(run_t *run, const step_t *step);
integer_row_t run_gather_integers(run_t *run, const step_t *step);

/* Of floats, at the place of the step. */
row_t run_pick(run_t *run, const step_t *step);

#endif
