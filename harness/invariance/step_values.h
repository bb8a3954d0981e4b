/* SPDX-License-Identifier: Apache-2.0 */
/* What a module gives where every step has one conforming result: on such data no permission lets
 * one conforming run differ from another, whether steps are fused or not. */
#ifndef ASSAY_INVARIANCE_STEP_VALUES_H
#define ASSAY_INVARIANCE_STEP_VALUES_H

#include "harness/model/case.h"
#include "harness/model/contract.h"

/* The results of a module's case, in the arena, if each element of each step's result has one value
 * that conforms by the step's own oracle, on the values of the steps before it; and, where the
 * contract lets intermediate values stay wider, if no step rounds (theory.md, T245).  False where a
 * permission lets an element vary, where nobody knows, and for modules that are too large to ask
 * about.
 *
 * Of a set in parts some may be missed (harness/power/tolerance.h), so what differs from these
 * results is not proven wrong by that alone. */
bool step_values_find(const case_t *instance, const contract_t *contract, arena_t *arena,
                      tensor_t out_results[CASE_RESULTS_MAX]);

#endif
