/* SPDX-License-Identifier: Apache-2.0 */
/* Describes a profile in words: order of summation, products, formats, rounding, flushing and
 * initial value; and for a rule, the same by its nested orders. */
#include "harness/identify/profile/words.h"

#include <string.h>

#include "harness/identify/order/tree_words.h"

/* ---- What the nodes do ----------------------------------------------------------------------- */

/* Whether a node adds a product: a term of a dot product that it does not merely round. */
static bool adds_product(const profile_t *profile, const profile_node_t *node) {
  if (node->child_count < 2) return false;
  for (uint32_t i = 0; i < node->child_count; i++) {
    if (profile_is_term(profile, node->children[i])) return true;
  }
  return false;
}

static const char *narrowing_word(rounding_t rounding) {
  if (rounding == ROUNDING_TOWARD_ZERO) return "cut";
  return rounding == ROUNDING_NEAREST_AWAY ? "rounded (ties away from zero)" : "rounded";
}

/* The format of an operand, which may be wider than the factors that are made of it. */
static bool is_narrowed(const char *program_line, size_t operand, const format_t *factor) {
  const char *name = program_line;
  g_auto(GStrv) words = g_strsplit(name, " ", -1);
  size_t found = 0;
  for (size_t i = 0; words[i] != NULL && strcmp(words[i], "->") != 0; i++) {
    const char *bracket = strchr(words[i], '[');
    if (bracket == NULL || strchr(words[i], '=') != NULL || found++ != operand) continue;
    return !str_equal_text((str_t){.data = words[i], .size = (size_t)(bracket - words[i])},
                           factor->name);
  }
  return false;
}

static void append_narrowing(const profile_t *profile, GString *text) {
  bool left = is_narrowed(profile->program_line, 0, profile->left);
  bool right = is_narrowed(profile->program_line, 1, profile->right);
  bool alike = left && right && profile->left == profile->right &&
               profile->left_rounding == profile->right_rounding;
  if (left) {
    g_string_append_printf(text, ", %sfactors %s to %s", alike ? "" : "left ",
                           narrowing_word(profile->left_rounding), profile->left->name);
  }
  if (right && !alike) {
    g_string_append_printf(text, ", right factors %s to %s",
                           narrowing_word(profile->right_rounding), profile->right->name);
  }
}

static void append_products(const profile_t *profile, GString *text) {
  if (profile->right == NULL) return;
  append_narrowing(profile, text);
  bool some_fused = false;
  bool some_rounded = profile->node_count == 0 && profile->term_count > 0;
  for (size_t i = 0; i < profile->node_count; i++) {
    const profile_node_t *node = &profile->nodes[i];
    if (!adds_product(profile, node)) continue;
    some_fused |= node->fused;
    some_rounded |= !node->fused;
  }
  if (some_fused) g_string_append(text, some_rounded ? ", partly fused" : ", fused");
  if (!some_rounded) return;
  g_string_append(text, ", products rounded");
  bool is_plain = profile->product == profile->result;
  if (!is_plain) g_string_append_printf(text, " to %s", profile->product->name);
}

/* The formats of the sums, where one is not the format of the result. */
static void append_formats(const profile_t *profile, GString *text) {
  g_autoptr(GPtrArray) formats = g_ptr_array_new();
  bool is_other = false;
  for (size_t i = 0; i < profile->node_count; i++) {
    const format_t *format = profile->nodes[i].format;
    if (profile->nodes[i].child_count < 2) continue;
    is_other |= format != profile->result;
    gpointer name = (gpointer)(uintptr_t)format->name;
    if (!g_ptr_array_find(formats, name, NULL)) g_ptr_array_add(formats, name);
  }
  if (!is_other) return;
  for (guint i = 0; i < formats->len; i++) {
    g_string_append_printf(text, "%s%s", i == 0 ? ", accumulated in " : " and ",
                           (const char *)g_ptr_array_index(formats, i));
  }
}

