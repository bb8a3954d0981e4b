/* SPDX-License-Identifier: Apache-2.0 */
/* A tree over items: the terms of a profile, or sums of them.  Tells which sets of items have a
 * node of their own, and whether an order of summation gives the tree.  Private to
 * harness/identify. */
#ifndef ASSAY_IDENTIFY_ORDER_ITEM_TREE_H
#define ASSAY_IDENTIFY_ORDER_ITEM_TREE_H

#include "harness/identify/profile/profile.h"
#include "harness/order/sum_order.h"

enum { ITEM_NOTHING = UINT32_MAX - 1 }; /* An item that is no leaf: a +0 that takes a place. */

/* Some items in order, and what adds them.  All borrowed. */
typedef struct item_tree {
  const profile_t *tree; /* item_tree_strip() */
  uint32_t root;         /* The node above the items. */
  const uint32_t *items; /* Ids of the tree, or ITEM_NOTHING. */
  size_t count;
} item_tree_t;

/* The tree of a profile without single roundings, and without initial values unless these are kept;
 * in the arena.  Returns how many children its widest node has, 0 if there are no terms. */
uint32_t item_tree_strip(const profile_t *profile, bool keeps_init, arena_t *arena,
                         profile_t *out_tree);

/* All items of a stripped tree: first `front`, if it is not SUM_NO_ITEM, then the terms. */
item_tree_t item_tree_of_terms(const profile_t *tree, uint32_t front, arena_t *arena);

/* Whether the order gives the tree.  There is no ITEM_NOTHING among the items. */
bool item_tree_is_given_by(const item_tree_t *tree, const sum_order_t *order);

/* ---- Sets of items --------------------------------------------------------------------------- */

/* The nodes of a tree by the items below them.  Sets are compared by the sums of random numbers
 * that their members are given. */
typedef struct item_index {
  uint64_t *sums;    /* Of the first 0, 1, ... items. */
  GHashTable *nodes; /* From the sum of the items under a node to its id + 1. */
} item_index_t;

item_index_t item_index_make(const item_tree_t *tree);
void item_index_free(item_index_t *index);

/* The node above exactly these items; false if there is none. */
bool item_index_find(const item_index_t *index, const uint32_t *items, size_t count,
                     uint32_t *out_id);

/* The same of the items of the tree in begin .. end - 1. */
bool item_index_find_range(const item_index_t *index, size_t begin, size_t end, uint32_t *out_id);

#endif
