/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves and nodes of trees that are computed with one arithmetic throughout. */
#include "oracles/exact/any_order/operands.h"

#include "oracles/exact/error_bound.h"

/* A format that theory.md, D6, calls wider. */
static void add_wider(const few_terms_t *sum, size_t id, tree_arithmetics_t *out) {
  const format_t *wider = &format_table[id];
  int needed = sum->format->precision + error_bound_wider_bits(sum->format);
  if (!sum->may_widen || wider->precision < needed || !arithmetic_format_holds(wider, sum->format))
    return;
  out->items[out->count++] = (tree_arithmetic_t){.nodes = arithmetic_make(wider)};
}

tree_arithmetics_t tree_arithmetics_of(const few_terms_t *sum) {
  tree_arithmetics_t out = {.count = 1, .items = {{.nodes = arithmetic_make(sum->format)}}};
  if (sum->may_fuse && sum->right != NULL) {
    out.items[out.count++] =
        (tree_arithmetic_t){.nodes = arithmetic_make(sum->format), .fuses = true};
  }
  add_wider(sum, FORMAT_f32, &out);
  add_wider(sum, FORMAT_f64, &out);
  return out;
}

tree_operand_t tree_operand_add(const tree_arithmetic_t *tree, const tree_operand_t *a,
                                const tree_operand_t *b, tree_node_t *out_node) {
  const arithmetic_t *nodes = &tree->nodes;
  const tree_operand_t *product = a->left != NULL ? a : b;
  const tree_operand_t *other = a->left != NULL ? b : a;
  bool is_fused = tree->fuses && product->left != NULL;
  *out_node = (tree_node_t){.left = product->number, .right = other->number, .is_fused = is_fused};
  if (is_fused) {
    return (tree_operand_t){
        .value = arithmetic_fused(nodes, *product->left, *product->right, other->value)};
  }
  return (tree_operand_t){.value = arithmetic_add(nodes, a->value, b->value)};
}

size_t tree_operands_set(const few_terms_t *sum, const tree_arithmetic_t *tree,
                         tree_operand_t *out) {
  size_t count = 0;
  for (uint32_t i = 0; i < sum->init_count && sum->init != 0; i++) {
    out[count] = (tree_operand_t){.value = sum->init, .number = (uint8_t)count};
    count++;
  }
  for (size_t i = 0; i < sum->count; i++) {
    bool is_product = sum->right != NULL;
    double value =
        is_product ? arithmetic_multiply(&tree->nodes, sum->left[i], sum->right[i]) : sum->left[i];
    out[count] = (tree_operand_t){.value = value,
                                  .left = is_product ? &sum->left[i] : NULL,
                                  .right = is_product ? &sum->right[i] : NULL,
                                  .number = (uint8_t)count};
    count++;
  }
  return count;
}

void tree_name_leaves(const few_terms_t *sum, size_t leaf_count, few_terms_tree_t *out_tree) {
  size_t inits = leaf_count - sum->count;
  out_tree->leaf_count = leaf_count;
  for (size_t i = 0; i < leaf_count; i++) {
    out_tree->leaves[i] = (uint8_t)(i < inits ? sum->count : i - inits);
  }
}

double tree_result(const few_terms_t *sum, double root) {
  const arithmetic_t last = arithmetic_make(sum->format);
  double given = arithmetic_round(&last, root);
  return sum->result == NULL ? given : format_round_double(sum->result, given);
}
