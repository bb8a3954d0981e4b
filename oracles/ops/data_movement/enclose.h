/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of the ops that move elements: they move too. */
#ifndef ASSAY_ORACLES_OPS_DATA_MOVEMENT_ENCLOSE_H
#define ASSAY_ORACLES_OPS_DATA_MOVEMENT_ENCLOSE_H

#include "oracles/oracle.h"

/* As oracle_t.enclose; STATUS_UNSUPPORTED for what is not defined, and for complex numbers. */
status_t data_movement_enclose(const enclosure_call_t *call,
                               box_t *const out_results[CASE_RESULTS_MAX]);

#endif
