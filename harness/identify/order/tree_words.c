/* SPDX-License-Identifier: Apache-2.0 */
/* Describes a summation tree in words by trying groupings, lanes and blocks of every plausible
 * divisor, recursively; regular descriptions are preferred to irregular ones. */
#include "harness/identify/order/tree_words.h"

#include <string.h>

#include "harness/identify/order/join_pattern.h"

enum { NESTING_MAX = 4 };

typedef struct describer {
  const profile_t *profile;
  const subtree_stats_t *stats;
  bool may_be_irregular;           /* Lanes and blocks may be joined in any way. */
  uint32_t *parents;               /* By id. */
  tree_atoms_t atoms[NESTING_MAX]; /* For each level of nesting. */
} describer_t;

/* Parts in groups: lanes or blocks. */
typedef struct grouping {
  tree_part_t part;
  uint32_t divisor;
  bool is_lanes; /* Term i goes to group i mod divisor, else to i / divisor. */
  uint32_t count;
} grouping_t;

/* Appends words for a part; false, and nothing that counts, if there are none. */
static bool describe(describer_t *describer, const tree_part_t *part, unsigned nesting,
                     GString *text);

/* ---- Lanes and blocks ------------------------------------------------------------------------ */

static grouping_t grouping_make(const tree_part_t *part, uint32_t divisor, bool is_lanes) {
  uint32_t count = is_lanes ? divisor : (part->count + divisor - 1) / divisor;
  return (grouping_t){*part, divisor, is_lanes, count};
}

/* Group i as a part; its root is the largest subtree within it. */
static tree_part_t group_at(const describer_t *describer, const tree_atoms_t *atoms,
                            const grouping_t *grouping, uint32_t i) {
  const tree_part_t *part = &grouping->part;
  tree_part_t group = {.init_is_first = part->init_is_first};
  if (grouping->is_lanes) {
    group.start = part->start + i * part->step;
    group.step = part->step * grouping->divisor;
    group.count = (part->count - i + grouping->divisor - 1) / grouping->divisor;
  } else {
    group.start = part->start + i * grouping->divisor * part->step;
    group.step = part->step;
    group.count = MIN(part->count - i * grouping->divisor, grouping->divisor);
  }
  group.root = tree_leaf_at(describer->profile, part, group.start);
  while (group.root != part->root && tree_is_atom(atoms, describer->parents[group.root])) {
    group.root = describer->parents[group.root];
  }
  return group;
}

/* Words for the groups if all of them are alike, in one order; the last block may be shorter, and
 * then have another one. */
static bool describe_alike(describer_t *describer, const grouping_t *grouping, unsigned nesting,
                           GString *text) {
  for (uint32_t i = 0; i < grouping->count; i++) {
    tree_part_t group = group_at(describer, &describer->atoms[nesting], grouping, i);
    bool is_short = group.count < 3 || (!grouping->is_lanes && group.count < grouping->divisor);
    g_autoptr(GString) words = g_string_new(NULL);
    if (!describe(describer, &group, nesting + 1, words)) return false;
    if (i == 0) g_string_append(text, words->str);
    if (!is_short && !g_string_equal(words, text)) return false;
  }
  return true;
}

static const char *join_words(const join_pattern_t *join) {
  if (!join->is_known) return "irregular";
  bool is_wide = join->kind == SUM_HALVES && join->ways > 2;
  return is_wide ? "balanced" : sum_order_join_words(join->kind);
}

