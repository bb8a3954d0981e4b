/* SPDX-License-Identifier: Apache-2.0 */
/* A search for a tree of many leaves that gives a value far from the exact sum. */
#ifndef ASSAY_ORACLES_EXACT_TREE_SEARCH_STEER_H
#define ASSAY_ORACLES_EXACT_TREE_SEARCH_STEER_H

#include "oracles/exact/any_order/tree.h"

/* A loop over the terms in an order chosen so that rounding errors add up to what the value is away
 * from the exact sum, with one of the arithmetics that few_terms_sample() tries.  For sums of up to
 * TREE_TERMS_MAX terms; takes some milliseconds.  False where it finds none, which does not say
 * that there is none.  The same question has the same answer. */
bool few_terms_steer(const few_terms_t *sum, double value, few_terms_tree_t *out_tree);

#endif
