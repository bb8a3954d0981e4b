/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of rng_normal: Box and Muller's transformation as ByteIR's compiler emits it, and
 * what is known of any generator of normal numbers.
 *
 * ByteIR's takes the first two words v and w of the block that rng_uniform takes its word from
 * (byteir_rng/published.h).  With every step in the result's type,
 *
 *   u = v * 2^-32, t = w * 2^-32, as rng_uniform has them
 *   y = sqrt(-2 log(u)) * cos(2 pi t) * deviation + mean
 *
 * (its HloToLinalg conversion and rng.md, read and told in our own words). */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RNG_NORMAL_H
#define ASSAY_ORACLES_OPS_BYTEIR_RNG_NORMAL_H

#include "harness/model/implementation_model.h"
#include "oracles/ops/byteir_rng/element.h"
#include "oracles/ops/byteir_rng/uniformity.h"

/* Two numbers in [0, 1] of at most 32 bits, or in models any. */
typedef struct byteir_rng_pair {
  double radial;  /* u */
  double angular; /* t */
} byteir_rng_pair_t;

/* Rows of what the transformation takes, and the cosine of whatever evaluator. */
typedef struct byteir_rng_box_muller {
  row_t mean;
  row_t deviation;
  row_t radial;
  row_t angular;
  row_t (*cosine)(formula_t *formula, row_t a);
} byteir_rng_box_muller_t;

/* y, by an evaluator of formulas; and what is multiplied by the deviation in it. */
row_t byteir_rng_standard(formula_t *formula, const byteir_rng_box_muller_t *numbers);
row_t byteir_rng_transform(formula_t *formula, const byteir_rng_box_muller_t *numbers);

/* oracle.c: STATUS_UNSUPPORTED where the shape operand is not the result's. */
status_t byteir_rng_check_shape(const case_t *instance, failure_t *error);

/* normal_oracle.c */
struct oracle;
extern const struct oracle byteir_rng_normal_oracle;

/* ---- The published generator ----------------------------------------------------------------- */

/* The accept set of one pair under one variant (element.h).  Scratch in the arena. */
value_range_t byteir_rng_normal_range(const oracle_call_t *call,
                                      const byteir_rng_variant_t *variant, byteir_rng_pair_t pair);

/* Whether a pattern is in one of the accept sets of that pair. */
bool byteir_rng_normal_holds(const oracle_call_t *call, byteir_rng_pair_t pair, uint64_t bits);

/* ---- Any generator --------------------------------------------------------------------------- */

/* Whether there are normal numbers: both parameters are finite, the deviation not negative. */
bool byteir_rng_normal_has_meaning(const case_t *instance);

/* What a number may be, whatever the others are: theory.md, T187. */
value_range_t byteir_rng_normal_any(const case_t *instance);

/* The probabilities of a result's numbers, none of which is NaN, for a deviation above 0: by D24
 * they are as near to uniform numbers as the radius says (theory.md, T186). */
byteir_rng_sample_t byteir_rng_normal_sample(const tensor_t *result, double mean, double deviation,
                                             const contract_t *contract, arena_t *arena);

/* ---- Models ---------------------------------------------------------------------------------- */

/* What one concrete implementation of rng_normal returns: byteir_rng_simulate() tells of which. */
status_t byteir_rng_normal_simulate(const oracle_call_t *call,
                                    const implementation_model_t *schedule,
                                    tensor_t *inout_results);

/* Whether all numbers of a result, none of them zero, are those of the published generator with
 * every step in the result's type and none fused: then all are in the fast set below, of which they
 * are an end each.  Scratch in the arena. */
bool byteir_rng_normal_is_plain(const case_t *instance, const contract_t *contract,
                                const tensor_t *result, arena_t *arena);

/* The fast set of the published generator: the patterns of every step in the result's type, and
 * what lies between those and the numbers of a fused step; and the same of steps in a wider type,
 * where the contract permits these.  Models conform, and sets of numbers are intervals. */
accept_t byteir_rng_normal_published(const case_t *instance, const contract_t *contract,
                                     arena_t *arena);

#endif
