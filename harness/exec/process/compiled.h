/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a program that a worker is asked about. */
#ifndef ASSAY_EXEC_PROCESS_COMPILED_H
#define ASSAY_EXEC_PROCESS_COMPILED_H

#include "harness/exec/process/answer.h"

/* A program compiled in a worker; in the next worker it is compiled again. */
typedef struct process_handle {
  uint64_t id;
  uint64_t generation; /* 0 if compiled in none. */
  char *line;
  char *mlir;
  char *sized_line; /* Executions have modules of their own, of this line; else NULL. */
  char *implementation;
  uint32_t operand_count;
  uint32_t result_count;
  type_t operands[CASE_OPERANDS_MAX];
  type_t results[CASE_RESULTS_MAX];
} process_handle_t;

/* What requests about a program have, by the worker's greeting; for process_handle_free(). */
process_handle_t *process_handle_make(const greeting_t *greeting, uint64_t id,
                                      const program_t *program);
void process_handle_free(process_handle_t *handle);

#endif
