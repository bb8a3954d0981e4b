/* SPDX-License-Identifier: Apache-2.0 */
/* What a search for trees adds up: the numbers of one arithmetic, and which node gave them. */
#ifndef ASSAY_ORACLES_EXACT_ANY_ORDER_OPERANDS_H
#define ASSAY_ORACLES_EXACT_ANY_ORDER_OPERANDS_H

#include "oracles/exact/any_order/tree.h"
#include "oracles/exact/arithmetic.h"

enum { TREE_ARITHMETICS_MAX = 4 };

/* How the nodes of one tree compute. */
typedef struct tree_arithmetic {
  arithmetic_t nodes;
  bool fuses;
} tree_arithmetic_t;

/* The arithmetics that are permitted: the format's, with fused products, and f32 and f64 where
 * these are wider. */
typedef struct tree_arithmetics {
  size_t count;
  tree_arithmetic_t items[TREE_ARITHMETICS_MAX];
} tree_arithmetics_t;

tree_arithmetics_t tree_arithmetics_of(const few_terms_t *sum);

/* A number that is computed, and which product it is if it is one. */
typedef struct tree_operand {
  double value;
  const double *left;
  const double *right;
  uint8_t number; /* In the tree. */
} tree_operand_t;

/* The leaves of a sum: initial values, unless they are zeros, then the terms.  Returns how many;
 * `out` has room for TREE_LEAVES_MAX, and the sum has no more. */
size_t tree_operands_set(const few_terms_t *sum, const tree_arithmetic_t *tree,
                         tree_operand_t *out);

/* Writes of which terms these leaves are. */
void tree_name_leaves(const few_terms_t *sum, size_t leaf_count, few_terms_tree_t *out_tree);

/* The sum of two, and the node that computes it; the caller numbers it. */
tree_operand_t tree_operand_add(const tree_arithmetic_t *tree, const tree_operand_t *a,
                                const tree_operand_t *b, tree_node_t *out_node);

/* What is returned of a tree whose root gave that. */
double tree_result(const few_terms_t *sum, double root);

#endif
