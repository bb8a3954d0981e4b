/* The quick accept sets of quantized and hybrid dot_generals, and by which semantics quantized
 * results were computed. */
#ifndef ASSAY_OPS_DOT_QUANTIZED_ACCEPT_H
#define ASSAY_OPS_DOT_QUANTIZED_ACCEPT_H

#include "harness/model/accept.h"
#include "oracles/ops/dot_general/dot_reading.h"

/* As oracle_t.accept. */
status_t dot_quantized_accept(const case_t *instance, const contract_t *contract, arena_t *arena,
                              accept_t *out_accept, failure_t *error);
status_t dot_hybrid_accept(const case_t *instance, const contract_t *contract, arena_t *arena,
                           accept_t *out_accept, failure_t *error);

/* As oracle_t.find_formula: STATUS_UNSUPPORTED unless the program is quantized. */
status_t dot_quantized_find_formula(const case_t *instance, const contract_t *contract,
                                    const accept_t *accepts, const tensor_t *results,
                                    arena_t *arena, uint8_t *out_formula, bool *out_found,
                                    failure_t *error);

#endif
