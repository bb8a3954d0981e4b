/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.arg_max and byteir.arg_min: what they may return. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_POSITIONS_ARG_H
#define ASSAY_ORACLES_OPS_BYTEIR_POSITIONS_ARG_H

#include "harness/model/accept.h"
#include "oracles/oracle_call.h"

/* The functions of oracle_t of the same names. */
status_t byteir_arg_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]);

/* An index is judged beside its value, and a value beside its index: they belong together. */
status_t byteir_arg_decide(const oracle_call_t *call, uint32_t result, size_t component,
                           answer_t *out_answer);

/* Whether the program picks the smallest element instead of the largest. */
bool byteir_arg_is_min(const program_t *program);

#endif
