/* SPDX-License-Identifier: Apache-2.0 */
/* All results of a sum or dot product of few terms in any order, any tree and any permitted width,
 * by dynamic programming over the parts of its leaves (theory.md, T27 and T29). */
#ifndef ASSAY_ORACLES_EXACT_ANY_ORDER_FEW_TERMS_H
#define ASSAY_ORACLES_EXACT_ANY_ORDER_FEW_TERMS_H

#include "harness/base/arena.h"
#include "harness/model/contract.h"
#include "oracles/exact/any_order/terms.h"

/* Whether the sets decide sums of so many terms, and hold all that the contract permits: nodes
 * round to nearest.  What may be flushed is not, which the asker looks at. */
bool few_terms_decide(size_t terms, const contract_t *contract);

typedef enum few_terms_word {
  FEW_TERMS_OPEN,       /* Too many leaves or values: all that a bound permits stands. */
  FEW_TERMS_REACHED,    /* Some tree gives the value. */
  FEW_TERMS_CONCEIVED,  /* Some tree with wider nodes may; or the sets are too large to tell. */
  FEW_TERMS_IMPOSSIBLE, /* No tree gives it. */
} few_terms_word_t;

/* What is known of a value, which may be infinite or NaN; the sign of a zero does not matter.
 * `arena` is for scratch and left as it was.  `out_hull` is set to the least and the largest number
 * that a tree gives in the accumulation format, if it came to compute them. */
few_terms_word_t few_terms_ask(const few_terms_t *sum, double value, arena_t *arena,
                               double out_hull[2]);

#endif
