/* SPDX-License-Identifier: Apache-2.0 */
/* Files of MLIR in place of case lines: a module, or ops alone as documents quote them.  Several
 * ops are the steps of op `module`. */
#ifndef ASSAY_CLI_VERBS_CASES_MLIR_INPUT_H
#define ASSAY_CLI_VERBS_CASES_MLIR_INPUT_H

#include "harness/cli/options/arguments.h"
#include "harness/model/case.h"

/* What the options say of them; filled with 0 at first. */
typedef struct mlir_input_flags {
  int64_t size; /* Of dimensions that are "?"; 0: a small one that the op takes. */
  char **given; /* "NAME=VALUE", ended by NULL: numbers that stand in types by name, and what the
                 * text leaves out (harness/exec/workers/mlir_import/sketches.py); NULL: none. */
} mlir_input_flags_t;

void mlir_input_flags_add(mlir_input_flags_t *flags, arguments_t *arguments);
void mlir_input_flags_free(mlir_input_flags_t *flags);

/* Whether the argument is the path of such a file: it ends in ".mlir". */
bool mlir_input_is(const char *argument);

/* The case of the file's op.  Operands that are no constants there have numbers that the program
 * alone determines.  *out_has_data: all of them are constants.   STATUS_INVALID, "PATH:LINE:COLUMN:
 * ...", for what is no case; STATUS_IO if the file or what reads it is not there. */
status_t mlir_input_read(const mlir_input_flags_t *flags, const char *path, arena_t *arena,
                         case_t *out_case, bool *out_has_data, failure_t *error);

#endif
