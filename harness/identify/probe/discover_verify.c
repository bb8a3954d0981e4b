/* SPDX-License-Identifier: Apache-2.0 */
/* Verifies that a guessed subtree, or a whole hinted tree, is the real one with about one probe
 * per node: units get random weights, so a wrong set of leaves gives a wrong sum with high
 * probability. */
#include <math.h>
#include <string.h>

#include "harness/identify/probe/discover.h"

static bool is_leaf(const shape_t *shape, uint32_t id) { return id <= shape->term_count; }

static const profile_node_t *node_of(const shape_t *shape, uint32_t id) {
  return &shape->nodes[id - shape->term_count - 1];
}

void shape_leaves(const shape_t *shape, uint32_t id, GArray *out_leaves) {
  GArray *stack = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_array_append_val(stack, id);
  while (stack->len > 0) {
    uint32_t top = g_array_index(stack, uint32_t, stack->len - 1);
    g_array_set_size(stack, stack->len - 1);
    if (is_leaf(shape, top)) {
      g_array_append_val(out_leaves, top);
    } else {
      const profile_node_t *node = node_of(shape, top);
      g_array_append_vals(stack, node->children, node->child_count);
    }
  }
  g_array_unref(stack);
}

/* Verifying one shape. */
typedef struct verification {
  discovery_t *discovery;
  const shape_guess_t *guess;
  GArray *all;       /* Leaf ids of the shape. */
  uint16_t *weights; /* By leaf of the shape: units that it holds in this probe. */
  size_t weight_max; /* Of one leaf. */
} verification_t;

/* Draws weights so that their sum can be counted; returns it. */
static size_t draw_weights(verification_t *v) {
  rng_t *rng = &v->discovery->rng;
  size_t room = v->discovery->scale.capacity - 1;
  size_t count = v->all->len;
  size_t sum = 0;
  for (guint i = 0; i < count; i++) {
    uint32_t leaf = g_array_index(v->all, uint32_t, i);
    uint64_t weight = rng_below(rng, v->weight_max + 1);
    if (count > room && !rng_one_in(rng, 1 + count / room)) weight = 0;
    if (sum + weight > room) weight = 0;
    v->weights[leaf] = (uint16_t)weight;
    sum += weight;
  }
  return sum;
}

static uint32_t any_leaf(const shape_t *shape, uint32_t id) {
  while (!is_leaf(shape, id)) id = node_of(shape, id)->children[0];
  return id;
}

/* The weight that masks at the first two children swallow. */
static size_t swallowed_weight(const verification_t *v, const profile_node_t *node) {
  size_t sum = 0;
  GArray *leaves = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  uint32_t count = node->aligned_bits != 0 ? node->child_count : 2;
  for (uint32_t i = 0; i < count; i++) shape_leaves(v->guess->shape, node->children[i], leaves);
  for (guint i = 0; i < leaves->len; i++) sum += v->weights[g_array_index(leaves, uint32_t, i)];
  g_array_unref(leaves);
  return sum;
}

/* One probe with random weights: a set of swallowed leaves other than the node's gives the right
 * sum with a chance of 1 in weight_max + 1. */
static status_t verify_node(verification_t *v, uint32_t id, bool *out_holds) {
  const profile_node_t *node = node_of(v->guess->shape, id);
  mask_probe_t *probe = v->discovery->probe;
  const mask_scale_t *scale = &v->discovery->scale;
  uint32_t a = any_leaf(v->guess->shape, node->children[0]);
  uint32_t b = any_leaf(v->guess->shape, node->children[1]);
  size_t sum = draw_weights(v);
  sum -= (size_t)v->weights[a] + v->weights[b];
  v->weights[a] = v->weights[b] = 0;
  for (guint i = 0; i < v->all->len; i++) {
    uint32_t leaf = g_array_index(v->all, uint32_t, i);
    if (v->weights[leaf] != 0) {
      mask_probe_set(probe, v->guess->names[leaf], scale->unit * v->weights[leaf]);
    }
  }
  size_t expected = sum - swallowed_weight(v, node);
  if (v->guess->outside != UINT32_MAX) {
    mask_probe_set(probe, v->guess->outside, scale->unit);
    expected++;
  }
  mask_probe_set(probe, v->guess->names[a], scale->mask);
  mask_probe_set(probe, v->guess->names[b], -scale->mask);
  double value;
  STATUS_TRY(mask_probe_run(probe, &value, v->discovery->error));
  *out_holds = value == scale->unit * (double)expected;
  return STATUS_OK;
}

/* Adds the subtree to the builder under its new names.  (The shape may be part of the builder,
 * whose nodes move as it grows.) */
