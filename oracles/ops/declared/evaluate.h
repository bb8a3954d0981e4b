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

#endif
