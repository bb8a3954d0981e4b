/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a profile as one line of text: chains and runs of terms at constant distance are
 * abbreviated, and arithmetics are numbered in order of appearance. */
#include "harness/identify/profile/arithmetic.h"

/* Printing under way. */
typedef struct printer {
  const profile_t *profile;
  uint32_t *leaf_counts; /* Of nodes. */
  arithmetic_list_t *arithmetics;
  GString *text;
} printer_t;

static size_t leaf_count(const printer_t *printer, uint32_t id) {
  const profile_t *profile = printer->profile;
  return profile_is_leaf(profile, id) ? 1 : printer->leaf_counts[id - profile->term_count - 1];
}

static bool is_binary(const profile_t *profile, uint32_t id) {
  return !profile_is_leaf(profile, id) && profile_node(profile, id)->child_count == 2;
}

/* Items of a chain as they are met, from the last to the first: all leaves, or all nodes. */
typedef struct chain {
  GArray *items; /* Of uint32_t. */
  bool of_leaves;
} chain_t;

/* The two children at the inner end, whichever way the chain runs; the initial value first. */
static void chain_end(const profile_t *profile, chain_t *chain, const uint32_t *children) {
  GArray *items = chain->items;
  bool swaps = false;
  if (chain->of_leaves && items->len > 0) {
    uint32_t before = g_array_index(items, uint32_t, items->len - 1);
    swaps = before < children[0] || !profile_is_term(profile, children[1]);
  }
  uint32_t last[2] = {children[swaps ? 0 : 1], children[swaps ? 1 : 0]};
  g_array_append_vals(items, last, 2);
}

/* The heavier child carries a chain on, else the first that is a node. */
static bool runs_through_second(const printer_t *printer, const uint32_t *children) {
  size_t first = leaf_count(printer, children[0]);
  size_t second = leaf_count(printer, children[1]);
  if (first != second) return second > first;
  return profile_is_leaf(printer->profile, children[0]);
}

/* Collects the items of the chain that ends in the binary node `id`, last first. */
static void chain_collect(const printer_t *printer, uint32_t id, chain_t *chain) {
  const profile_t *profile = printer->profile;
  const profile_node_t *top = profile_node(profile, id);
  while (is_binary(profile, id) && arithmetic_equal(profile_node(profile, id), top)) {
    const uint32_t *children = profile_node(profile, id)->children;
    bool swaps = runs_through_second(printer, children);
    uint32_t spine = children[swaps ? 1 : 0];
    uint32_t item = children[swaps ? 0 : 1];
    bool is_leaf = profile_is_leaf(profile, item);
    bool is_first = chain->items->len == 0;
    if (is_first) chain->of_leaves = is_leaf;
    if (is_leaf != chain->of_leaves) break;
    bool ends = is_leaf ? profile_is_leaf(profile, spine)
                        : 2 * leaf_count(printer, item) > leaf_count(printer, spine);
    if (ends && (is_leaf || !is_first)) {
      chain_end(profile, chain, children);
      return;
    }
    if (ends) break;
    g_array_append_val(chain->items, item);
    id = spine;
  }
  g_array_append_val(chain->items, id);
}

static void print_child(printer_t *printer, uint32_t id);

/* How many items from `at` on are terms at a constant distance, at least 1. */
static size_t run_length(const profile_t *profile, const uint32_t *items, size_t count, size_t at) {
  size_t end = at + 1;
  if (!profile_is_term(profile, items[at])) return 1;
  int64_t step = end < count ? (int64_t)items[end] - (int64_t)items[at] : 0;
  while (step != 0 && end < count && profile_is_term(profile, items[end]) &&
         (int64_t)items[end] - (int64_t)items[end - 1] == step) {
    end++;
  }
  return end - at;
}

static void print_items(printer_t *printer, const uint32_t *items, size_t count) {
  enum { RUN_MIN = 3 };
  for (size_t i = 0; i < count;) {
    if (i > 0) g_string_append_c(printer->text, ' ');
    size_t run = run_length(printer->profile, items, count, i);
    if (run < RUN_MIN) {
      print_child(printer, items[i++]);
      continue;
    }
    int64_t step = (int64_t)items[i + 1] - (int64_t)items[i];
    g_string_append_printf(printer->text, "%u..%u", items[i], items[i + run - 1]);
    if (step != 1) g_string_append_printf(printer->text, ":%d", (int)step);
    i += run;
  }
}