static bool describe_grouping(describer_t *describer, const grouping_t *grouping, unsigned nesting,
                              GString *text) {
  const tree_part_t *part = &grouping->part;
  tree_atoms_t *atoms = &describer->atoms[nesting];
  if (grouping->divisor < 2 || grouping->divisor >= part->count) return false;
  tree_atoms_group(describer->profile, part, grouping->divisor, grouping->is_lanes, atoms);
  if (atoms->count[part->root] != grouping->count) return false;
  g_autoptr(GString) inner = g_string_new(NULL);
  if (!describe_alike(describer, grouping, nesting, inner)) return false;
  join_pattern_t join = join_pattern_find(describer->profile, atoms, part->root, grouping->count);
  bool is_telling = describer->may_be_irregular && part->count >= 2 * grouping->divisor;
  if (!join.is_known && !is_telling) return false;
  bool is_plain = strcmp(inner->str, "sequential") == 0;
  bool is_one_and_a_bit = !grouping->is_lanes && 2 * part->count < 3 * grouping->divisor;
  if (is_one_and_a_bit && !is_plain) return false;
  g_string_append_printf(text, grouping->is_lanes ? "%u lanes" : "blocks of %u", grouping->divisor);
  if (!is_plain) g_string_append_printf(text, " (%s)", inner->str);
  if (join.ways == grouping->count && join.ways > 2) {
    g_string_append_printf(text, ", in one %u-way node at the end", join.ways);
    return true;
  }
  g_string_append(text, ", ");
  if (join.ways > 2) g_string_append_printf(text, "in %u-way nodes, ", join.ways);
  g_string_append(text, join_words(&join));
  bool is_all_sequential =
      is_plain && join.is_known && join.kind == SUM_SEQUENTIAL && !grouping->is_lanes;
  if (!is_all_sequential) g_string_append(text, " at the end");
  return true;
}

static uint32_t leaf_count(const describer_t *describer, const tree_part_t *part, uint32_t id) {
  const subtree_stats_t *stat = &describer->stats[id];
  return part->init_is_first ? stat->leaf_count : stat->term_count;
}

/* Goes up from `*inout_id` to the first node that adds other terms; returns the place of the first
 * of these, or UINT32_MAX if there is none in the part. */
static uint32_t next_place(const describer_t *describer, const tree_part_t *part,
                           uint32_t *inout_id) {
  for (uint32_t id = *inout_id; id != part->root; id = describer->parents[id]) {
    const profile_node_t *node = profile_node(describer->profile, describer->parents[id]);
    for (uint32_t i = 0; i < node->child_count; i++) {
      const subtree_stats_t *stat = &describer->stats[node->children[i]];
      if (node->children[i] == id || stat->term_count == 0) continue;
      *inout_id = describer->parents[id];
      return tree_place_of(describer->profile, part, stat->first_term);
    }
  }
  return UINT32_MAX;
}

static bool describe_lanes(describer_t *describer, const tree_part_t *part, unsigned nesting,
                           GString *text) {
  uint32_t id = tree_leaf_at(describer->profile, part, part->start);
  uint32_t next = next_place(describer, part, &id);
  if (next == UINT32_MAX || next < part->start) return false;
  uint32_t width = (next - part->start) / part->step;
  for (uint32_t outer = width; outer >= 2; outer /= 2) { /* Lanes in lanes: joined in two ways. */
    grouping_t lanes = grouping_make(part, outer, true);
    if (describe_grouping(describer, &lanes, nesting, text)) return true;
    if (outer % 2 != 0) break;
  }
  return false;
}

/* A block ends where more than one term is added next. */
static bool describe_blocks(describer_t *describer, const tree_part_t *part, unsigned nesting,
                            GString *text) {
  for (uint32_t id = tree_leaf_at(describer->profile, part, part->start);;) {
    uint32_t size = leaf_count(describer, part, id);
    uint32_t next = next_place(describer, part, &id);
    if (next == UINT32_MAX) return false;
    bool is_contiguous = next == part->start + size * part->step;
    bool adds_many = leaf_count(describer, part, id) > size + 1;
    grouping_t blocks = grouping_make(part, size, false);
    if (is_contiguous && adds_many && describe_grouping(describer, &blocks, nesting, text)) {
      return true;
    }
  }
}

/* ---- Two parts ------------------------------------------------------------------------------- */

/* The part without the last terms, which are added to it one by one; returns their number. */
static uint32_t peel_tail(const describer_t *describer, tree_part_t *inout_part) {
  const profile_t *profile = describer->profile;
  uint32_t peeled = 0;
  while (!profile_is_leaf(profile, inout_part->root) && inout_part->count > 1) {
    const profile_node_t *node = profile_node(profile, inout_part->root);
    uint32_t last_place = inout_part->start + (inout_part->count - 1) * inout_part->step;
    uint32_t last_term = tree_leaf_at(profile, inout_part, last_place);
    uint32_t last = node->children[node->child_count - 1];
    bool is_init = last == profile->term_count;
    if (node->child_count > 2 || (node->child_count == 2 && !is_init && last != last_term)) break;
    if (node->child_count == 2 && !is_init) {
      inout_part->count--;
      peeled++;
    }
    inout_part->root = node->children[0];
  }
  return peeled;
}

