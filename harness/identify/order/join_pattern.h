/* SPDX-License-Identifier: Apache-2.0 */
/* How the parts of a tree are joined: one after the other, in halves, ...  Private to
 * harness/identify. */
#ifndef ASSAY_IDENTIFY_ORDER_JOIN_PATTERN_H
#define ASSAY_IDENTIFY_ORDER_JOIN_PATTERN_H

#include "harness/identify/profile/profile.h"
#include "harness/order/sum_order.h"

/* The leaves of `root`, which are at the `count` places start, start + step, ... of all leaves. The
 * place of term t is t, and the initial value is looked past everywhere; or it takes place 0, and
 * term t place t + 1. */
typedef struct tree_part {
  uint32_t root;
  bool init_is_first;
  uint32_t start;
  uint32_t step;
  uint32_t count;
} tree_part_t;

enum { TREE_NO_GROUP = UINT32_MAX };

static inline uint32_t tree_leaf_at(const profile_t *profile, const tree_part_t *part,
                                    uint32_t place) {
  if (!part->init_is_first) return place;
  return place == 0 ? (uint32_t)profile->term_count : place - 1;
}

static inline uint32_t tree_place_of(const profile_t *profile, const tree_part_t *part,
                                     uint32_t leaf) {
  if (!part->init_is_first) return leaf;
  return leaf == profile->term_count ? 0 : leaf + 1;
}

/* The leaves of a part sorted into groups.  A subtree whose leaves all lie in one group is an atom,
 * unless it is part of a larger one.  Arrays by id, for the ids in the part. */
typedef struct tree_atoms {
  uint32_t *group; /* Of all leaves in the subtree, or TREE_NO_GROUP. */
  uint32_t *low;   /* The smallest and the largest group in it. */
  uint32_t *high;
  uint32_t *count;  /* Atoms in it; 0 for an initial value that is looked past. */
  uint32_t *order;  /* Scratch: the ids of the part, parents before children. */
  uint32_t *chosen; /* Scratch: the children of one node. */
} tree_atoms_t;

tree_atoms_t tree_atoms_make(const profile_t *profile, arena_t *arena);

/* Leaf i of the part belongs to group i / divisor, or with is_residue to i mod divisor. */
void tree_atoms_group(const profile_t *profile, const tree_part_t *part, uint32_t divisor,
                      bool is_residue, tree_atoms_t *atoms);

static inline bool tree_is_atom(const tree_atoms_t *atoms, uint32_t id) {
  return atoms->group[id] != TREE_NO_GROUP;
}

typedef struct join_pattern {
  bool is_known;
  sum_order_kind_t kind; /* Where it is known: sequential, reverse, swapped, halves or folded; the
                          * first two atoms of swapped ones may be in any order, and halves stand
                          * for all balanced trees. */
  uint32_t ways;         /* Children of its nodes, at the most. */
} join_pattern_t;

/* How atoms 0 .. atom_count - 1 are joined under `root`; each group must be one atom. */
join_pattern_t join_pattern_find(const profile_t *profile, const tree_atoms_t *atoms, uint32_t root,
                                 uint32_t atom_count);

#endif
