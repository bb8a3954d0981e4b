/* Convolutions whose result has a wider element type than the operands. */
#ifndef ASSAY_OPS_CONVOLUTION_WIDENING_H
#define ASSAY_OPS_CONVOLUTION_WIDENING_H

#include "oracles/oracle.h"

/* For oracle_t: what is gathered for the case as it is and, where the contract permits sums in the
 * operands' type, for the convolution that has a result of that type. */
status_t convolution_ask(const case_t *instance, const contract_t *contract, uint32_t result,
                         size_t component, const tensor_t *results, arena_t *arena,
                         answer_t *out_answer, failure_t *error);
status_t convolution_ask_remembering(const case_t *instance, const contract_t *contract,
                                     uint32_t result, size_t component, const tensor_t *results,
                                     ask_memo_t *memo, arena_t *arena, answer_t *out_answer,
                                     failure_t *error);
status_t convolution_simulate(const case_t *instance, const schedule_t *schedule, arena_t *arena,
                              tensor_t *inout_results, failure_t *error);
status_t convolution_enclose(const program_t *program, const contract_t *contract,
                             const box_t *const operands[CASE_OPERANDS_MAX], arena_t *arena,
                             box_t *const out_results[CASE_RESULTS_MAX], failure_t *error);

#endif
