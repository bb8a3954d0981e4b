/* SPDX-License-Identifier: Apache-2.0 */
/* Recognizes how groups of terms (lanes or blocks) are combined: marks the largest subtrees within
 * one group, then tests the tree above them for chain, balanced or folded shape. */
#include "harness/identify/order/join_pattern.h"

tree_atoms_t tree_atoms_make(const profile_t *profile, arena_t *arena) {
  size_t count = profile->term_count + 1 + profile->node_count;
  return (tree_atoms_t){.group = ARENA_NEW_ARRAY(arena, uint32_t, count),
                        .low = ARENA_NEW_ARRAY(arena, uint32_t, count),
                        .high = ARENA_NEW_ARRAY(arena, uint32_t, count),
                        .count = ARENA_NEW_ARRAY(arena, uint32_t, count),
                        .order = ARENA_NEW_ARRAY(arena, uint32_t, 2 * count),
                        .chosen = ARENA_NEW_ARRAY(arena, uint32_t, count)};
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static void group_node(const profile_t *profile, uint32_t id, tree_atoms_t *atoms) {
  const profile_node_t *node = profile_node(profile, id);
  uint32_t low = UINT32_MAX;
  uint32_t high = 0;
  uint32_t count = 0;
  bool is_mixed = false;
  for (uint32_t i = 0; i < node->child_count; i++) {
    uint32_t child = node->children[i];
    if (atoms->count[child] == 0) continue;
    is_mixed |= !tree_is_atom(atoms, child);
    low = MIN(low, atoms->low[child]);
    high = MAX(high, atoms->high[child]);
    count += atoms->count[child];
  }
  bool is_atom = count > 0 && !is_mixed && low == high;
  atoms->group[id] = is_atom ? low : TREE_NO_GROUP;
  atoms->low[id] = low;
  atoms->high[id] = high;
  atoms->count[id] = is_atom ? 1 : count;
}

/* Lists the ids under `root`, parents before children; returns their number. */
static uint32_t list_ids(const profile_t *profile, uint32_t root, tree_atoms_t *atoms) {
  uint32_t *order = atoms->order;
  uint32_t listed = 0;
  order[0] = root;
  for (uint32_t count = 1; listed < count; listed++) {
    if (profile_is_leaf(profile, order[listed])) continue;
    const profile_node_t *node = profile_node(profile, order[listed]);
    for (uint32_t i = 0; i < node->child_count; i++) order[count++] = node->children[i];
  }
  return listed;
}

void tree_atoms_group(const profile_t *profile, const tree_part_t *part, uint32_t divisor,
                      bool is_residue, tree_atoms_t *atoms) {
  for (uint32_t i = list_ids(profile, part->root, atoms); i-- > 0;) {
    uint32_t id = atoms->order[i];
    if (!profile_is_leaf(profile, id)) {
      group_node(profile, id, atoms);
    } else if (profile_is_term(profile, id) || part->init_is_first) {
      uint32_t place = (tree_place_of(profile, part, id) - part->start) / part->step;
      uint32_t group = is_residue ? place % divisor : place / divisor;
      atoms->group[id] = atoms->low[id] = atoms->high[id] = group;
      atoms->count[id] = 1;
    } else {
      atoms->group[id] = TREE_NO_GROUP;
      atoms->count[id] = 0;
    }
  }
}

/* ---- Joins ----------------------------------------------------------------------------------- */

/* By the places of their first leaves; a node lists the initial value last, wherever it belongs. */
static void sort_chosen(const tree_atoms_t *atoms, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    uint32_t child = atoms->chosen[i];
    uint32_t j = i;
    for (; j > 0 && atoms->low[atoms->chosen[j - 1]] > atoms->low[child]; j--) {
      atoms->chosen[j] = atoms->chosen[j - 1];
    }
    atoms->chosen[j] = child;
  }
}

/* Goes down to the first node with several children that hold terms, or to an atom.  These children
 * are then in atoms->chosen, `*out_count` of them, 0 for an atom. */
static uint32_t find_join(const profile_t *profile, const tree_atoms_t *atoms, uint32_t id,
                          uint32_t *out_count) {
  *out_count = 0;
  while (!tree_is_atom(atoms, id)) {
    const profile_node_t *node = profile_node(profile, id);
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->child_count; i++) {
      if (atoms->count[node->children[i]] > 0) atoms->chosen[count++] = node->children[i];
    }
    *out_count = count;
    sort_chosen(atoms, count);
    if (count != 1) return id;
    id = atoms->chosen[0];
    *out_count = 0;
  }
  return id;
}

/* Whether each node on the way down adds the atoms that are next: the last ones that are left, or
 * with is_reverse the first one. */
