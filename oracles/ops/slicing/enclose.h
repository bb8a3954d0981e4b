/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of slices, pads and reversals. */
#ifndef ASSAY_ORACLES_OPS_SLICING_ENCLOSE_H
#define ASSAY_ORACLES_OPS_SLICING_ENCLOSE_H

#include "oracles/oracle.h"

/* As oracle_t.enclose, of ops whose sources no operand tells; STATUS_UNSUPPORTED for complex
 * numbers. */
status_t slicing_enclose(const enclosure_call_t *call, box_t *const out_results[CASE_RESULTS_MAX]);

#endif
