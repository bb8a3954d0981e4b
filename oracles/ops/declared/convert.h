/* SPDX-License-Identifier: Apache-2.0 */
/* STEP_CONVERT of a declared op, to floats.  Private to this folder. */
#ifndef ASSAY_ORACLES_OPS_DECLARED_CONVERT_H
#define ASSAY_ORACLES_OPS_DECLARED_CONVERT_H

#include "oracles/ops/declared/run.h"

row_t run_convert(run_t *run, const step_t *step);

#endif
