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

/* The ways to round that the contract permits beside leaving numbers as they are.  Returns their
 * count: 0 without precision_config, and where a word means nothing, as of other inputs than one of
 * f32 that is reduced in f32. */
enum { REDUCE_PRECISIONS_MAX = 3 * PRECISION_PERMITTED_MAX };
size_t reduce_precisions(const program_t *program, const contract_t *contract,
                         reduce_precision_t out_precisions[REDUCE_PRECISIONS_MAX]);

/* Whether a model rounds, and how. */
bool reduce_precision_of_model(const program_t *program, const implementation_model_t *model,
                               reduce_precision_t *out_precision);

/* The case with rounded operands, in the arena. */
case_t reduce_round_operands(const case_t *instance, const reduce_precision_t *precision,
                             arena_t *arena);

#endif
