/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of gelu. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_SPECIAL_FUNCTIONS_ENCLOSE_H
#define ASSAY_ORACLES_OPS_BYTEIR_SPECIAL_FUNCTIONS_ENCLOSE_H

#include "oracles/oracle.h"

/* As oracle_t.enclose. */
status_t byteir_gelu_enclose(const enclosure_call_t *call,
                             box_t *const out_results[CASE_RESULTS_MAX]);

#endif
