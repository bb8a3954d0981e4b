/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions that have a precision_config, as RFC 000 considers it: inputs and initial values are
 * first rounded to what a word stands for (theory.md, D22). */
#ifndef ASSAY_ORACLES_OPS_REDUCE_PRECISION_H
#define ASSAY_ORACLES_OPS_REDUCE_PRECISION_H

#include "harness/model/implementation_model.h"
#include "oracles/ops/reduce/reduce.h"

/* How numbers of f32 are rounded: the sum of so many components of a type, each what is left of the
 * number, rounded like that, the last one like `last`. */
typedef struct reduce_precision {
  precision_arithmetic_t arithmetic;
  rounding_t leading;
  rounding_t last;
} reduce_precision_t;

/* One way for each input, its initial value too; inputs of other types than f32 stay. */
typedef struct reduce_rounding {
  bool is_rounded[CASE_RESULTS_MAX];
  reduce_precision_t inputs[CASE_RESULTS_MAX];
} reduce_rounding_t;

/* How many ways the contract permits, each input's by its word: number 0 leaves all as they are.  1
 * without precision_config, and where words mean nothing: of inputs that are none of f32, or are
 * not reduced in their types. */
size_t reduce_rounding_count(const program_t *program, const contract_t *contract);
reduce_rounding_t reduce_rounding_of(const program_t *program, const contract_t *contract,
                                     size_t number);

/* Whether a model rounds, and how. */
bool reduce_rounding_of_model(const program_t *program, const implementation_model_t *model,
                              reduce_rounding_t *out_rounding);

/* The case with rounded operands, in the arena. */
case_t reduce_round_operands(const case_t *instance, const reduce_rounding_t *rounding,
                             arena_t *arena);

#endif
