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

/* Tells the algorithms that could have given all results, as oracle_t.consistent does, where these
 * are judged in parts. */
typedef struct consistent_finder {
  status_t (*find)(const void *context, const oracle_call_t *call, GString *out_names);
  const void *context;
} consistent_finder_t;
status_t observe_algorithms_by(const oracle_t *oracle, const oracle_call_t *call,
                               const consistent_finder_t *finder, verdict_t *inout_verdict);

/* Asks of a program that names no algorithm, but whose precision_config says what is wanted, which
 * ones could have given its results, and notes that in the verdict. */
bool takes_precision(const oracle_t *oracle, const oracle_call_t *call, const verdict_t *verdict);
status_t observe_precision(const oracle_t *oracle, const oracle_call_t *call,
                           verdict_t *inout_verdict);

#endif
