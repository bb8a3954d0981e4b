/* SPDX-License-Identifier: Apache-2.0 */
/* Reduces a tree to what a picture can show: chains become one item list, long runs of equal items
 * get a gap, and a repeated structure is drawn once. */
#include "harness/identify/profile/outline.h"

enum {
  RUN_MAX = 6,      /* A longer run of items of equal structure gets a gap ... */
  RUN_BEGIN = 3,    /* ... behind so many, and before the last. */
  BOX_MIN = 4,      /* Smaller subtrees are drawn again rather than boxed. */
  NESTING_MAX = 96, /* Deeper subtrees are boxes, so that a picture has a width. */
};

typedef struct outliner {
  const profile_t *profile;
  const subtree_stats_t *stats;
  arena_t *arena;
  bool is_large;
  GHashTable *laid_out; /* Structures, as keys. */
} outliner_t;

static outline_t *make(outliner_t *outliner, outline_kind_t kind, uint32_t id) {
  outline_t *outline = ARENA_NEW_ARRAY(outliner->arena, outline_t, 1);
  *outline = (outline_t){.kind = kind, .id = id};
  return outline;
}

static outline_t *lay_out(outliner_t *outliner, uint32_t id, uint32_t nesting);

static void append(outline_t *outline, outline_t *item, uint32_t *adders, uint32_t adder) {
  outline->items[outline->item_count] = item;
  adders[outline->item_count++] = adder;
  outline->level = MAX(outline->level, item->level + 1);
}

static uint32_t run_length(const outliner_t *outliner, const uint32_t *ids, uint32_t count) {
  uint32_t length = 1;
  uint64_t structure = outliner->stats[ids[0]].structure;
  while (length < count && outliner->stats[ids[length]].structure == structure) length++;
  return length;
}

/* `nodes` has for each item the node that adds it, or is NULL for the children of one node. */
static void lay_out_items(outliner_t *outliner, outline_t *outline, const uint32_t *ids,
                          const uint32_t *nodes, uint32_t count, uint32_t nesting) {
  outline->items = ARENA_NEW_ARRAY(outliner->arena, outline_t *, count);
  uint32_t *adders = ARENA_NEW_ARRAY(outliner->arena, uint32_t, count);
  for (uint32_t i = 0; i < count;) {
    uint32_t length = run_length(outliner, ids + i, count - i);
    bool has_gap = outliner->is_large && length > RUN_MAX;
    uint32_t end = i + length;
    while (i < end) {
      uint32_t adder = nodes == NULL ? outline->id : nodes[i];
      append(outline, lay_out(outliner, ids[i], nesting + 1), adders, adder);
      i++;
      if (!has_gap || i + length - end != RUN_BEGIN) continue;
      outline_t *gap = make(outliner, OUTLINE_GAP, ids[i]);
      gap->hidden = end - 1 - i;
      gap->first_id = ids[i];
      gap->last_id = ids[end - 2];
      append(outline, gap, adders, nodes == NULL ? outline->id : nodes[end - 2]);
      i = end - 1;
    }
  }
  outline->adders = adders;
}

static outline_t *lay_out_node(outliner_t *outliner, uint32_t id, uint32_t nesting) {
  tree_chain_t chain = tree_chain_find(outliner->profile, outliner->stats, id, outliner->arena);
  outline_t *outline = make(outliner, OUTLINE_NODE, id);
  if (chain.item_count == 0) {
    const profile_node_t *node = profile_node(outliner->profile, id);
    lay_out_items(outliner, outline, node->children, NULL, node->child_count, nesting);
    return outline;
  }
  outline->kind = chain.is_reverse ? OUTLINE_REVERSE_CHAIN : OUTLINE_CHAIN;
  lay_out_items(outliner, outline, chain.items, chain.adders, chain.item_count, nesting);
  if (!chain.is_reverse) return outline;
  uint32_t *adders = ARENA_NEW_ARRAY(outliner->arena, uint32_t, outline->item_count);
  for (uint32_t i = 0, j = outline->item_count; i < j--; i++) { /* Drawn in the order of terms. */
    outline_t *item = outline->items[i];
    outline->items[i] = outline->items[j];
    outline->items[j] = item;
  }
  for (uint32_t i = 0; i < outline->item_count; i++) {
    adders[i] = outline->adders[outline->item_count - 1 - i];
  }
  outline->adders = adders;
  return outline;
}

static outline_t *lay_out(outliner_t *outliner, uint32_t id, uint32_t nesting) {
  if (profile_is_leaf(outliner->profile, id)) return make(outliner, OUTLINE_LEAF, id);
  const subtree_stats_t *stat = &outliner->stats[id];
  gpointer key = GSIZE_TO_POINTER((gsize)stat->structure);
  bool is_repeated = outliner->is_large && stat->leaf_count >= BOX_MIN &&
                     g_hash_table_contains(outliner->laid_out, key);
  if (is_repeated || nesting >= NESTING_MAX) {
    outline_t *box = make(outliner, OUTLINE_BOX, id);
    box->is_repeated = is_repeated;
    return box;
  }
  outline_t *outline = lay_out_node(outliner, id, nesting);
  g_hash_table_add(outliner->laid_out, key);
  return outline;
}

const outline_t *profile_outline(const profile_t *profile, const subtree_stats_t *stats,
                                 arena_t *arena) {
  uint32_t root = profile_root(profile);
  outliner_t outliner = {.profile = profile,
                         .stats = stats,
                         .arena = arena,
                         .is_large = stats[root].leaf_count > OUTLINE_WHOLE_MAX,
                         .laid_out = g_hash_table_new(NULL, NULL)};
  const outline_t *outline = lay_out(&outliner, root, 0);
  g_hash_table_unref(outliner.laid_out);
  return outline;
}
