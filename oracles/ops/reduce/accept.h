/* SPDX-License-Identifier: Apache-2.0 */
/* The fast accept sets of a reduce. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_ACCEPT_H
#define ASSAY_ORACLES_OPS_REDUCE_ACCEPT_H

#include "harness/model/accept.h"
#include "oracles/oracle_call.h"

/* As oracle_t.accept. */
status_t reduce_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]);

#endif
