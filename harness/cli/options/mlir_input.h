/* SPDX-License-Identifier: Apache-2.0 */
/* Files of MLIR in place of case lines: a module of one op, as text or bytecode, or an op alone as
 * documents quote it. */
#ifndef ASSAY_CLI_OPTIONS_MLIR_INPUT_H
#define ASSAY_CLI_OPTIONS_MLIR_INPUT_H

#include "harness/cli/options/arguments.h"
#include "harness/exec/mlir_import/importer.h"
#include "harness/model/case.h"

/* What the options say of them; filled with 0 at first. */
typedef struct mlir_input_flags {
  int64_t size; /* Of dimensions that are "?"; 0: a small one that the op takes. */
  char **given; /* "NAME=VALUE", ended by NULL: numbers that stand in types by name, and what the
                 * text leaves out (harness/exec/workers/mlir_import/sketches.py); NULL: none. */
} mlir_input_flags_t;

void mlir_input_flags_add(mlir_input_flags_t *flags, arguments_t *arguments);
void mlir_input_flags_free(mlir_input_flags_t *flags);

/* Whether the argument is the path of such a file: it ends in ".mlir" or ".mlirbc", or is a file
 * that begins as bytecode does. */
bool mlir_input_is(const char *argument);

/* What such a file says; in the arena. */
typedef struct mlir_input {
  case_t instance; /* Operands that are no constants have numbers that the program alone determines.
                    */
  uint32_t unknown; /* Bit i: operand i is no constant. */
  tensor_t expected[CASE_RESULTS_MAX];
  uint32_t unchecked; /* Bit i: no check says what result i is, and expected[i] is nothing. */
} mlir_input_t;

/* Reads a file, and tells on stderr what is not exactly as it stands there.  STATUS_INVALID,
 * "PATH:LINE:COLUMN: ...", for what is no case, and for what is no file that can be read; STATUS_IO
 * if what reads modules is not there. */
status_t mlir_input_read(const mlir_input_flags_t *flags, const char *path, arena_t *arena,
                         mlir_input_t *out_input, failure_t *error);

/* The same of many files, by one process: *inout_importer is made where it is NULL or its process
 * has ended, and for mlir_importer_close(). */
status_t mlir_input_read_by(mlir_importer_t **inout_importer, const char *path, arena_t *arena,
                            mlir_input_t *out_input, failure_t *error);

/* The ops of a whole module in such a file: mlir_importer_read_module(), with the path in front of
 * errors. */
status_t mlir_input_list(const mlir_input_flags_t *flags, const char *path,
                         mlir_graph_t *out_document, failure_t *error);

/* Whether some check says what some result is. */
static inline bool mlir_input_is_checked(const mlir_input_t *input) {
  return input->unchecked != (1U << input->instance.program.result_count) - 1;
}

#endif
