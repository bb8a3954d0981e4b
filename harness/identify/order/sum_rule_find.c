/* SPDX-License-Identifier: Apache-2.0 */
/* Rules found from a profile: all orders that the search finds in it, with each place of the
 * initial value, that give it exactly. */
#include "harness/identify/order/order_search.h"
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

/* ---- Trying ---------------------------------------------------------------------------------- */

typedef struct finder {
  const profile_t *profile;
  arena_t *arena;
  sum_rule_t roles;         /* With first_is_rounded. */
  const rule_init_t *inits; /* Where the initial value may go. */
  size_t init_count;
  GString *expected; /* The profile's text. */
  GString *text;
  GArray *rules; /* Of sum_rule_t. */
} finder_t;

static bool try_init(finder_t *finder, const sum_order_t *order, rule_init_t init) {
  sum_rule_t rule = finder->roles;
  rule.order = *order;
  rule.init = init;
  arena_mark_t mark = arena_mark(finder->arena);
  profile_t made;
  bool is_rule = sum_rule_apply(&rule, finder->profile->program_line, finder->profile->term_count,
                                finder->arena, &made, NULL) == STATUS_OK &&
                 made.node_count == finder->profile->node_count;
  if (is_rule) {
    g_string_truncate(finder->text, 0);
    profile_print(&made, finder->text);
    is_rule = g_string_equal(finder->text, finder->expected);
  }
  if (is_rule) g_array_append_val(finder->rules, rule);
  arena_rewind(finder->arena, mark);
  return is_rule;
}

static bool try_order(void *context, const sum_order_t *order) {
  finder_t *finder = context;
  bool is_rule = false;
  for (size_t i = 0; i < finder->init_count; i++) {
    is_rule |= try_init(finder, order, finder->inits[i]);
  }
  return is_rule;
}

/* Tries the orders of the terms, before which `front` takes a place unless it is SUM_NO_ITEM. */
static void try_terms(finder_t *finder, uint32_t front, const rule_init_t *inits,
                      size_t init_count) {
  profile_t tree;
  bool keeps_init = front == finder->profile->term_count;
  uint32_t widest = item_tree_strip(finder->profile, keeps_init, finder->arena, &tree);
  const item_tree_t terms = item_tree_of_terms(&tree, front, finder->arena);
  const order_test_t test = {.gives = try_order, .context = finder};
  finder->inits = inits;
  finder->init_count = init_count;
  order_search_all(&terms, widest, &test, finder->arena);
}

static const sum_order_t *make_order(finder_t *finder, sum_order_kind_t kind, uint32_t width,
                                     const sum_order_t *inner, const sum_order_t *join) {
  sum_order_t *order = ARENA_NEW_ARRAY(finder->arena, sum_order_t, 1);
  *order = (sum_order_t){.kind = kind, .width = width, .inner = inner, .join = join};
  return order;
}

/* Blocks that end beyond the last term do not show. */
static void try_hidden_blocks(finder_t *finder) {
  enum { WIDTH_LOW = 4, WIDTH_HIGH = 4096 };
  const sum_order_t *sequential = make_order(finder, SUM_SEQUENTIAL, 1, NULL, NULL);
  const sum_order_t *swapped = make_order(finder, SUM_SWAPPED, 1, NULL, NULL);
  for (uint32_t width = WIDTH_LOW; width <= WIDTH_HIGH; width *= 2) {
    const sum_order_t *padded = make_order(finder, SUM_PADDED, width, sequential, sequential);
    try_order(finder, make_order(finder, SUM_PADDED, width, sequential, padded));
    if (width < finder->profile->term_count) continue;
    try_order(finder, padded);
    try_order(finder, make_order(finder, SUM_BLOCKS, width, sequential, sequential));
    try_order(finder, make_order(finder, SUM_BLOCKS, width, swapped, sequential));
  }
}

static void try_all(finder_t *finder) {
  static const rule_init_t absent[] = {RULE_INIT_ABSENT};
  static const rule_init_t zero[] = {RULE_INIT_ZERO};
  static const rule_init_t first[] = {RULE_INIT_FIRST};
  static const rule_init_t each[] = {RULE_INIT_EACH};
  static const rule_init_t behind[] = {RULE_INIT_LAST, RULE_INIT_TERM};
  static const rule_init_t once[] = {RULE_INIT_LAST, RULE_INIT_FIRST, RULE_INIT_TERM,
                                     RULE_INIT_EACH};
  const profile_t *profile = finder->profile;
  uint32_t init = (uint32_t)profile->term_count;
  const subtree_stats_t *stats = subtree_stats_make(profile, finder->arena);
  uint32_t times = stats[profile_root(profile)].leaf_count - init; /* That it enters. */
  if (times == 0) {
    try_terms(finder, SUM_NO_ITEM, absent, 1);
    try_hidden_blocks(finder);
    if (profile->starts_at_zero) try_terms(finder, ITEM_NOTHING, zero, 1);
  } else if (times == 1) {
    try_terms(finder, SUM_NO_ITEM, behind, G_N_ELEMENTS(behind));
    try_terms(finder, init, first, 1);
    finder->inits = once;
    finder->init_count = G_N_ELEMENTS(once);
  } else {
    try_terms(finder, SUM_NO_ITEM, each, 1);
  }
  try_hidden_blocks(finder);
}

/* The simplest first; of one order, an initial value that is added last, then one more item. */
static gint compare_rules(gconstpointer a, gconstpointer b) {
  static const gint ranks[RULE_INIT_COUNT] = {
      [RULE_INIT_LAST] = 0, [RULE_INIT_FIRST] = 1,  [RULE_INIT_TERM] = 2,
      [RULE_INIT_EACH] = 3, [RULE_INIT_ABSENT] = 0, [RULE_INIT_ZERO] = 1};
  const sum_rule_t *first = a;
  const sum_rule_t *second = b;
  if (sum_order_is_simpler(&first->order, &second->order)) return -1;
  if (sum_order_is_simpler(&second->order, &first->order)) return 1;
  return ranks[first->init] - ranks[second->init];
}

size_t sum_rules_find(const profile_t *profile, arena_t *arena,
                      sum_rule_t out_rules[SUM_RULES_MAX]) {
  finder_t finder = {.profile = profile, .arena = arena};
  if (profile->term_count == 0 || !sum_rule_read_roles(profile, &finder.roles)) return 0;
  finder.expected = g_string_new(NULL);
  finder.text = g_string_new(NULL);
  finder.rules = g_array_new(FALSE, FALSE, sizeof(sum_rule_t));
  profile_print(profile, finder.expected);
  try_all(&finder);
  g_array_sort(finder.rules, compare_rules);
  size_t count = MIN(finder.rules->len, SUM_RULES_MAX);
  for (size_t i = 0; i < count; i++) out_rules[i] = g_array_index(finder.rules, sum_rule_t, i);
  g_string_free(finder.expected, TRUE);
  g_string_free(finder.text, TRUE);
  g_array_unref(finder.rules);
  return count;
}
