/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle of nearest resizes: copies of elements, of which each dimension permits a few. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RESIZE_NEAREST_H
#define ASSAY_ORACLES_OPS_BYTEIR_RESIZE_NEAREST_H

#include "harness/model/accept.h"
#include "oracles/ops/byteir_resize/grid.h"
#include "oracles/oracle_call.h"

void resize_nearest_accept(const oracle_call_t *call, accept_t *out_accept);

void resize_nearest_decide(const case_t *instance, const contract_t *contract, size_t component,
                           const tensor_t *result, answer_t *out_answer);

#endif
