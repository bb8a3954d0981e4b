/* SPDX-License-Identifier: Apache-2.0 */
/* A whole module op by op on an executor: each op that has an oracle is run on it, with the
 * operands that the executor itself produced, and judged; the others are run by StableHLO's
 * reference interpreter, or, where there is another executor to hold against this one, by both.
 * Bodies of loops and of choices are walked as often as the executor's own results say. */
#ifndef ASSAY_CLI_VERBS_ISOLATION_ISOLATION_H
#define ASSAY_CLI_VERBS_ISOLATION_ISOLATION_H

#include "harness/cli/verbs/isolation/lone_ops.h"
#include "harness/cli/verbs/isolation/steps.h"
#include "harness/exec/executor.h"
#include "harness/exec/mlir_import/importer.h"

/* What is run: `document` is what mlir_importer_isolate() gave of the module. */
typedef struct isolation_request {
  mlir_importer_t *importer;
  const char *document;
  executor_t *executor;
  executor_t *reference;      /* NULL: there is none. */
  executor_t *model;          /* That conforms: it goes on where executor and interpreter do not. */
  const lone_ops_t *lone_ops; /* Of the module; NULL: the interpreter runs what has no oracle. */
  const contract_t *contract;
  uint64_t seed; /* Which iteration of a loop is drawn. */
} isolation_request_t;

/* STATUS_IO for a failure of ours or of the importer's process. */
status_t isolation_run(const isolation_request_t *request, isolation_t *out_isolation,
                       failure_t *error);

#endif
