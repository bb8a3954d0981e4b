/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of dot_general. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_ENCLOSE_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_ENCLOSE_H

#include "oracles/oracle.h"

/* As oracle_t.enclose.  STATUS_UNSUPPORTED for complex numbers, and under a contract for programs
 * that name an algorithm. */
status_t dot_general_enclose(const enclosure_call_t *call,
                             box_t *const out_results[CASE_RESULTS_MAX]);

#endif
