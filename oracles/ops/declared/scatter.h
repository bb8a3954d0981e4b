/* SPDX-License-Identifier: Apache-2.0 */
/* STEP_SCATTER_ADD and STEP_SCATTER_REPLACE of a declared op: numbers brought to places that
 * integers give.  Private to this folder. */
#ifndef ASSAY_ORACLES_OPS_DECLARED_SCATTER_H
#define ASSAY_ORACLES_OPS_DECLARED_SCATTER_H

#include "oracles/ops/declared/run.h"

/* Of floats, and of integers or booleans. */
row_t run_scatter(run_t *run, const step_t *step);
integer_row_t run_scatter_integers(run_t *run, const step_t *step);

#endif
