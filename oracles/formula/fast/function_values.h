/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions of rows of binary64 numbers, by the vector loops of the fast evaluator. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_FUNCTION_VALUES_H
#define ASSAY_ORACLES_FORMULA_FAST_FUNCTION_VALUES_H

#include "harness/base/arena.h"
#include "harness/model/contract.h"

/* Whether function_values() knows the function. */
bool function_values_has(elementary_t function);

/* Sets out[i] to the high part of the pair that elementary_pairs.h finds of the function at x[i]
 * (theory.md, T231), and to NaN where that tells nothing, and of results that may be 0 or a
 * smallest number.  Scratch in the arena. */
void function_values(elementary_t function, const double *x, size_t count, arena_t *arena,
                     double *out);

#endif
