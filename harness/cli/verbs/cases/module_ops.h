/* SPDX-License-Identifier: Apache-2.0 */
/* The ops of a whole module of StableHLO: what programs they are, how often each is there, what has
 * an oracle, and how much of the work that is. */
#ifndef ASSAY_CLI_VERBS_CASES_MODULE_OPS_H
#define ASSAY_CLI_VERBS_CASES_MODULE_OPS_H

#include <jansson.h>

#include "harness/cli/options/mlir_input.h"

/* A distinct op. */
typedef struct module_op {
  const char *name;  /* Of the op in the module; this and what follows in the arena. */
  const char *line;  /* The program line, or NULL. */
  const char *types; /* As MLIR has them, and the attributes. */
  const char *attributes;
  const char *why;   /* It has no oracle; NULL: it has one. */
  const char *place; /* Of the first one: "LINE:COLUMN", or "FILE:LINE:COLUMN" of bytecode. */
  uint64_t count;
  uint64_t in_loops; /* So many of these in bodies of `while`. */
  double work;       /* Floating-point operations of all of them, loops being run once. */
} module_op_t;

typedef struct module_ops {
  module_op_t *items; /* Those with the most work first, and of these with the most of them. */
  size_t count;
  uint64_t total; /* Ops. */
  uint64_t with_oracle;
  double work;
  double work_with_oracle;
} module_ops_t;

/* Reads a file.  STATUS_INVALID, "PATH:LINE:COLUMN: ...", for what is no module, and for what is no
 * file that can be read; STATUS_IO if what reads modules is not there. */
status_t module_ops_read(const mlir_input_flags_t *flags, const char *path, arena_t *arena,
                         module_ops_t *out_ops, failure_t *error);

#endif
