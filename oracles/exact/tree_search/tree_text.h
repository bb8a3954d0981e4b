/* SPDX-License-Identifier: Apache-2.0 */
/* Trees in words: ((x0 + x2) + x1), with x0*y0 for a product that is rounded and fma(x0, y0, ...)
 * for one that is not; `init` is the initial value. */
#ifndef ASSAY_ORACLES_EXACT_TREE_SEARCH_TREE_TEXT_H
#define ASSAY_ORACLES_EXACT_TREE_SEARCH_TREE_TEXT_H

#include <glib.h>

#include "oracles/exact/any_order/tree.h"

/* Appends the tree, the format of its nodes, what is made of the root, and what the leaves are:
 * "(x1 + fma(x0, y0, x2*y2)) in f32, where x0 = 0x1p+0, y0 = ...". */
void few_terms_print_tree(const few_terms_t *sum, const few_terms_tree_t *tree, GString *out_text);

/* Appends what follows the nodes: the format, what is made of the root, and the values of the
 * leaves.  Of the tree its format and its leaves are read alone. */
void few_terms_print_leaves(const few_terms_t *sum, const few_terms_tree_t *tree,
                            GString *out_text);

/* Appends x2, x2*y2 or init, which is number few_terms_t.count. */
void few_terms_print_leaf(const few_terms_t *sum, uint8_t term, GString *out_text);

#endif
