/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an executor refuses what breaks one constraint of an op: programs that break it are drawn
 * and compiled; none is executed. */
#ifndef ASSAY_RUN_CONSTRAINT_CHECK_H
#define ASSAY_RUN_CONSTRAINT_CHECK_H

#include "harness/exec/executor.h"
#include "harness/gen/gen.h"

typedef struct constraint_check {
  uint64_t drawn;    /* Programs that break it; of these the executor said of */
  uint64_t rejected; /* ... so many that they are invalid, */
  uint64_t refused;  /* ... so many that it does not support them, */
  uint64_t accepted; /* ... nothing: it compiled them, */
  uint64_t failed;   /* ... and on so many it failed, crashed or hung. */
  char *line;        /* The first case that was accepted, else that failed; else NULL.  Owned. */
  char reason[192];  /* What the executor said last when it did not accept one. */
} constraint_check_t;

/* Draws `wanted` programs of `op` that break `constraint`, which is one of op->constraints or, if
 * `contract` is given, one of op->contract_constraints under it; fewer if few can be drawn.  Same
 * seed, same programs.  Without an executor (NULL) they are drawn only. */
constraint_check_t constraint_check(executor_t *executor, const op_t *op,
                                    const op_constraint_t *constraint, const contract_t *contract,
                                    uint64_t seed, uint64_t wanted);
void constraint_check_free(constraint_check_t *check);

#endif
