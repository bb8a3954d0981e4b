/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for a tree that gives a value: among random ones; and then, of few terms, from the root of
 * the sets down, where every number of a part's set is the sum of two of the sets of its parts; of
 * more terms, among loops whose errors are steered there. */
#include "oracles/exact/tree_search/find_tree.h"

#include <glib.h>

#include "oracles/exact/any_order/part_sets.h"
#include "oracles/exact/any_order/sample.h"
#include "oracles/exact/tree_search/gather.h"
#include "oracles/exact/tree_search/steer.h"

/* The way down. */
typedef struct descent {
  const few_terms_t *sum;
  const leaves_t *leaves;
  const part_set_t *sets;
  rounding_node_t node;
  span_list_t scratch;
  size_t used[LEAF_KINDS_MAX]; /* Leaves of each kind that are in the tree. */
  size_t node_count;
  few_terms_tree_t *tree;
} descent_t;

/* Only f64 has products of more than 53 bits. */
static bool is_of_kind(const few_terms_t *sum, size_t term, const leaf_kind_t *kind) {
  double left = sum->left[term];
  if (sum->right == NULL) return left == kind->value.high;
  double right = sum->right[term], product = left * right;
  return product == kind->value.high && fma(left, right, -product) == kind->value.low;
}

/* The next term of a kind; the initial value is the last. */
static uint8_t take_term(descent_t *descent, const leaf_kind_t *kind) {
  const few_terms_t *sum = descent->sum;
  size_t *used = &descent->used[kind - descent->leaves->kinds];
  size_t skipped = 0;
  for (size_t term = 0; term < sum->count; term++) {
    if (!is_of_kind(sum, term, kind)) continue;
    if (skipped++ < *used) continue;
    ++*used;
    return (uint8_t)term;
  }
  return (uint8_t)sum->count;
}

static uint8_t add_leaf(descent_t *descent, const leaf_kind_t *kind) {
  few_terms_tree_t *tree = descent->tree;
  tree->leaves[tree->leaf_count] = take_term(descent, kind);
  return (uint8_t)tree->leaf_count++;
}

static bool gives(descent_t *descent, span_t a, span_t b, double value) {
  span_list_clear(&descent->scratch);
  rounding_node_add_sum(&descent->node, a, b, &descent->scratch);
  return span_list_has(descent->scratch.spans, descent->scratch.count, real_of(value));
}

/* What is added to what. */
typedef struct step {
  size_t part, rest;
  bool is_fused;        /* `part` is a product, and added unrounded. */
  double value_of_part; /* If it is not. */
  double value_of_rest;
} step_t;

static bool find_fused(descent_t *descent, size_t part, size_t rest, double value, step_t *out) {
  const leaf_kind_t *kind = leaves_single(descent->leaves, part);
  const few_terms_t *sum = descent->sum;
  bool may_fuse = kind != NULL && sum->may_fuse && sum->right != NULL;
  if (!may_fuse || !isfinite(kind->value.high)) return false;
  const part_set_t *others = &descent->sets[rest];
  for (size_t i = 0; i < others->count; i++) {
    if (!gives(descent, span_of(kind->value), others->spans[i], value)) continue;
    *out = (step_t){part, rest, true, 0, others->spans[i].from.high};
    return true;
  }
  return false;
}

static bool find_plain(descent_t *descent, const leaf_split_t *split, double value, step_t *out) {
  const part_set_t *a = &descent->sets[split->part], *b = &descent->sets[split->rest];
  for (size_t i = 0; i < a->count; i++) {
    for (size_t j = 0; j < b->count; j++) {
      if (!gives(descent, a->spans[i], b->spans[j], value)) continue;
      *out =
          (step_t){split->part, split->rest, false, a->spans[i].from.high, b->spans[j].from.high};
      return true;
    }
  }
  return false;
}

static bool find_step(descent_t *descent, size_t whole, double value, step_t *out) {
  leaf_split_t split = leaf_split_begin(descent->leaves, whole);
  while (leaf_split_next(&split)) {
    if (find_plain(descent, &split, value, out) ||
        find_fused(descent, split.part, split.rest, value, out) ||
        find_fused(descent, split.rest, split.part, value, out))
      return true;
  }
  return false;
}

/* The tree's number for a part whose set holds the value.  Nodes are numbered from TREE_LEAVES_MAX
 * on, until it is known how many leaves there are. */
static uint8_t descend(descent_t *descent, size_t part, double value) {
  const leaf_kind_t *kind = leaves_single(descent->leaves, part);
  step_t step;
  if (kind != NULL) return add_leaf(descent, kind);
  bool found = find_step(descent, part, value, &step);
  g_assert(found); /* Else the set would not hold the value. */
  tree_node_t node = {.is_fused = step.is_fused};
  node.left = descend(descent, step.part, step.value_of_part);
  node.right = descend(descent, step.rest, step.value_of_rest);
  descent->tree->nodes[descent->node_count] = node;
  return (uint8_t)(TREE_LEAVES_MAX + descent->node_count++);
}

static void renumber(uint8_t *number, size_t leaf_count) {
  if (*number >= TREE_LEAVES_MAX) *number = (uint8_t)(*number - TREE_LEAVES_MAX + leaf_count);
}

/* A number of the root's set that is converted to the value. */
static bool find_root(const descent_t *descent, double value, double *out_root) {
  const few_terms_t *sum = descent->sum;
  const part_set_t *all = &descent->sets[descent->leaves->part_count - 1];
  for (size_t i = 0; i < all->count; i++) {
    double root = real_round(sum->format, all->spans[i].from);
    *out_root = root;
    if ((sum->result == NULL ? root : format_round_double(sum->result, root)) == value) return true;
  }
  return false;
}

static bool find_in_sets(const few_terms_t *sum, const leaves_t *leaves, double value,
                         arena_t *arena, few_terms_tree_t *out_tree) {
  const part_limits_t plain = {.spans = PART_PLAIN_SPANS_MAX};
  const part_sets_t sets = part_sets_make(sum, leaves, &plain, arena);
  if (!sets.is_complete) return false;
  *out_tree = (few_terms_tree_t){.format = sum->format};
  descent_t descent = {.sum = sum,
                       .leaves = leaves,
                       .sets = sets.sets,
                       .node = rounding_node_make(sum->format, false),
                       .scratch = span_list_make(PART_PLAIN_SPANS_MAX, false, arena),
                       .tree = out_tree};
  double root;
  if (!find_root(&descent, value, &root)) return false;
  descend(&descent, leaves->part_count - 1, root);
  for (size_t i = 0; i < descent.node_count; i++) {
    renumber(&out_tree->nodes[i].left, out_tree->leaf_count);
    renumber(&out_tree->nodes[i].right, out_tree->leaf_count);
  }
  return true;
}

bool few_terms_find_tree(const few_terms_t *sum, double value, arena_t *arena,
                         few_terms_tree_t *out_tree) {
  leaves_t leaves;
  if (!isfinite(value) || value == 0) return false;
  if (few_terms_sample(sum, value, out_tree)) return true;
  if (sum->count > FEW_TERMS_MAX) {
    return few_terms_steer(sum, value, out_tree) || few_terms_gather(sum, value, arena, out_tree);
  }
  if (!leaves_make(sum, &leaves) || leaves.kind_count == 0) return false;
  arena_mark_t mark = arena_mark(arena);
  bool found = find_in_sets(sum, &leaves, value, arena, out_tree);
  arena_rewind(arena, mark);
  return found;
}
