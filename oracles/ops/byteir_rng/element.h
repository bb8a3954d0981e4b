/* SPDX-License-Identifier: Apache-2.0 */
/* What one element of rng_uniform may be, whatever the others are: y = low + u * (high - low) for
 * one u, or for any u in [0, 1]. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RNG_ELEMENT_H
#define ASSAY_ORACLES_OPS_BYTEIR_RNG_ELEMENT_H

#include "oracles/exact/value_range.h"
#include "oracles/formula/formula.h"
#include "oracles/oracle_call.h"

/* The formula, for evaluators of formulas. */
row_t byteir_rng_affine(formula_t *formula, row_t low, row_t high, row_t uniform);

/* How the formula is computed.  In the operands' type, as published, which is permitted whatever
 * permission `intermediate` says of 16-bit types; and for these in f32, as it always permits, from
 * a u that is rounded to the type or not. */
typedef struct byteir_rng_variant {
  const format_t *format;
  bool rounds_uniform; /* u is first rounded to the operands' type. */
} byteir_rng_variant_t;

enum { BYTEIR_RNG_VARIANTS_MAX = 3 };

/* The published one first.  Returns how many. */
size_t byteir_rng_variants(const program_t *program,
                           byteir_rng_variant_t out_variants[BYTEIR_RNG_VARIANTS_MAX]);

/* The contract of a variant's steps. */
contract_t byteir_rng_contract_of_steps(const contract_t *contract,
                                        const byteir_rng_variant_t *variant);

/* The accept set of one u in [0, 1], which has at most 32 bits, under one variant.  Scratch in the
 * arena. */
value_range_t byteir_rng_range(const oracle_call_t *call, const byteir_rng_variant_t *variant,
                               double uniform);

/* Whether a pattern is in one of the accept sets of that u. */
bool byteir_rng_holds(const oracle_call_t *call, double uniform, uint64_t bits);

/* Fills the measures of an answer: errors against the exact value for that u, where it is finite,
 * and the slack within `range`. */
void byteir_rng_measure(const oracle_call_t *call, double uniform, uint64_t bits,
                        const value_range_t *range, answer_t *inout_answer);

/* ---- Any u ----------------------------------------------------------------------------------- */

/* Whether there are numbers uniform from low to high: both are finite, and low <= high. */
bool byteir_rng_has_meaning(const case_t *instance);

/* Sets whose union is the accept set of any u: all between low and high, and what is reached beyond
 * high for u = 1 (theory.md, T81).  At u = 0 the formula gives low; or a zero, if that may be
 * flushed; or NaN, if high - low overflows. */
typedef struct byteir_rng_sets {
  size_t count;
  value_range_t sets[1 + 2 * BYTEIR_RNG_VARIANTS_MAX]; /* The first one is [low, high]. */
} byteir_rng_sets_t;

byteir_rng_sets_t byteir_rng_sets_make(const oracle_call_t *call);

bool byteir_rng_sets_hold(const byteir_rng_sets_t *sets, const format_t *format, uint64_t bits,
                          bool any_zero);

/* The hull of the sets. */
value_range_t byteir_rng_sets_hull(const byteir_rng_sets_t *sets);

#endif