static bool is_chain(const profile_t *profile, const tree_atoms_t *atoms, uint32_t id,
                     uint32_t atom_count, bool is_reverse, uint32_t *out_ways) {
  uint32_t low = 0;
  uint32_t high = atom_count; /* Behind the last one that is left. */
  *out_ways = 2;
  for (;;) {
    uint32_t count;
    find_join(profile, atoms, id, &count);
    if (count == 0) return low + 1 == high;
    if (is_reverse && count != 2) return false;
    *out_ways = MAX(*out_ways, count);
    for (uint32_t i = 1; i < count; i++) {
      uint32_t added = atoms->chosen[is_reverse ? 0 : count - i];
      uint32_t expected = is_reverse ? low++ : --high;
      if (!tree_is_atom(atoms, added) || atoms->group[added] != expected) return false;
    }
    id = atoms->chosen[is_reverse ? 1 : 0];
  }
}

/* The same with the second of each pair before the first; the first two may be in any order. */
static bool is_swapped_chain(const profile_t *profile, const tree_atoms_t *atoms, uint32_t id,
                             uint32_t atom_count) {
  for (uint32_t left = atom_count; left > 2; left--) {
    uint32_t count;
    find_join(profile, atoms, id, &count);
    uint32_t last = left - 1;
    uint32_t expected = (last ^ 1) < atom_count ? last ^ 1 : last;
    if (count != 2 || !tree_is_atom(atoms, atoms->chosen[1])) return false;
    if (atoms->group[atoms->chosen[1]] != expected) return false;
    id = atoms->chosen[0];
  }
  return true;
}

/* The children of a balanced node take equal shares in order, the last one perhaps less; of two the
 * first one is then larger by one or a power of two. */
static bool has_equal_shares(const tree_atoms_t *atoms, uint32_t count) {
  const uint32_t *children = atoms->chosen;
  uint32_t share = atoms->count[children[0]];
  uint32_t last = atoms->count[children[count - 1]];
  for (uint32_t i = 1; i < count; i++) {
    if (atoms->low[children[i]] != atoms->low[children[0]] + i * share) return false;
    if (i + 1 < count && atoms->count[children[i]] != share) return false;
  }
  bool is_power = (share & (share - 1)) == 0;
  return last == share || (last < share && (count > 2 || last + 1 == share || is_power));
}

static bool is_balanced(const profile_t *profile, const tree_atoms_t *atoms, uint32_t id,
                        uint32_t *inout_ways) {
  uint32_t count;
  id = find_join(profile, atoms, id, &count);
  if (count == 0) return true;
  if (!has_equal_shares(atoms, count)) return false;
  *inout_ways = MAX(*inout_ways, count);
  const profile_node_t *node = profile_node(profile, id);
  for (uint32_t i = 0; i < node->child_count; i++) {
    uint32_t child = node->children[i];
    if (atoms->count[child] > 0 && !is_balanced(profile, atoms, child, inout_ways)) return false;
  }
  return true;
}

/* Whether `id` holds every `step`-th atom and adds the even ones of these to the odd ones, which
 * were made so themselves. */
static bool is_folded(const profile_t *profile, const tree_atoms_t *atoms, uint32_t id,
                      uint32_t step) {
  uint32_t count;
  find_join(profile, atoms, id, &count);
  if (count == 0) return true;
  uint32_t even = atoms->chosen[0];
  uint32_t odd = atoms->chosen[1];
  return count == 2 && atoms->count[even] == atoms->count[odd] &&
         atoms->low[odd] == atoms->low[even] + step && is_folded(profile, atoms, even, 2 * step) &&
         is_folded(profile, atoms, odd, 2 * step);
}

join_pattern_t join_pattern_find(const profile_t *profile, const tree_atoms_t *atoms, uint32_t root,
                                 uint32_t atom_count) {
  join_pattern_t join = {.ways = 2};
  if (atoms->count[root] != atom_count) return join;
  join.is_known = true;
  if (is_chain(profile, atoms, root, atom_count, false, &join.ways)) {
    join.kind = SUM_SEQUENTIAL;
  } else if (is_chain(profile, atoms, root, atom_count, true, &join.ways)) {
    join.kind = SUM_REVERSE;
  } else if (join.ways = 2, is_swapped_chain(profile, atoms, root, atom_count)) {
    join.kind = SUM_SWAPPED;
  } else if (is_balanced(profile, atoms, root, &join.ways)) {
    join.kind = SUM_HALVES;
  } else {
    join.is_known = is_folded(profile, atoms, root, 1);
    join.kind = SUM_FOLDED;
  }
  return join;
}
