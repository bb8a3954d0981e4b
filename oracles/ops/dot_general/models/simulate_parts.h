/* SPDX-License-Identifier: Apache-2.0 */
/* What the simulations of dot_general share.  Private to this folder. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_SIMULATE_PARTS_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_SIMULATE_PARTS_H

#include "oracles/exact/fold/fold.h"
#include "oracles/ops/dot_general/plan.h"
#include "oracles/oracle_call.h"

/* One simulation, with what its parts share. */
typedef struct simulation {
  const dot_general_layout_t *layout;
  const tensor_t *lhs;
  const tensor_t *rhs;
  fold_t fold;
} simulation_t;

/* The elements that are read for a term; some faults read others. */
size_t simulation_lhs_index(const simulation_t *simulation, size_t batch, size_t row, size_t term);
size_t simulation_rhs_index(const simulation_t *simulation, size_t batch, size_t column,
                            size_t term);

/* dot_general_simulate() for a known algorithm on floats; makes the simulation's fold. */
status_t simulate_algorithm(simulation_t *simulation, const oracle_call_t *call,
                            const dot_algorithm_t *algorithm,
                            const implementation_model_t *schedule, tensor_t *inout_results);

#endif
