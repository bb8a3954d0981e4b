/* SPDX-License-Identifier: Apache-2.0 */
/* Ops of a module that no oracle knows, as programs that executors of StableHLO can be given all
 * the same: each is a row among the ops (harness/model/op.h) that has no oracle, no attributes and
 * no rules, whose module is what the importer made of the op. */
#ifndef ASSAY_CLI_VERBS_ISOLATION_LONE_OPS_H
#define ASSAY_CLI_VERBS_ISOLATION_LONE_OPS_H

#include <jansson.h>

#include "harness/exec/mlir_import/importer.h"
#include "harness/model/case.h"
#include "harness/model/contract.h"

typedef struct lone_ops lone_ops_t;

typedef struct lone_op {
  char *line;       /* Its program. */
  json_t *operands; /* Numbers of values, each once. */
} lone_op_t;

/* Declares the ops of a module, `document` as of mlir_importer_isolate(), that have no oracle under
 * the contract.  Before executors are opened, which in processes of their own know the rows that
 * there are by then alone.  One caller at a time.  Ops of which no program can be made (a type that
 * cases do not have, too many operands) are left out. */
status_t lone_ops_declare(mlir_importer_t *importer, const char *document,
                          const contract_t *contract, lone_ops_t **out_ops, failure_t *error);
void lone_ops_free(lone_ops_t *ops); /* Not the rows, which live as long as the program. */

/* That of a step, or NULL. */
const lone_op_t *lone_ops_find(const lone_ops_t *ops, size_t index);

/* The program that a step is, if it is one with an oracle; false, with the reason, which the caller
 * frees, or NULL, if it is not. */
bool step_has_oracle(const json_t *step, const contract_t *contract, arena_t *arena,
                     program_t *out_program, char **out_why);

#endif
