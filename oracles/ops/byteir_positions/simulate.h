/* SPDX-License-Identifier: Apache-2.0 */
/* Concrete implementations of arg_max, arg_min and top_k. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_POSITIONS_SIMULATE_H
#define ASSAY_ORACLES_OPS_BYTEIR_POSITIONS_SIMULATE_H

#include "harness/model/case.h"
#include "harness/model/implementation_model.h"
#include "oracles/oracle_call.h"

/* The functions of oracle_t of the same names. */
status_t byteir_arg_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                             tensor_t *inout_results);

/* An unsorted top_k comes in descending order from sequential trees, in order of indices from other
 * regular ones, and in a random order from random ones. */
status_t byteir_top_k_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                               tensor_t *inout_results);

#endif
