/* SPDX-License-Identifier: Apache-2.0 */
/* The formulas of batch_norm_training and batch_norm_grad, and what they share: one channel is one
 * problem.  All formulas of an op are the same in exact arithmetic. */
#ifndef ASSAY_ORACLES_OPS_BATCH_NORM_FORMULAS_H
#define ASSAY_ORACLES_OPS_BATCH_NORM_FORMULAS_H

#include "oracles/composite/composite.h"
#include "oracles/composite/norm_reading.h"
#include "oracles/ops/batch_norm/batch_norm.h"

/* As many as the op's permission has values, in their order. */
const composite_formula_t *batch_norm_training_formulas(const program_t *program);
const composite_formula_t *batch_norm_grad_formulas(const program_t *program);

/* What deviations are divided by: sqrt(variance + epsilon), or as the contract reads it. */
norm_divisor_t batch_norm_divisor(formula_t *formula, row_t variance);

/* 1 / a */
row_t batch_norm_invert(formula_t *formula, row_t a);

/* batch_norm/simulate.c: oracle_t.simulate of both. */
status_t batch_norm_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                             tensor_t *inout_results);

/* Fails with STATUS_UNSUPPORTED where nobody says how the element type is computed with. */
status_t batch_norm_check_element(const program_t *program, failure_t *error);

#endif
