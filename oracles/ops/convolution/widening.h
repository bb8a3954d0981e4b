/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions whose result has a wider element type than the operands. */
#ifndef ASSAY_ORACLES_OPS_CONVOLUTION_WIDENING_H
#define ASSAY_ORACLES_OPS_CONVOLUTION_WIDENING_H

#include "oracles/oracle.h"

/* For oracle_t: what is gathered for the case as it is and, where the contract permits sums in the
 * operands' type, for the convolution that has a result of that type. */
status_t convolution_decide(const oracle_call_t *call, uint32_t result, size_t component,
                            answer_t *out_answer);
status_t convolution_ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                            accepted_ranges_t *out_ranges);
status_t convolution_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                              tensor_t *inout_results);
status_t convolution_enclose(const enclosure_call_t *call,
                             box_t *const out_results[CASE_RESULTS_MAX]);

#endif
