/* SPDX-License-Identifier: Apache-2.0 */
/* `assay identify --n LOW..HIGH --db FILE`: how the way of adding depends on the length, as rules
 * that predict every length. */
#ifndef ASSAY_CLI_VERBS_IDENTIFY_MAP_H
#define ASSAY_CLI_VERBS_IDENTIFY_MAP_H

#include "harness/cli/verbs/identify/output.h"
#include "harness/identify/probe/executor_sum.h"

/* Lengths from low to high. */
typedef struct length_range {
  int64_t low;
  int64_t high;
} length_range_t;

/* Finds, prints and stores the map of one executor.  Returns an exit code: EXIT_CODE_DIVERGES if
 * some length could not be identified. */
int identify_map(executor_t *executor, const sum_shape_t *shape, length_range_t range,
                 uint64_t seed, store_t *store, bool as_json);

#endif
