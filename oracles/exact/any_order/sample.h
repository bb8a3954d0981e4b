/* SPDX-License-Identifier: Apache-2.0 */
/* A search for a tree that gives a value, by computing random ones: what an implementation returns
 * is mostly found so, for much less than the set of all trees costs. */
#ifndef ASSAY_ORACLES_EXACT_ANY_ORDER_SAMPLE_H
#define ASSAY_ORACLES_EXACT_ANY_ORDER_SAMPLE_H

#include "oracles/exact/any_order/tree.h"

/* Whether one of some random trees of plain nodes, of fused ones, or of nodes all in f32 or all in
 * f64 gives the value, and which.  The same question has the same answer. */
bool few_terms_sample(const few_terms_t *sum, double value, few_terms_tree_t *out_tree);

/* A loop over the terms in an order chosen so that rounding errors add up to what the value is away
 * from the exact sum, with one of the same arithmetics.  For sums of up to TREE_TERMS_MAX terms;
 * takes some milliseconds.  False where it finds none, which does not say that there is none.  The
 * same question has the same answer. */
bool few_terms_steer(const few_terms_t *sum, double value, few_terms_tree_t *out_tree);

#endif