static void print_node(printer_t *printer, uint32_t id) {
  enum { CHAIN_MIN = 3 };
  const profile_node_t *node = profile_node(printer->profile, id);
  char letter = arithmetic_letter(printer->arithmetics, node);
  if (letter != 'a') g_string_append_c(printer->text, letter);
  chain_t chain = {.items = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
  if (node->child_count == 2) chain_collect(printer, id, &chain);
  size_t count = chain.items->len;
  uint32_t *items = (uint32_t *)(void *)chain.items->data;
  if (count >= CHAIN_MIN) {
    for (size_t i = 0; i < count / 2; i++) {
      uint32_t item = items[i];
      items[i] = items[count - 1 - i];
      items[count - 1 - i] = item;
    }
    g_string_append_c(printer->text, '[');
    print_items(printer, items, count);
    g_string_append_c(printer->text, ']');
  } else {
    g_string_append_c(printer->text, '(');
    print_items(printer, node->children, node->child_count);
    g_string_append_c(printer->text, ')');
  }
  g_array_unref(chain.items);
}

static void print_child(printer_t *printer, uint32_t id) {
  if (!profile_is_leaf(printer->profile, id)) {
    print_node(printer, id);
  } else if (profile_is_term(printer->profile, id)) {
    g_string_append_printf(printer->text, "%u", id);
  } else {
    g_string_append_c(printer->text, 'i');
  }
}

static uint32_t *count_leaves(const profile_t *profile) {
  uint32_t *counts = g_new0(uint32_t, profile->node_count + 1);
  for (size_t i = 0; i < profile->node_count; i++) {
    const profile_node_t *node = &profile->nodes[i];
    for (uint32_t k = 0; k < node->child_count; k++) {
      uint32_t id = node->children[k];
      counts[i] += profile_is_leaf(profile, id) ? 1 : counts[id - profile->term_count - 1];
    }
  }
  return counts;
}

static void print_tree(const profile_t *profile, arithmetic_list_t *arithmetics, GString *text) {
  if (profile->term_count == 0 && profile->right != NULL) {
    g_string_append_c(text, '0');
    return;
  }
  printer_t printer = {.profile = profile,
                       .leaf_counts = count_leaves(profile),
                       .arithmetics = arithmetics,
                       .text = text};
  print_child(&printer, profile_root(profile));
  g_free(printer.leaf_counts);
}

void profile_print_tree(const profile_t *profile, GString *out_text) {
  arithmetic_list_t arithmetics = {.count = 0};
  print_tree(profile, &arithmetics, out_text);
}

static const char *start_word(const profile_t *profile) {
  if (!profile->starts_at_zero) return "none";
  return profile->zero_is_first ? "first" : "zero";
}

static void print_flushes(const profile_t *profile, GString *text) {
  const struct {
    bool flushes;
    const char *word;
  } rows[] = {{profile->flushes_inputs, "inputs"},
              {profile->flushes_sums, "sums"},
              {profile->flushes_outputs, "outputs"}};
  bool any = false;
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (!rows[i].flushes) continue;
    g_string_append_printf(text, "%s%s", any ? "," : "", rows[i].word);
    any = true;
  }
  if (!any) g_string_append(text, "none");
}

static const char *read_word(rounding_t rounding) {
  if (rounding == ROUNDING_TOWARD_ZERO) return "/trunc";
  return rounding == ROUNDING_NEAREST_AWAY ? "/away" : "";
}

void profile_print(const profile_t *profile, GString *out_text) {
  arithmetic_list_t arithmetics = {.count = 0};
  GString *tree = g_string_new(NULL);
  print_tree(profile, &arithmetics, tree);
  g_string_append_printf(out_text, "profile v1 terms=%zu left=%s%s", profile->term_count,
                         profile->left->name, read_word(profile->left_rounding));
  if (profile->right != NULL) {
    g_string_append_printf(out_text, " right=%s%s product=%s", profile->right->name,
                           read_word(profile->right_rounding), profile->product->name);
  }
  g_string_append_printf(out_text, " result=%s start=%s flush=", profile->result->name,
                         start_word(profile));
  print_flushes(profile, out_text);
  for (size_t i = 0; i < arithmetics.count; i++) {
    const profile_node_t *row = &arithmetics.rows[i];
    g_string_append_printf(out_text, " %c=%s", (char)('a' + i), row->format->name);
    if (row->rounding == ROUNDING_TOWARD_ZERO) g_string_append(out_text, "/trunc");
    if (row->overflows) g_string_append(out_text, "/inf");
    if (row->fused) g_string_append(out_text, "/fused");
    if (row->aligned_bits > 0) g_string_append_printf(out_text, "/aligned%d", row->aligned_bits);
    if (row->by_field) g_string_append(out_text, "/field");
    if (row->cuts_sum) g_string_append(out_text, "/cut");
  }
  g_string_append_printf(out_text, " tree=%s : %s", tree->str, profile->program_line);
  g_string_free(tree, TRUE);
}