static void append_rounding(const profile_t *profile, GString *text) {
  size_t adding = 0;
  size_t truncating = 0, overflowing = 0, by_field = 0, cutting = 0;
  int aligned_bits = 0;
  for (size_t i = 0; i < profile->node_count; i++) {
    const profile_node_t *node = &profile->nodes[i];
    if (node->child_count < 2) continue;
    adding++;
    truncating += node->rounding == ROUNDING_TOWARD_ZERO;
    overflowing += node->overflows;
    by_field += node->by_field;
    cutting += node->cuts_sum;
    aligned_bits = MAX(aligned_bits, node->aligned_bits);
  }
  if (truncating > 0) {
    g_string_append(text, truncating == adding ? ", truncating" : ", partly truncating");
    if (overflowing > 0) g_string_append(text, " (beyond the largest number: infinity)");
  }
  if (aligned_bits > 0) g_string_append_printf(text, ", addends aligned to %d bits", aligned_bits);
  if (by_field > 0) g_string_append(text, " (subnormal factors as if they were normal)");
  if (cutting > 0) g_string_append(text, ", sums cut to as many");
}

static void append_flushing(const profile_t *profile, GString *text) {
  if (!profile->flushes_inputs && !profile->flushes_outputs) return;
  g_string_append_printf(text, ", flushes subnormal %s%s%s",
                         profile->flushes_inputs ? "inputs" : "",
                         profile->flushes_inputs && profile->flushes_outputs ? " and " : "",
                         profile->flushes_outputs ? "results" : "");
}

/* ---- The initial value ----------------------------------------------------------------------- */

static uint32_t count_inits(const profile_t *profile) {
  uint32_t count = 0;
  for (size_t i = 0; i < profile->node_count; i++) {
    const profile_node_t *node = &profile->nodes[i];
    for (uint32_t j = 0; j < node->child_count; j++) {
      count += node->children[j] == profile->term_count;
    }
  }
  return count;
}

/* The node that adds the initial value, which some node does. */
static const profile_node_t *find_init(const profile_t *profile) {
  for (size_t i = 0;; i++) {
    const profile_node_t *node = &profile->nodes[i];
    for (uint32_t j = 0; j < node->child_count; j++) {
      if (node->children[j] == profile->term_count) return node;
    }
  }
}

/* Past roundings, down to a leaf or to what adds. */
static uint32_t skip_roundings(const profile_t *profile, uint32_t id) {
  while (!profile_is_leaf(profile, id) && profile_node(profile, id)->child_count == 1) {
    id = profile_node(profile, id)->children[0];
  }
  return id;
}

static void append_init(const profile_t *profile, bool is_first_term, GString *text) {
  if (profile->starts_at_zero) g_string_append(text, ", from +0");
  if (profile->right != NULL || profile->term_count == 0) return;
  uint32_t count = count_inits(profile);
  if (count == 0) {
    g_string_append(text, ", without the initial value");
  } else if (count > 1) {
    g_string_append_printf(text, ", initial value %u times", count);
  } else if (is_first_term) {
    g_string_append(text, ", initial value as the first term");
  } else if (profile->term_count > 1) {
    const profile_node_t *node = find_init(profile);
    uint32_t root = skip_roundings(profile, profile_root(profile));
    bool is_first = skip_roundings(profile, node->children[0]) == 0;
    bool is_last = node == profile_node(profile, root);
    g_string_append(text, is_first  ? ", initial value first"
                          : is_last ? ", initial value last"
                                    : ", initial value in between");
  }
}

static void append_arithmetic(const profile_t *profile, bool init_is_first, GString *text) {
  append_products(profile, text);
  append_formats(profile, text);
  append_rounding(profile, text);
  append_init(profile, init_is_first, text);
  append_flushing(profile, text);
}

void profile_words(const profile_t *profile, GString *out_text) {
  arena_t arena;
  arena_init(&arena);
  subtree_stats_t *stats = subtree_stats_make(profile, &arena);
  bool init_is_first;
  tree_words(profile, stats, &arena, out_text, &init_is_first);
  append_arithmetic(profile, init_is_first, out_text);
  arena_deinit(&arena);
}

/* ---- By a rule ------------------------------------------------------------------------------- */

void profile_words_by_rule(const sum_rule_t *rule, const profile_t *profile, GString *out_text) {
  sum_order_words(&rule->order, out_text);
  append_arithmetic(profile, rule->init == RULE_INIT_FIRST, out_text);
}
