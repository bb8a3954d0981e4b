/* SPDX-License-Identifier: Apache-2.0 */
/* The fast accept sets of real float products: reduce with body multiply. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_PRODUCT_ACCEPT_H
#define ASSAY_ORACLES_OPS_REDUCE_PRODUCT_ACCEPT_H

#include "harness/model/accept.h"
#include "oracles/ops/reduce/reduce.h"
#include "oracles/oracle_call.h"

/* Knows products of formats up to f32 whose every partial product stays inside the normal range,
 * whatever the order; asks about the rest. */
accept_t reduce_product_accept(const oracle_call_t *call, const reduce_slices_t *slices);

#endif
