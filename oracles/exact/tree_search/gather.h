/* SPDX-License-Identifier: Apache-2.0 */
/* A search for trees of many leaves that err as much as they can. */
#ifndef ASSAY_ORACLES_EXACT_TREE_SEARCH_GATHER_H
#define ASSAY_ORACLES_EXACT_TREE_SEARCH_GATHER_H

#include "harness/base/arena.h"
#include "oracles/exact/any_order/tree.h"

/* The farthest result that some tree was found for, up (1) or down (-1) from the exact sum, and the
 * tree.  `arena` is for scratch and left as it was.  False if there are too many leaves or fewer
 * than two, or none of the trees that were tried gives a finite number.  Takes up to about a second
 * of a processor. */
bool few_terms_farthest(const few_terms_t *sum, int direction, arena_t *arena, double *out_value,
                        few_terms_tree_t *out_tree);

/* A tree that gives the value; false if none was found, which does not say that there is none. */
bool few_terms_gather(const few_terms_t *sum, double value, arena_t *arena,
                      few_terms_tree_t *out_tree);

#endif
