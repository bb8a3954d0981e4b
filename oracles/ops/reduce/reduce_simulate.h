/* What one concrete implementation of stablehlo.reduce returns. */
#ifndef ASSAY_OPS_REDUCE_SIMULATE_H
#define ASSAY_OPS_REDUCE_SIMULATE_H

#include "harness/model/case.h"
#include "harness/model/schedule.h"

/* For oracle_t.simulate: see oracles/oracle.h. */
status_t reduce_simulate(const case_t *instance, const schedule_t *schedule, arena_t *arena,
                         tensor_t *inout_results, failure_t *error);

#endif
