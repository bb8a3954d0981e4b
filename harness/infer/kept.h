/* SPDX-License-Identifier: Apache-2.0 */
/* A case with the results that an executor returned, held against contracts.  Private to
 * harness/infer. */
#ifndef ASSAY_INFER_KEPT_H
#define ASSAY_INFER_KEPT_H

#include "harness/model/accept.h"
#include "oracles/oracle.h"

typedef struct kept {
  case_t instance;
  tensor_t results[CASE_RESULTS_MAX];
  const oracle_t *oracle;
  bool is_sample; /* One of some of its op: asked whether an op depends on a permission. */
  accept_t accepts[CASE_RESULTS_MAX]; /* Under the contract that was reached. */
} kept_t;

/* The fast sets under a contract, in the arena.  False if the contract forbids the program, or
 * leaves it without an oracle. */
status_t kept_accept(const kept_t *kept, const contract_t *contract, arena_t *arena,
                     accept_t out_accepts[CASE_RESULTS_MAX], bool *out_is_known, failure_t *error);

/* Whether the fast sets are the same: then nothing is known to tell the contracts apart. */
bool kept_accepts_equal(const kept_t *kept, const accept_t *accepts);

/* Whether the contract asks of the case that whole rows conform too, whatever the fast sets say. */
bool kept_asks_about_rows(const kept_t *kept, const contract_t *contract);

/* Whether the results conform to a contract that has these fast sets. */
status_t kept_conforms(const kept_t *kept, const contract_t *contract, const accept_t *accepts,
                       arena_t *arena, bool *out_conforms, failure_t *error);

/* The contract that was reached, and a tighter one with its fast sets. */
typedef struct kept_rivals {
  const contract_t *loose, *tight;
  const accept_t *accepts;
} kept_rivals_t;

/* Whether some results conform to the looser one, and not to the other.  Only some are tried: true
 * is proven, false means nothing. */
status_t kept_tells(const kept_t *kept, const kept_rivals_t *rivals, arena_t *arena,
                    bool *out_tells, failure_t *error);

#endif
