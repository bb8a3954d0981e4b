/* SPDX-License-Identifier: Apache-2.0 */
/* Prints trees from the root down. */
#include "oracles/exact/tree_search/tree_text.h"

void few_terms_print_leaf(const few_terms_t *sum, uint8_t term, GString *out_text) {
  if (term == sum->count) {
    g_string_append(out_text, "init");
  } else if (sum->right == NULL) {
    g_string_append_printf(out_text, "x%u", term);
  } else {
    g_string_append_printf(out_text, "x%u*y%u", term, term);
  }
}

static void print_number(const few_terms_t *sum, const few_terms_tree_t *tree, uint8_t number,
                         GString *out_text) {
  if (number < tree->leaf_count) {
    few_terms_print_leaf(sum, tree->leaves[number], out_text);
    return;
  }
  const tree_node_t *node = &tree->nodes[number - tree->leaf_count];
  if (node->is_fused) {
    uint8_t term = tree->leaves[node->left];
    g_string_append_printf(out_text, "fma(x%u, y%u, ", term, term);
  } else {
    g_string_append_c(out_text, '(');
    print_number(sum, tree, node->left, out_text);
    g_string_append(out_text, " + ");
  }
  print_number(sum, tree, node->right, out_text);
  g_string_append_c(out_text, ')');
}

static void print_values(const few_terms_t *sum, const few_terms_tree_t *tree, GString *out_text) {
  const char *before = ", where ";
  bool has_init = false;
  for (size_t i = 0; i < tree->leaf_count; i++) {
    uint8_t term = tree->leaves[i];
    if (term == sum->count && has_init) continue;
    if (term == sum->count) {
      g_string_append_printf(out_text, "%sinit = %a", before, sum->init);
      has_init = true;
    } else {
      g_string_append_printf(out_text, "%sx%u = %a", before, term, sum->left[term]);
      if (sum->right != NULL)
        g_string_append_printf(out_text, ", y%u = %a", term, sum->right[term]);
    }
    before = ", ";
  }
}

void few_terms_print_leaves(const few_terms_t *sum, const few_terms_tree_t *tree,
                            GString *out_text) {
  g_string_append_printf(out_text, " in %s", tree->format->name);
  if (tree->format != sum->format) {
    g_string_append_printf(out_text, ", rounded to %s at last", sum->format->name);
  }
  if (sum->result != NULL) g_string_append_printf(out_text, ", converted to %s", sum->result->name);
  print_values(sum, tree, out_text);
}

void few_terms_print_tree(const few_terms_t *sum, const few_terms_tree_t *tree, GString *out_text) {
  print_number(sum, tree, (uint8_t)(2 * tree->leaf_count - 2), out_text);
  few_terms_print_leaves(sum, tree, out_text);
}
