/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of split operands whose terms are not all finite: what a NaN in the low-order part does.
 *
 * The product of an infinity, which splits into an infinity and a NaN, has a low-order part that is
 * NaN.  Implementations in use take such a low-order part for 0 before they add the leading product
 * (theory.md, D7), some once, for the whole sum, some for each term.  The contract's
 * permission low_nan says whether they must. */
#ifndef ASSAY_ORACLES_EXACT_SUM_SPLIT_H
#define ASSAY_ORACLES_EXACT_SUM_SPLIT_H

#include "harness/model/contract.h"
#include "oracles/exact/sum/problem.h"
#include "oracles/exact/value_range.h"

/* Values of permission low_nan. */
enum permission_low_nan { LOW_NAN_ZERO, LOW_NAN_KEEP, LOW_NAN_EITHER };

/* If some term is not finite, or the low-order part alone may overflow both ways: sets the whole
 * range and returns true.  On entry the infinities of `inout_range` are those that finite terms may
 * overflow to. */
bool split_sum_set_special(value_range_t *inout_range, const sum_problem_t *question,
                           const contract_t *contract);

#endif
