/* SPDX-License-Identifier: Apache-2.0 */
/* Rules found from a profile: likely ones are tried, and those are taken that give it exactly. */
#include "harness/identify/order/subtree_stats.h"
#include "harness/identify/order/sum_rule.h"

/* ---- Roles ----------------------------------------------------------------------------------- */

/* Takes the arithmetic of a node for a role that has none yet. */
static bool take_role(profile_node_t *role, const profile_node_t *node) {
  if (role->format == NULL) {
    *role = *node;
    role->children = NULL;
    role->child_count = 0;
    return true;
  }
  return tree_same_arithmetic(role, node);
}

static bool has_child(const profile_node_t *node, uint32_t low, uint32_t high) {
  for (uint32_t i = 0; i < node->child_count; i++) {
    if (node->children[i] >= low && node->children[i] <= high) return true;
  }
  return false;
}

bool sum_rule_read_roles(const profile_t *profile, sum_rule_t *out_rule) {
  sum_rule_t rule = {.like = profile};
  uint32_t init = (uint32_t)profile->term_count;
  for (size_t i = 0; i < profile->node_count; i++) {
    const profile_node_t *node = &profile->nodes[i];
    bool has_term = init > 0 && has_child(node, 0, init - 1);
    if (node->child_count == 1 && !has_term) return false; /* The rounding of a sum. */
    rule.first_is_rounded |= node->child_count == 1;
    profile_node_t *role = has_term ? &rule.add : &rule.join;
    if (!has_term && has_child(node, init, init)) role = &rule.last;
    if (!take_role(role, node)) return false;
  }
  /* A role that does not occur here has the arithmetic of the others. */
  const profile_node_t plain = {.format = profile->result};
  if (rule.add.format == NULL) rule.add = rule.join.format != NULL ? rule.join : plain;
  if (rule.join.format == NULL) rule.join = rule.add;
  if (rule.last.format == NULL) rule.last = rule.join;
  *out_rule = rule;
  return true;
}

/* ---- Likely widths --------------------------------------------------------------------------- */

enum { WIDTHS_MAX = 12 };

typedef struct widths {
  uint32_t items[WIDTHS_MAX];
  size_t count;
} widths_t;

typedef struct likely_widths {
  widths_t lanes;
  widths_t blocks;
} likely_widths_t;

static void add_width(widths_t *widths, uint32_t width) {
  if (width < 2 || widths->count == WIDTHS_MAX) return;
  for (size_t i = 0; i < widths->count; i++) {
    if (widths->items[i] == width) return;
  }
  widths->items[widths->count++] = width;
}

/* Goes up from a leaf, in front of which `offset` others may have places.  What is added first
 * tells the width of lanes; where more than one leaf is added at once, a block may have ended. */
static void read_widths(const profile_t *profile, const subtree_stats_t *stats,
                        const uint32_t *parents, uint32_t leaf, uint32_t offset,
                        likely_widths_t *inout_widths) {
  uint32_t root = profile_root(profile);
  bool is_first = true;
  for (uint32_t id = leaf; id != root; id = parents[id]) {
    const profile_node_t *node = profile_node(profile, parents[id]);
    for (uint32_t i = 0; i < node->child_count; i++) {
      uint32_t child = node->children[i];
      if (child == id || stats[child].term_count == 0) continue;
      if (is_first) add_width(&inout_widths->lanes, stats[child].first_term + offset);
      is_first = false;
      if (stats[child].leaf_count < 2) continue;
      add_width(&inout_widths->blocks, stats[id].term_count);
      add_width(&inout_widths->blocks, stats[id].term_count + offset);
    }
  }
}

/* ---- Trying ---------------------------------------------------------------------------------- */

typedef struct finder {
  const profile_t *profile;
  arena_t *arena;
  sum_rule_t roles; /* With first_is_rounded. */
  uint32_t init_count;
  GString *expected; /* The profile's text. */
  GString *text;
  sum_rule_t *rules;
  size_t rule_count;
} finder_t;

