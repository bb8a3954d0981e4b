/* SPDX-License-Identifier: Apache-2.0 */
/* Reduces whose body is written out (harness/kinds/body.h): their accept sets, and models. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_WRITTEN_WRITTEN_H
#define ASSAY_ORACLES_OPS_REDUCE_WRITTEN_WRITTEN_H

#include "oracles/oracle.h"

/* See the members of oracle_t of the same names; of programs with reduce_has_written_body(). */
status_t reduce_written_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]);
status_t reduce_written_decide(const oracle_call_t *call, uint32_t result, size_t component,
                               answer_t *out_answer);
status_t reduce_written_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                                 tensor_t *inout_results);

#endif
