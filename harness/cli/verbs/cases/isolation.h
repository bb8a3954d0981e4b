/* SPDX-License-Identifier: Apache-2.0 */
/* A whole module op by op on an executor: each op that has an oracle is run on it, with the
 * operands that the executor itself produced, and judged; all others are run by StableHLO's
 * reference interpreter. */
#ifndef ASSAY_CLI_VERBS_CASES_ISOLATION_H
#define ASSAY_CLI_VERBS_CASES_ISOLATION_H

#include <glib.h>

#include "harness/exec/mlir_import/importer.h"
#include "harness/run/case_runner.h"

typedef enum isolated_kind {
  ISOLATED_CONSTANT,
  ISOLATED_JUDGED,    /* On the executor: `verdict` says how. */
  ISOLATED_UNJUDGED,  /* On the executor, which gave no results; by the interpreter instead. */
  ISOLATED_NO_ORACLE, /* By the interpreter. */
  ISOLATED_NOT_RUN,   /* By nobody: `why`. */
} isolated_kind_t;

/* One step of the module. */
typedef struct isolated_step {
  char *op; /* Its name; this and what follows owned. */
  char *place;
  char *line; /* Its program, or NULL. */
  char *why;  /* It has no oracle, or was not run; or NULL. */
  isolated_kind_t kind;
  bool is_asked; /* The executor was, and there is a verdict, whoever gave the results. */
  verdict_t verdict;
  char *description; /* Of a verdict that is not that it conforms, in words; else NULL. */
  char *case_line;   /* Of one that diverges, unless it is too long to be of use; else NULL. */
} isolated_step_t;

typedef struct isolation {
  isolated_step_t *steps;
  size_t count;
  const isolated_step_t *first; /* That diverges, or NULL. */
  const isolated_step_t *worst; /* The one with the largest error, of those that diverge. */
} isolation_t;

/* `document`: what mlir_importer_isolate() gave of the module.  STATUS_IO for a failure of ours or
 * of the importer's process. */
status_t isolation_run(mlir_importer_t *importer, const char *document, executor_t *executor,
                       const contract_t *contract, isolation_t *out_isolation, failure_t *error);
void isolation_free(isolation_t *isolation);

/* Whether it has a verdict, and that is that it diverges. */
bool isolated_step_diverges(const isolated_step_t *step);

/* How many steps are of a kind, and how many have an outcome. */
size_t isolation_count(const isolation_t *isolation, isolated_kind_t kind);
size_t isolation_count_outcome(const isolation_t *isolation, outcome_t outcome);

#endif
