/* The quick accept sets of a dot_general. */
#ifndef ASSAY_OPS_DOT_GENERAL_ACCEPT_H
#define ASSAY_OPS_DOT_GENERAL_ACCEPT_H

#include "harness/model/accept.h"

/* As oracle_t.accept. */
status_t dot_general_accept(const case_t *instance, const contract_t *contract, arena_t *arena,
                            accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error);

#endif
