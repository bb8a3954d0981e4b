/* SPDX-License-Identifier: Apache-2.0 */
/* What an implementation really computed: the algorithms of an op that could have given its
 * results. */
#ifndef ASSAY_RUN_OBSERVED_ALGORITHMS_H
#define ASSAY_RUN_OBSERVED_ALGORITHMS_H

#include "harness/judge/verdict.h"
#include "oracles/oracle.h"

/* Asks the oracle where the program names an algorithm, and where nothing else explains wrong
 * values, and notes the answer in the verdict.  What explains the worst component alone (operands
 * rounded otherwise, say) gives way to an algorithm that explains them all. */
status_t observe_algorithms(const oracle_t *oracle, const oracle_call_t *call,
                            verdict_t *inout_verdict);

#endif
