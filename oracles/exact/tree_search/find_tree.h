/* SPDX-License-Identifier: Apache-2.0 */
/* The search for a tree that gives a value. */
#ifndef ASSAY_ORACLES_EXACT_TREE_SEARCH_FIND_TREE_H
#define ASSAY_ORACLES_EXACT_TREE_SEARCH_FIND_TREE_H

#include "harness/base/arena.h"
#include "oracles/exact/any_order/tree.h"

/* A tree that gives the value, of up to TREE_TERMS_MAX terms: a random one, or else, of at most
 * FEW_TERMS_MAX terms, one of the sets of plain and fused trees.  False if neither has any: then
 * only trees with nodes of several widths may give it, or, of more terms, those that are steered do
 * not.  So it is of zeros, of which the sets do not know the sign, and of what is not finite.  Zero
 * terms may be left out.  `arena` is for scratch and left as it was. */
bool few_terms_find_tree(const few_terms_t *sum, double value, arena_t *arena,
                         few_terms_tree_t *out_tree);

#endif
