/* byteir.top_k: what it may return.
 *
 * A row of results conforms as a whole or not at all: one order of the elements has to explain all
 * of it, the same index may not come twice, and of the elements that are equal to the k-th only so
 * many may come as there is room for.  Where no permitted order explains a row, the elements are
 * blamed that the usual one does not. */
#ifndef ASSAY_OPS_BYTEIR_PICK_TOP_K_H
#define ASSAY_OPS_BYTEIR_PICK_TOP_K_H

#include "oracles/oracle.h"

/* The functions of oracle_t of the same names. */
status_t byteir_top_k_accept(const case_t *instance, const contract_t *contract, arena_t *arena,
                             accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error);
status_t byteir_top_k_ask(const case_t *instance, const contract_t *contract, uint32_t result,
                          size_t component, const tensor_t *results, arena_t *arena,
                          answer_t *out_answer, failure_t *error);
status_t byteir_top_k_ask_remembering(const case_t *instance, const contract_t *contract,
                                      uint32_t result, size_t component, const tensor_t *results,
                                      ask_memo_t *memo, arena_t *arena, answer_t *out_answer,
                                      failure_t *error);

#endif
