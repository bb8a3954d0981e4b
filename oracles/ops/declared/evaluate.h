/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the meaning of a declared op with an evaluator of formulas, and makes its oracle.  Private
 * to this folder. */
#ifndef ASSAY_ORACLES_OPS_DECLARED_EVALUATE_H
#define ASSAY_ORACLES_OPS_DECLARED_EVALUATE_H

#include "oracles/composite/composite.h"
#include "oracles/ops/declared/declared.h"

/* formula_evaluate_t of formula number `which` of the program's op. */
void declared_evaluate(formula_t *formula, uint32_t which, const row_t operands[], row_t results[]);

/* How many numbers a formula has at the most that all elements of a row share, or one has as a row
 * of one number (shared_evaluator.h). */
size_t declared_shared_numbers(const declared_formula_t *meaning);

/* For every tuple along the indices of `over`, ascending but for those of `last`, which run
 * fastest: what strides make of it: declared_extent() of them, in the arena. */
size_t *declared_offsets(const declaration_t *declaration, const binding_t *binding, uint32_t over,
                         uint32_t last, const size_t strides[DECLARED_INDICES_MAX], arena_t *arena);

#endif
