/* SPDX-License-Identifier: Apache-2.0 */
/* A case as a StableHLO module that needs nothing: its operands are constants, and checks of
 * StableHLO's dialect `check` say what its results are.  StableHLO's own tools run it, and
 * harness/exec/workers/mlir_import reads it back. */
#ifndef ASSAY_KINDS_CHECKED_MODULE_H
#define ASSAY_KINDS_CHECKED_MODULE_H

#include "harness/model/case.h"

/* What a module says of one result. */
typedef struct checked_result {
  const tensor_t *expected; /* NULL: nothing. */
  uint64_t ulps;            /* How far from it conforming floats lie; of all else 0. */
} checked_result_t;

/* `results`: one for each result of the program.  STATUS_INVALID where there is no such module:
 * sizes that are unknown when a program is compiled have no constants, and the module of a
 * collective is what one process runs, while a case has the data of all of them. */
status_t checked_module_print(const case_t *instance, const checked_result_t *results,
                              GString *out_text, failure_t *error);

#endif
