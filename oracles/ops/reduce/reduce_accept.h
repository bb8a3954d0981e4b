/* The quick accept sets of a reduce. */
#ifndef ASSAY_OPS_REDUCE_ACCEPT_H
#define ASSAY_OPS_REDUCE_ACCEPT_H

#include "harness/model/accept.h"

/* As oracle_t.accept. */
status_t reduce_accept(const case_t *instance, const contract_t *contract, arena_t *arena,
                       accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error);

#endif
