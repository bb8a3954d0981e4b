/* SPDX-License-Identifier: Apache-2.0 */
/* What the loops give that most implementations run over the terms of a sum: some nanoseconds a
 * term, where what all trees may give takes microseconds. */
#ifndef ASSAY_ORACLES_EXACT_SUM_QUICK_USUAL_LOOPS_H
#define ASSAY_ORACLES_EXACT_SUM_QUICK_USUAL_LOOPS_H

#include "oracles/exact/sum/problem.h"

/* Whether the terms added one after the other, with fused products where the contract permits
 * these, or in halves, give the number, which is finite and not zero.  The initial value, unless it
 * is zero, comes first, or last behind the loop.  The sum is one of its accumulation type, all of
 * whose terms are finite. */
bool usual_loops_give(const sum_problem_t *question, const contract_t *contract, double value);

#endif
