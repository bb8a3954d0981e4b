/* SPDX-License-Identifier: Apache-2.0 */
/* A contract that was inferred, as a file that --contract @FILE reads. */
#ifndef ASSAY_REPORTS_RUN_CONTRACT_FILE_H
#define ASSAY_REPORTS_RUN_CONTRACT_FILE_H

#include "harness/exec/executor.h"
#include "harness/infer/infer.h"

typedef struct contract_file {
  const infer_t *infer; /* Borrowed, like all below. */
  const contract_t *begun;
  const executor_t *executor;
  const char *assay_version;
  const char *types; /* NULL: all. */
  uint64_t diverged; /* Cases that were left out. */
  bool was_stopped;
} contract_file_t;

/* With comments that say how many cases support each line. */
void contract_file_print(const contract_file_t *file, GString *out_text);

#endif
