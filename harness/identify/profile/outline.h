/* SPDX-License-Identifier: Apache-2.0 */
/* A profile's tree as it is drawn: chains are one thing with many items, and of a large tree every
 * structure is laid out once; where it occurs again stands a box with a count. */
#ifndef ASSAY_IDENTIFY_PROFILE_OUTLINE_H
#define ASSAY_IDENTIFY_PROFILE_OUTLINE_H

#include "harness/identify/order/subtree_stats.h"

typedef enum outline_kind {
  OUTLINE_LEAF,
  OUTLINE_NODE,          /* One node: the items are its children. */
  OUTLINE_CHAIN,         /* Nodes along a spine: the items are added from the first on. */
  OUTLINE_REVERSE_CHAIN, /* The same from the last item on. */
  OUTLINE_BOX,           /* A subtree that is not laid out. */
  OUTLINE_GAP,           /* Items of a chain or node that are left out. */
} outline_kind_t;

typedef struct outline {
  outline_kind_t kind;
  uint32_t id;         /* Of the leaf, the node, the last node of the chain, the root of the box. */
  uint32_t level;      /* 0 for what has no items, else one more than the largest of an item. */
  bool is_repeated;    /* Of a box: its structure has been laid out before. */
  uint32_t item_count; /* Laid out, gaps included. */
  struct outline **items;
  const uint32_t *adders; /* For each item the id of the node that adds it. */
  uint32_t hidden;        /* Of a gap: how many items of equal structure it stands for ... */
  uint32_t first_id;      /* ... the first of them ... */
  uint32_t last_id;       /* ... and the last. */
} outline_t;

/* Up to how many leaves a tree is laid out whole. */
enum { OUTLINE_WHOLE_MAX = 160 };

/* In the arena. */
const outline_t *profile_outline(const profile_t *profile, const subtree_stats_t *stats,
                                 arena_t *arena);

#endif
