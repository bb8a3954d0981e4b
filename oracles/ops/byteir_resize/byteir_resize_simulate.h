/* What one concrete implementation of a resize returns. */
#ifndef ASSAY_OPS_BYTEIR_RESIZE_SIMULATE_H
#define ASSAY_OPS_BYTEIR_RESIZE_SIMULATE_H

#include "harness/model/schedule.h"
#include "oracles/ops/byteir_resize/byteir_resize_grid.h"

status_t resize_simulate(const case_t *instance, const schedule_t *schedule, arena_t *arena,
                         tensor_t *inout_results, failure_t *error);

#endif