static bool describe_tail(describer_t *describer, const tree_part_t *part, unsigned nesting,
                          GString *text) {
  tree_part_t body = *part;
  uint32_t peeled = peel_tail(describer, &body);
  bool is_whole = leaf_count(describer, &body, body.root) == body.count;
  if (peeled == 0 || !is_whole || !describe(describer, &body, nesting + 1, text)) return false;
  if (peeled == 1) {
    g_string_append(text, ", then the last term");
  } else {
    g_string_append_printf(text, ", then the last %u terms one by one", peeled);
  }
  return true;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static bool describe(describer_t *describer, const tree_part_t *part, unsigned nesting,
                     GString *text) {
  if (nesting >= NESTING_MAX) return false;
  tree_atoms_t *atoms = &describer->atoms[nesting];
  tree_atoms_group(describer->profile, part, 1, false, atoms);
  join_pattern_t join = join_pattern_find(describer->profile, atoms, part->root, part->count);
  if (!join.is_known) {
    gsize size = text->len;
    if (describe_lanes(describer, part, nesting, text)) return true;
    if (describe_blocks(describer, part, nesting, text)) return true;
    g_string_truncate(text, size);
    return describe_tail(describer, part, nesting, text);
  }
  if (join.ways > 2 && join.ways == part->count) {
    g_string_append_printf(text, "one %u-way node", join.ways);
    return true;
  }
  if (join.ways > 2) g_string_append_printf(text, "%u-way nodes, ", join.ways);
  g_string_append(text, join_words(&join));
  if (join.kind == SUM_REVERSE) g_string_append(text, " term");
  return true;
}

/* The initial value is looked past first, then taken for a term; and lanes or blocks that are
 * joined in no known way come last. */
static bool describe_whole(describer_t *describer, GString *text, bool *out_init_is_first) {
  static const struct {
    bool init_is_first;
    bool may_be_irregular;
  } tries[] = {{false, false}, {true, false}, {false, true}, {true, true}};
  const profile_t *profile = describer->profile;
  uint32_t root = profile_root(profile);
  const subtree_stats_t *stat = &describer->stats[root];
  gsize size = text->len;
  for (size_t i = 0; i < G_N_ELEMENTS(tries); i++) {
    bool has_one_init = stat->leaf_count == stat->term_count + 1;
    if (tries[i].init_is_first && !has_one_init) continue;
    describer->may_be_irregular = tries[i].may_be_irregular;
    const tree_part_t whole = {.root = root,
                               .init_is_first = tries[i].init_is_first,
                               .step = 1,
                               .count = stat->term_count + tries[i].init_is_first};
    *out_init_is_first = tries[i].init_is_first;
    if (describe(describer, &whole, 0, text)) return true;
    g_string_truncate(text, size);
  }
  *out_init_is_first = false;
  return false;
}

void tree_words(const profile_t *profile, const subtree_stats_t *stats, arena_t *arena,
                GString *out_text, bool *out_init_is_first) {
  const subtree_stats_t *whole = &stats[profile_root(profile)];
  *out_init_is_first = false;
  if (whole->term_count == 0) {
    g_string_append(out_text, profile->has_init ? "the initial value alone" : "no term");
    return;
  }
  if (whole->term_count == 1) {
    g_string_append(out_text, "one term");
    return;
  }
  describer_t describer = {.profile = profile, .stats = stats};
  describer.parents = tree_parents(profile, arena);
  for (int i = 0; i < NESTING_MAX; i++) describer.atoms[i] = tree_atoms_make(profile, arena);
  if (describe_whole(&describer, out_text, out_init_is_first)) return;
  g_string_append_printf(out_text, "irregular tree of depth %u", whole->depth);
}
