/* byteir.one_hot: what it returns. */
#ifndef ASSAY_OPS_BYTEIR_PICK_ONE_HOT_H
#define ASSAY_OPS_BYTEIR_PICK_ONE_HOT_H

#include "harness/model/accept.h"
#include "harness/model/schedule.h"

/* The functions of oracle_t of the same names. */
status_t byteir_one_hot_accept(const case_t *instance, const contract_t *contract, arena_t *arena,
                               accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error);
status_t byteir_one_hot_ask(const case_t *instance, const contract_t *contract, uint32_t result,
                            size_t component, const tensor_t *results, arena_t *arena,
                            answer_t *out_answer, failure_t *error);
status_t byteir_one_hot_simulate(const case_t *instance, const schedule_t *schedule, arena_t *arena,
                                 tensor_t *inout_results, failure_t *error);

#endif
