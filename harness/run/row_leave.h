/* SPDX-License-Identifier: Apache-2.0 */
/* Why do the elements of a row contradict one another?  Looks for a permission that is narrower
 * than leave for each element to compute anew what its row shares, and under which they agree.
 * Private to harness/run. */
#ifndef ASSAY_RUN_ROW_LEAVE_H
#define ASSAY_RUN_ROW_LEAVE_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/status.h"
#include "harness/model/case.h"
#include "harness/model/contract.h"

/* Results that diverge under a contract in class `shared`. */
typedef struct row_leave_question {
  const program_t *program;
  const contract_t *contract;
  /* Whether they conform under another. */
  status_t (*conforms)(void *context, const contract_t *contract, bool *out_conforms);
  void *context;
} row_leave_question_t;

/* Prints the first of these that explains them, such as "layer_norm=folded"; if none does, the text
 * stays what it is. */
status_t row_leave_find(const row_leave_question_t *question, char *inout_observed, size_t size);

#endif
