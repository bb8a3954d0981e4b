/* SPDX-License-Identifier: Apache-2.0 */
/* One bottom-up pass that gives each subtree its counts, depth and structural hash; also finds
 * parents and the chains that printing and drawing treat as one item. */
#include "harness/identify/order/subtree_stats.h"

#include "harness/base/rng.h"

static uint64_t mix(uint64_t structure, uint64_t value) {
  uint64_t state = structure ^ (value * UINT64_C(0x9e3779b97f4a7c15));
  return rng_splitmix(&state);
}

static subtree_stats_t leaf_fact(const profile_t *profile, uint32_t id) {
  enum { TERM = 1, INIT = 2 };
  if (profile_is_term(profile, id)) {
    return (subtree_stats_t){
        .leaf_count = 1, .term_count = 1, .first_term = id, .last_term = id, .structure = TERM};
  }
  return (subtree_stats_t){.leaf_count = 1, .first_term = UINT32_MAX, .structure = INIT};
}

static subtree_stats_t node_fact(const profile_node_t *node, const subtree_stats_t *stats) {
  subtree_stats_t stat = {.first_term = UINT32_MAX};
  stat.structure = mix((uint64_t)(node->format - format_table), (uint64_t)node->rounding);
  stat.structure = mix(stat.structure, (uint64_t)node->aligned_bits * 2 + node->fused);
  for (uint32_t i = 0; i < node->child_count; i++) {
    const subtree_stats_t *child = &stats[node->children[i]];
    stat.leaf_count += child->leaf_count;
    stat.term_count += child->term_count;
    stat.depth = MAX(stat.depth, child->depth + 1);
    stat.first_term = MIN(stat.first_term, child->first_term);
    stat.last_term = MAX(stat.last_term, child->last_term);
    stat.structure = mix(stat.structure, child->structure);
  }
  return stat;
}

subtree_stats_t *subtree_stats_make(const profile_t *profile, arena_t *arena) {
  size_t leaf_count = profile->term_count + 1;
  subtree_stats_t *stats =
      ARENA_NEW_ARRAY(arena, subtree_stats_t, leaf_count + profile->node_count);
  for (size_t i = 0; i < leaf_count; i++) stats[i] = leaf_fact(profile, (uint32_t)i);
  for (size_t i = 0; i < profile->node_count; i++) {
    stats[leaf_count + i] = node_fact(&profile->nodes[i], stats);
  }
  return stats;
}

uint32_t *tree_parents(const profile_t *profile, arena_t *arena) {
  size_t leaf_count = profile->term_count + 1;
  uint32_t *parents = ARENA_NEW_ARRAY(arena, uint32_t, leaf_count + profile->node_count);
  for (uint32_t i = 0; i < profile->node_count; i++) {
    const profile_node_t *node = &profile->nodes[i];
    for (uint32_t j = 0; j < node->child_count; j++) {
      parents[node->children[j]] = (uint32_t)leaf_count + i;
    }
  }
  return parents;
}

bool tree_same_arithmetic(const profile_node_t *a, const profile_node_t *b) {
  return a->format == b->format && a->rounding == b->rounding && a->fused == b->fused &&
         a->aligned_bits == b->aligned_bits;
}

/* The node behind `id` if it adds, else NULL. */
static const profile_node_t *adding_node(const profile_t *profile, uint32_t id) {
  if (profile_is_leaf(profile, id)) return NULL;
  const profile_node_t *node = profile_node(profile, id);
  return node->child_count >= 2 ? node : NULL;
}

/* The child through which the spine goes on: the first one, or for a reverse chain the last. */
static uint32_t spine_child(const profile_node_t *node, bool is_reverse) {
  return node->children[is_reverse ? node->child_count - 1 : 0];
}

/* Whether the spine goes on from `id`: what is added here must be no larger than what the next node
 * adds itself, or else both are parts of one tree. */
static bool spine_goes_on(const profile_t *profile, const subtree_stats_t *stats, uint32_t id,
                          bool is_reverse) {
  uint32_t next = spine_child(profile_node(profile, id), is_reverse);
  const profile_node_t *next_node = adding_node(profile, next);
  if (next_node == NULL) return false;
  uint32_t added_here = stats[id].leaf_count - stats[next].leaf_count;
  uint32_t after_next = spine_child(next_node, is_reverse);
  return added_here <= stats[next].leaf_count - stats[after_next].leaf_count;
}

/* Nodes and items on the spine that ends in `id`. */
static void measure_spine(const profile_t *profile, const subtree_stats_t *stats, uint32_t id,
                          tree_chain_t *chain) {
  chain->node_count = 1;
  chain->item_count = profile_node(profile, id)->child_count;
  while (spine_goes_on(profile, stats, id, chain->is_reverse)) {
    id = spine_child(profile_node(profile, id), chain->is_reverse);
    chain->node_count++;
    chain->item_count += profile_node(profile, id)->child_count - 1;
  }
}

/* Children are listed with the initial value last; the sum rather begins with it. */
static void move_init_to_front(const profile_t *profile, uint32_t *items, uint32_t count) {
  if (items[count - 1] != profile->term_count) return;
  for (uint32_t i = count - 1; i > 0; i--) items[i] = items[i - 1];
  items[0] = (uint32_t)profile->term_count;
}

tree_chain_t tree_chain_find(const profile_t *profile, const subtree_stats_t *stats, uint32_t id,
                             arena_t *arena) {
  tree_chain_t chain = {.is_reverse = false};
  if (adding_node(profile, id) == NULL) return chain;
  measure_spine(profile, stats, id, &chain);
  if (chain.node_count == 1) {
    chain.is_reverse = true;
    measure_spine(profile, stats, id, &chain);
  }
  if (chain.node_count == 1) return (tree_chain_t){0};
  chain.items = ARENA_NEW_ARRAY(arena, uint32_t, chain.item_count);
  chain.adders = ARENA_NEW_ARRAY(arena, uint32_t, chain.item_count);
  uint32_t next = chain.item_count;
  for (uint32_t i = 0; i < chain.node_count; i++) {
    const profile_node_t *node = profile_node(profile, id);
    bool is_first = i + 1 == chain.node_count;
    uint32_t spine = chain.is_reverse ? node->child_count - 1 : 0;
    for (uint32_t j = node->child_count; j-- > 0;) {
      uint32_t child = chain.is_reverse ? node->child_count - 1 - j : j;
      if (child == spine && !is_first) continue;
      chain.items[--next] = node->children[child];
      chain.adders[next] = id;
    }
    if (is_first) move_init_to_front(profile, chain.items, node->child_count);
    id = node->children[spine];
  }
  return chain;
}