static void try_init(finder_t *finder, const sum_order_t *order, rule_init_t init) {
  if (finder->rule_count == SUM_RULES_MAX) return;
  sum_rule_t rule = finder->roles;
  rule.order = *order;
  rule.init = init;
  arena_mark_t mark = arena_mark(finder->arena);
  profile_t made;
  if (sum_rule_apply(&rule, finder->profile->program_line, finder->profile->term_count,
                     finder->arena, &made, NULL) == STATUS_OK &&
      made.node_count == finder->profile->node_count) {
    g_string_truncate(finder->text, 0);
    profile_print(&made, finder->text);
    if (g_string_equal(finder->text, finder->expected)) {
      finder->rules[finder->rule_count++] = rule;
    }
  }
  arena_rewind(finder->arena, mark);
}

static void try_order(finder_t *finder, const sum_order_t *order) {
  if (finder->init_count > 1) {
    try_init(finder, order, RULE_INIT_EACH);
    return;
  }
  if (finder->init_count == 0) {
    try_init(finder, order, RULE_INIT_ABSENT);
    if (finder->profile->starts_at_zero) try_init(finder, order, RULE_INIT_ZERO);
    return;
  }
  try_init(finder, order, RULE_INIT_LAST);
  try_init(finder, order, RULE_INIT_FIRST);
  try_init(finder, order, RULE_INIT_TERM);
  if (order->kind == SUM_PADDED) try_init(finder, order, RULE_INIT_EACH);
}

static const sum_order_t *make_order(finder_t *finder, sum_order_kind_t kind, uint32_t width,
                                     const sum_order_t *inner, const sum_order_t *join) {
  sum_order_t *order = ARENA_NEW_ARRAY(finder->arena, sum_order_t, 1);
  *order = (sum_order_t){.kind = kind, .width = width, .inner = inner, .join = join};
  return order;
}

enum { JOINS_MAX = 12 };

/* The orders in which sums may be joined. */
static size_t list_joins(finder_t *finder, uint32_t sum_count,
                         const sum_order_t *out_joins[JOINS_MAX]) {
  size_t count = 0;
  for (int kind = 0; kind <= SUM_FOLDED; kind++) {
    out_joins[count++] = make_order(finder, (sum_order_kind_t)kind, 1, NULL, NULL);
  }
  out_joins[count++] = make_order(finder, SUM_WAYS, sum_count, NULL, NULL);
  for (uint32_t outer = 2; outer <= 8; outer *= 2) {
    if (2 * outer > sum_count) break;
    out_joins[count++] =
        make_order(finder, SUM_LANES, outer, out_joins[SUM_FOLDED], out_joins[SUM_SEQUENTIAL]);
  }
  return count;
}

static void try_lanes(finder_t *finder, const widths_t *lanes, const widths_t *blocks) {
  for (size_t i = 0; i < lanes->count; i++) {
    const sum_order_t *joins[JOINS_MAX];
    uint32_t width = lanes->items[i];
    size_t join_count = list_joins(finder, width, joins);
    for (size_t j = 0; j < join_count; j++) {
      const sum_order_t *order =
          make_order(finder, SUM_LANES, width, joins[SUM_SEQUENTIAL], joins[j]);
      try_order(finder, order);
      try_order(finder, make_order(finder, SUM_TAIL, width, order, NULL));
      for (size_t k = 0; k < blocks->count; k++) {
        if (blocks->items[k] <= width) continue;
        for (int outer = 0; outer <= SUM_FOLDED; outer++) {
          try_order(finder, make_order(finder, SUM_BLOCKS, blocks->items[k], order, joins[outer]));
        }
      }
    }
  }
}

