/* SPDX-License-Identifier: Apache-2.0 */
/* What the loops give that most implementations run over the terms of a sum: some nanoseconds a
 * term, where what all trees may give takes microseconds. */
#ifndef ASSAY_ORACLES_EXACT_SUM_QUICK_USUAL_LOOPS_H
#define ASSAY_ORACLES_EXACT_SUM_QUICK_USUAL_LOOPS_H

#include "oracles/exact/sum/problem.h"

/* Whether the terms added one after the other, with fused products where the contract permits
 * these, or in halves, give the value: a number, zeros of unlike signs being two, an infinity, or
 * NaN.  The initial value comes first, or last behind the loop; of a sum that has none a zero may
 * do so.  The sum is one of its accumulation type, all of whose terms are finite. */
bool usual_loops_give(const sum_problem_t *question, const contract_t *contract, double value);

/* What those loops give, the same value perhaps more than once; how many there are.  All of them
 * keep the order of the terms. */
enum { USUAL_LOOPS_MAX = 4 };
size_t usual_loops_values(const sum_problem_t *question, const contract_t *contract,
                          double out_values[USUAL_LOOPS_MAX]);

#endif
