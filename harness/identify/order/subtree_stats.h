/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of every subtree of a profile: computed once, for pictures and words. */
#ifndef ASSAY_IDENTIFY_ORDER_SUBTREE_STATS_H
#define ASSAY_IDENTIFY_ORDER_SUBTREE_STATS_H

#include "harness/identify/profile/profile.h"

/* Of one id: a leaf or a node. */
typedef struct subtree_stats {
  uint32_t leaf_count; /* The initial value counts too ... */
  uint32_t term_count; /* ... and here not. */
  uint32_t depth;      /* Nodes on the longest way to a leaf: 0 for a leaf. */
  uint32_t first_term; /* Smallest and largest term, if there is one. */
  uint32_t last_term;
  uint64_t
      structure; /* Equal for subtrees with equal nodes and arithmetic, whatever their terms. */
} subtree_stats_t;

/* Stats of every id, profile->term_count + 1 + profile->node_count of them, in the arena. */
subtree_stats_t *subtree_stats_make(const profile_t *profile, arena_t *arena);

/* For every id but the root the id of the node above it; of the initial value one of them. */
uint32_t *tree_parents(const profile_t *profile, arena_t *arena);

/* Whether two nodes compute alike: format, rounding, fusion, alignment. */
bool tree_same_arithmetic(const profile_node_t *a, const profile_node_t *b);

/* A chain: nodes each of which adds more to the sum of those before it, so that they lie along a
 * spine: one item each where nodes have two children.  The items come in the order in which they
 * are added. */
typedef struct tree_chain {
  uint32_t item_count; /* 0: the node ends no chain of two nodes or more. */
  uint32_t *items;     /* Ids. */
  uint32_t *adders;    /* For each item the id of the node that adds it. */
  uint32_t node_count;
  bool is_reverse; /* The spine lies on the right: the last terms are added first. */
} tree_chain_t;

/* The longest chain that ends in node `id`; its arrays live in the arena. */
tree_chain_t tree_chain_find(const profile_t *profile, const subtree_stats_t *stats, uint32_t id,
                             arena_t *arena);

#endif