static void try_blocks(finder_t *finder, const widths_t *blocks) {
  for (size_t i = 0; i < blocks->count; i++) {
    const sum_order_t *joins[JOINS_MAX];
    uint32_t width = blocks->items[i];
    size_t join_count = list_joins(finder, width, joins);
    for (size_t j = 0; j < join_count; j++) {
      for (int inner = 0; inner <= SUM_SWAPPED; inner++) {
        try_order(finder, make_order(finder, SUM_BLOCKS, width, joins[inner], joins[j]));
      }
    }
  }
}

/* Blocks that end beyond the last term, or are cut at both ends, do not show their width. */
static void try_hidden_blocks(finder_t *finder, const widths_t *blocks) {
  enum { WIDTH_LOW = 4, WIDTH_HIGH = 4096 };
  const sum_order_t *sequential = make_order(finder, SUM_SEQUENTIAL, 1, NULL, NULL);
  uint32_t first = blocks->count == 0 ? (uint32_t)finder->profile->term_count : blocks->items[0];
  for (uint32_t width = WIDTH_LOW; width <= WIDTH_HIGH; width *= 2) {
    if (width < first) continue;
    const sum_order_t *padded = make_order(finder, SUM_PADDED, width, sequential, sequential);
    try_order(finder, padded);
    try_order(finder, make_order(finder, SUM_PADDED, width, sequential, padded));
    if (width < finder->profile->term_count) continue;
    const sum_order_t *swapped = make_order(finder, SUM_SWAPPED, 1, NULL, NULL);
    try_order(finder, make_order(finder, SUM_BLOCKS, width, sequential, sequential));
    try_order(finder, make_order(finder, SUM_BLOCKS, width, swapped, sequential));
  }
}

static uint32_t widest_node(const profile_t *profile) {
  uint32_t widest = 0;
  for (size_t i = 0; i < profile->node_count; i++) {
    widest = MAX(widest, profile->nodes[i].child_count);
  }
  return widest;
}

static void try_all(finder_t *finder) {
  const profile_t *profile = finder->profile;
  subtree_stats_t *stats = subtree_stats_make(profile, finder->arena);
  uint32_t *parents = tree_parents(profile, finder->arena);
  uint32_t init = (uint32_t)profile->term_count;
  finder->init_count =
      stats[profile_root(profile)].leaf_count - init; /* Each time that it enters. */
  for (int kind = 0; kind <= SUM_FOLDED; kind++) {
    try_order(finder, make_order(finder, (sum_order_kind_t)kind, 1, NULL, NULL));
  }
  uint32_t widest = widest_node(profile);
  if (widest > 2) try_order(finder, make_order(finder, SUM_WAYS, widest, NULL, NULL));
  if (widest > 2) try_order(finder, make_order(finder, SUM_WAYS, widest - 1, NULL, NULL));
  likely_widths_t widths = {.lanes = {.count = 0}, .blocks = {.count = 0}};
  bool has_place_in_front = finder->init_count == 1 || profile->starts_at_zero;
  read_widths(profile, stats, parents, 0, 0, &widths);
  if (has_place_in_front) read_widths(profile, stats, parents, 0, 1, &widths);
  if (finder->init_count == 1) read_widths(profile, stats, parents, init, 1, &widths);
  try_lanes(finder, &widths.lanes, &widths.blocks);
  try_blocks(finder, &widths.blocks);
  try_hidden_blocks(finder, &widths.blocks);
}

size_t sum_rules_find(const profile_t *profile, arena_t *arena,
                      sum_rule_t out_rules[SUM_RULES_MAX]) {
  finder_t finder = {.profile = profile, .arena = arena, .rules = out_rules};
  if (profile->term_count == 0 || !sum_rule_read_roles(profile, &finder.roles)) return 0;
  finder.expected = g_string_new(NULL);
  finder.text = g_string_new(NULL);
  profile_print(profile, finder.expected);
  try_all(&finder);
  g_string_free(finder.expected, TRUE);
  g_string_free(finder.text, TRUE);
  return finder.rule_count;
}
