/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.top_k: what it may return.
 *
 * A row of results conforms as a whole or not at all: one order of the elements has to explain all
 * of it, the same index may not come twice, and of the elements that are equal to the k-th only so
 * many may come as there is room for.  Where no permitted order explains a row, the elements are
 * blamed that the usual one does not. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_POSITIONS_TOP_K_H
#define ASSAY_ORACLES_OPS_BYTEIR_POSITIONS_TOP_K_H

#include "oracles/oracle.h"

/* The functions of oracle_t of the same names. */
status_t byteir_top_k_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]);
status_t byteir_top_k_decide(const oracle_call_t *call, uint32_t result, size_t component,
                             answer_t *out_answer);

#endif
