/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized and hybrid dot_generals that name a dot algorithm (theory.md, D7 and T194): operands
 * are dequantized, and these floats are what the algorithm rounds, multiplies and adds; the sum is
 * converted to the expressed type, as any dot_general by an algorithm converts it to its result's,
 * and quantized.  Where 16-bit floats may be computed with in f32, dequantized operands, sums and
 * quantizing each may be. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_QUANTIZED_BY_ALGORITHM_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_QUANTIZED_BY_ALGORITHM_H

#include "oracles/exact/value_range.h"
#include "oracles/ops/dot_general/quantized/dequantized.h"
#include "oracles/oracle_call.h"

/* The algorithm that a program asks for that passed its constraints; NULL if it asks for none. */
const dot_algorithm_t *dot_quantized_algorithm(const program_t *program,
                                               dot_algorithm_t *out_algorithm);

/* Fast sets of the floats of the first variant, before those of a quantized one are quantized. */
status_t dot_by_algorithm_accept(const oracle_call_t *call, const case_t *floats,
                                 const dot_algorithm_t *algorithm, accept_t *out_accept);

/* The last word on one component of a hybrid. */
status_t dot_by_algorithm_decide(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                 size_t component, uint64_t bits, answer_t *out_answer);

/* Where a component's terms are. */
typedef struct dot_component {
  const dot_general_layout_t *layout;
  dot_general_place_t place;
} dot_component_t;

/* Everything that one component of a quantized one may be by a variant before it is quantized;
 * `out_is_known` is false where it may be anything. */
status_t dot_by_algorithm_range(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                const dot_dequantized_t *variant, const dot_component_t *component,
                                value_range_t *out_range, bool *out_is_known);

/* The exact sum that the fast sets of a hybrid refer to. */
status_t dot_by_algorithm_question(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                   const dot_general_layout_t *layout, dot_general_place_t place,
                                   sum_problem_t *out_question);

#endif
