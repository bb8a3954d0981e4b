/* SPDX-License-Identifier: Apache-2.0 */
/* One tree that gives a value: which leaves are added to which, and what nodes compute in. */
#ifndef ASSAY_ORACLES_EXACT_ANY_ORDER_TREE_H
#define ASSAY_ORACLES_EXACT_ANY_ORDER_TREE_H

#include "oracles/exact/any_order/terms.h"

/* Terms, and initial values beside them, of trees that are searched for. */
enum { TREE_TERMS_MAX = 64, TREE_LEAVES_MAX = TREE_TERMS_MAX + 4 };

/* The sum of two: numbers below leaf_count are leaves, leaf_count + i is node i. */
typedef struct tree_node {
  uint8_t left;
  uint8_t right;
  bool is_fused; /* `left` is a product, and added unrounded. */
} tree_node_t;

typedef struct few_terms_tree {
  const format_t *format; /* Of all nodes and of products that are rounded. */
  size_t leaf_count;
  uint8_t leaves[TREE_LEAVES_MAX];    /* Numbers of terms; few_terms_t.count: the initial value. */
  tree_node_t nodes[TREE_LEAVES_MAX]; /* leaf_count - 1, the root last. */
} few_terms_tree_t;

#endif
