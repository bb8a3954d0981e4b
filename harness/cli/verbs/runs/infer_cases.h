/* SPDX-License-Identifier: Apache-2.0 */
/* The cases from which a contract is inferred: drawn, and run on an executor. */
#ifndef ASSAY_CLI_VERBS_RUNS_INFER_CASES_H
#define ASSAY_CLI_VERBS_RUNS_INFER_CASES_H

#include "harness/exec/executor.h"
#include "harness/infer/infer.h"
#include "harness/run/stream.h"

typedef struct infer_request {
  executor_t *executor; /* Borrowed, like all below. */
  const contract_t *contract;
  const op_t *const *ops;
  size_t op_count;
  const char *types; /* "bf16,bf16->bf16", or an element type that a program has; NULL: any. */
  strata_t strata;
  const uint64_t *seeds; /* As many cases are drawn from each. */
  size_t seed_count;
  uint64_t cases_max; /* That conform and are kept. */
  double seconds_max; /* 0: none. */
  const volatile sig_atomic_t *stop;
} infer_request_t;

/* What came of the cases that were drawn. */
typedef struct infer_counts {
  uint64_t kept;
  uint64_t diverged;
  uint64_t failed;
  uint64_t refused; /* Programs. */
  uint64_t without_oracle;
} infer_counts_t;

/* Adds cases that conform until there are enough of them, or time is up, or too many others came.
 * STATUS_INVALID means that Assay found itself wrong. */
status_t infer_cases_draw(const infer_request_t *request, infer_t *infer,
                          infer_counts_t *inout_counts, failure_t *error);

/* The same of one case line, which may be of any op; errors of its text are passed up. */
status_t infer_cases_rerun(const infer_request_t *request, const char *case_line, infer_t *infer,
                           infer_counts_t *inout_counts, failure_t *error);

#endif
