/* SPDX-License-Identifier: Apache-2.0 */
/* The search for orders of summation that give a tree: the only one.  Reading an order off a tree
 * takes the first that is found (sum_order_find.h); rules for other lengths need all of them, since
 * short sums look alike (sum_rule.h).  Private to harness/identify.
 *
 * An order without parts is held against the tree.  One with lanes or blocks is tried where each of
 * its groups has a node of its own; its parts are found by the same search, in one group and in
 * what joins the groups. */
#ifndef ASSAY_IDENTIFY_ORDER_ORDER_SEARCH_H
#define ASSAY_IDENTIFY_ORDER_ORDER_SEARCH_H

#include "harness/identify/order/item_tree.h"

/* The first order found that gives the tree, in the arena; NULL if there is none.  Nodes have two
 * children. */
const sum_order_t *order_search_first(const item_tree_t *tree, arena_t *arena);

/* Whether an order that may give the tree does. */
typedef struct order_test {
  bool (*gives)(void *context, const sum_order_t *order);
  void *context;
} order_test_t;

/* Tests all orders whose groups have nodes; parts of them are the simplest that give these.
 * `widest`: the children of the widest node.  What is tested stays in the arena. */
void order_search_all(const item_tree_t *tree, uint32_t widest, const order_test_t *test,
                      arena_t *arena);

#endif
