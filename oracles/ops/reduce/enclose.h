/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of reduce. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_ENCLOSE_H
#define ASSAY_ORACLES_OPS_REDUCE_ENCLOSE_H

#include "oracles/oracle.h"

/* As oracle_t.enclose, for add, sum_count, multiply, maximum and minimum; STATUS_UNSUPPORTED for
 * other bodies, for complex numbers and for floats without a zero. */
status_t reduce_enclose(const enclosure_call_t *call, box_t *const out_results[CASE_RESULTS_MAX]);

/* The same of a quantized program. */
status_t reduce_quantized_enclose(const enclosure_call_t *call, box_t *out_result);

#endif
