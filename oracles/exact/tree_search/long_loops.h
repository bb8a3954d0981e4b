/* SPDX-License-Identifier: Apache-2.0 */
/* A search among usual loops over more terms than trees are listed of, where all nodes are
 * truncated or flushed. */
#ifndef ASSAY_ORACLES_EXACT_TREE_SEARCH_LONG_LOOPS_H
#define ASSAY_ORACLES_EXACT_TREE_SEARCH_LONG_LOOPS_H

#include "oracles/exact/tree_search/choices.h"

/* Whether one of the loops gives the value: the terms one after the other from either end, in lanes
 * side by side, in parts one behind the other, or in halves, with one initial value in front or
 * behind.  False does not say that no tree does, and is the answer of more than 2^13 terms. */
bool long_loops_give(const few_terms_t *sum, const tree_choices_t *choices, double value);

#endif
