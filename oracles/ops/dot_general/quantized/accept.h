/* SPDX-License-Identifier: Apache-2.0 */
/* The fast accept sets of quantized and hybrid dot_generals, and by which semantics quantized
 * results were computed. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_QUANTIZED_ACCEPT_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_QUANTIZED_ACCEPT_H

#include "harness/model/accept.h"
#include "oracles/ops/dot_general/quantized/dequantized.h"
#include "oracles/oracle_call.h"

/* As oracle_t.accept. */
status_t dot_quantized_accept(const oracle_call_t *call, accept_t *out_accept);
status_t dot_hybrid_accept(const oracle_call_t *call, accept_t *out_accept);

/* Whether an algorithm explains the result of a program that names one.  At most `asks` components
 * that no fast set holds are asked about. */
status_t dot_quantized_explains(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                size_t asks, bool *out_explains);

/* As oracle_t.find_formula: STATUS_UNSUPPORTED unless the program is quantized, and names no
 * algorithm. */
status_t dot_quantized_find_formula(const oracle_call_t *call, const accept_t *accepts,
                                    uint8_t *out_formula, bool *out_found);

#endif
