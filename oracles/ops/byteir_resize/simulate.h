/* SPDX-License-Identifier: Apache-2.0 */
/* What one concrete implementation of a resize returns. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RESIZE_SIMULATE_H
#define ASSAY_ORACLES_OPS_BYTEIR_RESIZE_SIMULATE_H

#include "harness/model/implementation_model.h"
#include "oracles/ops/byteir_resize/grid.h"
#include "oracles/oracle_call.h"

status_t resize_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                         tensor_t *inout_results);

#endif
