/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of the elementwise ops. */
#ifndef ASSAY_ORACLES_OPS_ELEMENTWISE_ENCLOSE_H
#define ASSAY_ORACLES_OPS_ELEMENTWISE_ENCLOSE_H

#include "oracles/oracle.h"

/* As oracle_t.enclose; STATUS_UNSUPPORTED for complex numbers and for f8E8M0FNU, which has no zero.
 */
status_t elementwise_enclose(const enclosure_call_t *call,
                             box_t *const out_results[CASE_RESULTS_MAX]);

#endif