static uint32_t copy_shape(verification_t *v, const GArray *order) {
  GHashTable *ids = g_hash_table_new(NULL, NULL);
  profile_node_t *nodes = g_new(profile_node_t, order->len);
  uint32_t id = 0;
  for (guint i = 0; i < order->len; i++) {
    nodes[i] = *node_of(v->guess->shape, g_array_index(order, uint32_t, i));
  }
  for (guint i = order->len; i-- > 0;) {
    uint32_t *children = g_new(uint32_t, nodes[i].child_count);
    for (uint32_t k = 0; k < nodes[i].child_count; k++) {
      uint32_t child = nodes[i].children[k];
      children[k] = is_leaf(v->guess->shape, child)
                        ? v->guess->names[child]
                        : GPOINTER_TO_UINT(g_hash_table_lookup(ids, GUINT_TO_POINTER(child)));
    }
    bool is_aligned = nodes[i].aligned_bits != 0;
    id = discovery_add(v->discovery, children, nodes[i].child_count, is_aligned);
    uint32_t old = g_array_index(order, uint32_t, i);
    g_hash_table_insert(ids, GUINT_TO_POINTER(old), GUINT_TO_POINTER(id));
    g_free(children);
  }
  g_free(nodes);
  g_hash_table_unref(ids);
  return id;
}

/* The nodes under `id`, parents before children. */
static GArray *nodes_under(const shape_t *shape, uint32_t id) {
  GArray *order = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_array_append_val(order, id);
  for (guint i = 0; i < order->len; i++) {
    const profile_node_t *node = node_of(shape, g_array_index(order, uint32_t, i));
    for (uint32_t k = 0; k < node->child_count; k++) {
      if (!is_leaf(shape, node->children[k])) g_array_append_val(order, node->children[k]);
    }
  }
  return order;
}

status_t verify_shape(discovery_t *discovery, const shape_guess_t *guess, bool *out_holds,
                      uint32_t *out_id) {
  enum { WEIGHT_MAX = 4096, SURE_WEIGHT = 15, PROBES_IF_UNSURE = 2 };
  verification_t v = {.discovery = discovery,
                      .guess = guess,
                      .all = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                      .weights = g_new0(uint16_t, guess->shape->term_count + 1)};
  shape_leaves(guess->shape, guess->root, v.all);
  size_t precise = (size_t)1 << MIN(discovery->probe->black_box->left->precision, 12);
  v.weight_max = CLAMP(discovery->scale.capacity / v.all->len, 1, MIN(WEIGHT_MAX, precise));
  int probes = v.weight_max >= SURE_WEIGHT ? 1 : PROBES_IF_UNSURE;
  GArray *order = nodes_under(guess->shape, guess->root);
  status_t status = STATUS_OK;
  *out_holds = true;
  for (guint i = 0; i < order->len && status == STATUS_OK && *out_holds; i++) {
    for (int k = 0; k < probes && status == STATUS_OK && *out_holds; k++) {
      status = verify_node(&v, g_array_index(order, uint32_t, i), out_holds);
    }
  }
  if (status == STATUS_OK && *out_holds) *out_id = copy_shape(&v, order);
  g_array_unref(order);
  g_free(v.weights);
  g_array_unref(v.all);
  return status;
}

/* The tree of a profile without the nodes that only round, which no mask can see. */
static void additions_of(const profile_t *profile, arena_t *arena, profile_t *out_tree) {
  profile_builder_t builder = profile_builder_make(profile->term_count, arena);
  size_t first_node = profile->term_count + 1;
  uint32_t *names = g_new(uint32_t, first_node + profile->node_count);
  for (size_t i = 0; i < first_node; i++) names[i] = (uint32_t)i;
  for (size_t i = 0; i < profile->node_count; i++) {
    const profile_node_t *node = &profile->nodes[i];
    uint32_t *children = g_new(uint32_t, node->child_count);
    for (uint32_t k = 0; k < node->child_count; k++) children[k] = names[node->children[k]];
    names[first_node + i] = node->child_count == 1
                                ? children[0]
                                : profile_builder_add(&builder, children, node->child_count, node);
    g_free(children);
  }
  *out_tree = *profile;
  profile_builder_finish(&builder, out_tree);
  profile_builder_free(&builder);
  g_free(names);
}

status_t discover_verify(discovery_t *discovery, const profile_t *hint, bool *out_holds) {
  profile_t tree;
  additions_of(hint, discovery->arena, &tree);
  const shape_t shape = {.nodes = tree.nodes, .term_count = tree.term_count};
  *out_holds = tree.node_count == 0;
  if (*out_holds) return STATUS_OK;
  uint32_t *names = g_new(uint32_t, tree.term_count + 1);
  for (size_t i = 0; i <= tree.term_count; i++) names[i] = (uint32_t)i;
  uint32_t id;
  const shape_guess_t guess = {
      .shape = &shape, .root = profile_root(&tree), .names = names, .outside = UINT32_MAX};
  status_t status = verify_shape(discovery, &guess, out_holds, &id);
  g_free(names);
  return status;
}
