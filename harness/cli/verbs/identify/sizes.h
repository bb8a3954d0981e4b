/* SPDX-License-Identifier: Apache-2.0 */
/* `assay identify` over a range of sizes. */
#ifndef ASSAY_CLI_VERBS_IDENTIFY_SIZES_H
#define ASSAY_CLI_VERBS_IDENTIFY_SIZES_H

#include "harness/identify/probe/executor_sum.h"

typedef struct identify_plan {
  sum_shape_t shape;
  const char *mapped; /* The option whose size varies, or NULL. */
  int64_t *varied;    /* That size, in `shape`. */
  int64_t first;
  int64_t last;
} identify_plan_t;

/* Prints how the way of adding depends on the varied size; returns an exit code. */
int identify_sizes(executor_t *executor, const identify_plan_t *plan, uint64_t seed, bool as_json);

#endif
