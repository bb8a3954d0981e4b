/* SPDX-License-Identifier: Apache-2.0 */
/* The tightest contract that holds all of some results: what an implementation did not need.
 *
 * Cases are kept with the results of an executor, which conform to a contract that it begins with.
 * Then permissions are withdrawn, one after the other in their order, and all of them again until
 * nothing changes: each gets the tightest of its values under which all cases conform.  It is
 * withdrawn only if enough cases could have told: some result that conforms with it and does not
 * without it, which the oracle has decided exactly.  What comes out is a statement about these
 * cases (theory.md, T116); that later results keep it is a guess. */
#ifndef ASSAY_INFER_INFER_H
#define ASSAY_INFER_INFER_H

#include <signal.h>

#include "harness/model/case.h"
#include "harness/model/contract.h"

typedef struct infer infer_t;

/* Begins with a contract. */
infer_t *infer_new(const contract_t *contract);
void infer_free(infer_t *infer); /* NULL is ignored. */

/* Keeps copies.  The results must conform to the contract. */
void infer_keep(infer_t *infer, const case_t *instance, const tensor_t *results);
size_t infer_case_count(const infer_t *infer);

/* What is known of a permission. */
typedef enum infer_state {
  INFER_UNTRIED,   /* It is as tight as it may be, or there was no time. */
  INFER_UNTOLD,    /* Too few cases could have told. */
  INFER_NEEDED,    /* Each of its tighter values breaks some case. */
  INFER_WITHDRAWN, /* It has a tighter value now. */
} infer_state_t;

typedef struct infer_finding {
  infer_state_t state;
  size_t telling; /* INFER_WITHDRAWN: cases that could have told its value from the one before,
                   * telling_min of them; INFER_UNTOLD: from a tighter one, fewer. */
  const char *case_line; /* INFER_NEEDED: a case that needs it; lives as long as `infer`. */
} infer_finding_t;

typedef struct infer_options {
  size_t telling_min;                /* Cases that must be able to tell. */
  const volatile sig_atomic_t *stop; /* If not NULL: ends it once nonzero. */
  /* Called, if not NULL, before each permission: its index, and which round over all it is. */
  void (*on_permission)(void *context, size_t permission, unsigned round);
  void *context;
} infer_options_t;

/* Goes on from the contract that was reached.  STATUS_INVALID means that Assay found itself wrong.
 */
status_t infer_solve(infer_t *infer, const infer_options_t *options, failure_t *error);

/* All cases conform to it, whether it has ended or was stopped. */
const contract_t *infer_contract(const infer_t *infer);
infer_finding_t infer_finding(const infer_t *infer, size_t permission);

#endif
