/* SPDX-License-Identifier: Apache-2.0 */
/* Determines the arithmetic of a known summation tree: combines separate probes of rounding and
 * products with its own of the start from zero and of flushing (inputs, outputs, inner sums), then
 * completes the tree with nodes that only round. */
#include "harness/identify/probe/arithmetic.h"

#include <math.h>

/* Negative products that are too small for the result, all of them together too. */
static status_t probe_underflow(anatomy_t *anatomy, profile_t *profile) {
  const discovery_t *discovery = anatomy->discovery;
  const black_box_sum_t *black_box = discovery->probe->black_box;
  int least = black_box->result->exponent_min - black_box->result->precision + 1;
  int terms = ilogb((double)black_box->term_count) + 1;
  int target = least - 2 - terms;
  int left = MAX(target / 2, black_box->left->exponent_min - black_box->left->precision + 1);
  int right = MAX(target - left, black_box->right->exponent_min - black_box->right->precision + 1);
  if (left + right > target) return STATUS_OK;
  for (size_t i = 0; i < black_box->term_count; i++) {
    mask_probe_set_factors(discovery->probe, i, -ldexp(1, left), ldexp(1, right));
  }
  double value = 0;
  status_t status = mask_probe_run(discovery->probe, &value, discovery->error);
  profile->zero_is_first = value == 0 && signbit(value) != 0;
  return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

/* Everything is -0: only a zero that an accumulator starts from can make +0 of it. */
static status_t probe_start(anatomy_t *anatomy, profile_t *profile) {
  const discovery_t *discovery = anatomy->discovery;
  const black_box_sum_t *black_box = discovery->probe->black_box;
  if (!format_has_negative_zero(black_box->left) || !format_has_negative_zero(black_box->result)) {
    return STATUS_OK;
  }
  for (size_t i = 0; i < black_box_sum_leaf_count(black_box); i++)
    mask_probe_set(discovery->probe, i, -0.0);
  double value;
  STATUS_TRY(mask_probe_run(discovery->probe, &value, discovery->error));
  profile->starts_at_zero = value == 0 && signbit(value) == 0;
  return profile->starts_at_zero && black_box->right != NULL ? probe_underflow(anatomy, profile)
                                                             : STATUS_OK;
}

/* A result that comes out as nothing although `expected` is in it. */
static status_t is_lost(const discovery_t *discovery, double expected, bool *out_is_lost) {
  double value = expected;
  status_t status = mask_probe_run(discovery->probe, &value, discovery->error);
  *out_is_lost = status == STATUS_OK && value == 0;
  return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

/* Subnormal factors whose product is normal, or subnormal terms. */
static status_t probe_inputs(anatomy_t *anatomy, profile_t *profile) {
  enum { LIFT_MAX = 60 };
  const discovery_t *discovery = anatomy->discovery;
  mask_probe_t *probe = discovery->probe;
  const black_box_sum_t *black_box = probe->black_box;
  if (black_box->term_count == 0 || black_box->left->precision < 2) return STATUS_OK;
  double small = ldexp(0.5, black_box->left->exponent_min);
  if (black_box->right == NULL) {
    bool is_pair = black_box->term_count > 1; /* Two halves make a normal number. */
    mask_probe_set(probe, 0, small);
    if (is_pair) mask_probe_set(probe, 1, small);
    return is_lost(discovery, small, &profile->flushes_inputs);
  }
  bool left_is_lost;
  mask_probe_set_factors(probe, 0, small, ldexp(1, MIN(black_box->right->exponent_max, LIFT_MAX)));
  STATUS_TRY(is_lost(discovery, small, &left_is_lost));
  bool right_is_lost;
  mask_probe_set_factors(probe, 0, ldexp(1, MIN(black_box->left->exponent_max, LIFT_MAX)),
                         ldexp(0.5, black_box->right->exponent_min));
  STATUS_TRY(is_lost(discovery, small, &right_is_lost));
  profile->flushes_inputs = left_is_lost && right_is_lost;
  return STATUS_OK;
}

/* Normal terms whose sum is subnormal. */
static status_t probe_outputs(anatomy_t *anatomy, profile_t *profile) {
  const discovery_t *discovery = anatomy->discovery;
  const black_box_sum_t *black_box = discovery->probe->black_box;
  if (black_box->term_count == 0) return STATUS_OK;
  double least = ldexp(1, black_box->result->exponent_min);
  if (black_box->term_count == 1) {
    if (black_box->right == NULL) return STATUS_OK;
    mask_probe_set(discovery->probe, 0, least / 2);
  } else {
    mask_probe_set(discovery->probe, 0, 1.5 * least);
    mask_probe_set(discovery->probe, 1, -least);
  }
  return is_lost(discovery, least / 2, &profile->flushes_outputs);
}

/* Whether what should be 1.5 times the smallest normal number comes out without its half. */
static status_t is_half_lost(const discovery_t *discovery, bool *out_is_lost) {
  double least = ldexp(1, discovery->probe->black_box->result->exponent_min);
  double value = 0;
  status_t status = mask_probe_run(discovery->probe, &value, discovery->error);
  *out_is_lost = status == STATUS_OK && value == least;
  return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

/* A sum that is subnormal on its way to a normal one. */
static status_t probe_inner_sum(anatomy_t *anatomy, profile_t *profile) {
  mask_probe_t *probe = anatomy->discovery->probe;
  double least = ldexp(1, probe->black_box->result->exponent_min);
  const profile_node_t *node = &anatomy->nodes[0];
  const profile_node_t *above = &anatomy->nodes[anatomy->parents[0] - profile->term_count - 1];
  bool is_first = above->children[0] == profile->term_count + 1;
  mask_probe_set(probe, anatomy_leaf(anatomy, above, is_first ? 1 : 0), least);
  mask_probe_set(probe, anatomy_leaf(anatomy, node, 0), 1.5 * least);
  mask_probe_set(probe, anatomy_leaf(anatomy, node, 1), -least);
  return is_half_lost(anatomy->discovery, &profile->flushes_sums);
}

/* The same of a product, of normal factors if the types have such. */
static status_t probe_inner_product(anatomy_t *anatomy, profile_t *profile) {
  mask_probe_t *probe = anatomy->discovery->probe;
  const black_box_sum_t *black_box = probe->black_box;
  bool has_factors = black_box->left->exponent_min == black_box->result->exponent_min;
  for (uint32_t k = 0; k < 2 && has_factors; k++) {
    const profile_node_t *node = &anatomy->nodes[0];
    double least = ldexp(1, black_box->result->exponent_min);
    mask_probe_set(probe, anatomy_leaf(anatomy, node, 1 - k), least);
    mask_probe_set_factors(probe, anatomy_leaf(anatomy, node, k), least, 0.5);
    bool is_lost;
    STATUS_TRY(is_half_lost(anatomy->discovery, &is_lost));
    profile->flushes_sums = is_lost || (k > 0 && profile->flushes_sums);
  }
  return STATUS_OK;
}

/* What is added further; where nothing is, it goes as results do. */
static status_t probe_sums(anatomy_t *anatomy, profile_t *profile) {
  profile->flushes_sums = profile->flushes_outputs;
  if (anatomy->node_count == 0) return STATUS_OK;
  if (anatomy->parents[0] != 0) return probe_inner_sum(anatomy, profile);
  bool has_products = anatomy->discovery->probe->black_box->right != NULL;
  return has_products ? probe_inner_product(anatomy, profile) : STATUS_OK;
}

status_t probe_zeros(anatomy_t *anatomy, profile_t *profile) {
  STATUS_TRY(probe_start(anatomy, profile));
  STATUS_TRY(probe_inputs(anatomy, profile));
  STATUS_TRY(probe_outputs(anatomy, profile));
  return probe_sums(anatomy, profile);
}

static uint32_t *find_parents(const discovery_t *discovery) {
  const profile_builder_t *builder = &discovery->builder;
  uint32_t *parents = ARENA_NEW_ARRAY(discovery->arena, uint32_t, builder->nodes->len);
  for (guint i = 0; i < builder->nodes->len; i++) {
    parents[i] = 0;
    const profile_node_t *node = &g_array_index(builder->nodes, profile_node_t, i);
    for (uint32_t k = 0; k < node->child_count; k++) {
      uint32_t child = node->children[k];
      if (child <= builder->term_count) continue;
      parents[child - builder->term_count - 1] = (uint32_t)(builder->term_count + 1 + i);
    }
  }
  return parents;
}

/* The tree with a node of its own above each product that a fused node gets rounded. */
static void finish_tree(const anatomy_t *anatomy, profile_t *profile) {
  const discovery_t *discovery = anatomy->discovery;
  size_t term_count = profile->term_count;
  profile_builder_t builder = profile_builder_make(term_count, discovery->arena);
  uint32_t *ids = g_new(uint32_t, anatomy->node_count + 1);
  for (size_t i = 0; i < anatomy->node_count; i++) {
    const profile_node_t *node = &anatomy->nodes[i];
    uint32_t *children = g_new(uint32_t, node->child_count);
    for (uint32_t k = 0; k < node->child_count; k++) {
      uint32_t child = node->children[k];
      children[k] = child > term_count ? ids[child - term_count - 1] : child;
      bool is_rounded = child < term_count && anatomy->is_unrounded[child] == 0;
      if (!node->fused || !is_rounded) continue;
      profile_node_t rounding = *node;
      rounding.aligned_bits = 0;
      children[k] = profile_builder_add(&builder, &child, 1, &rounding);
    }
    ids[i] = profile_builder_add(&builder, children, node->child_count, node);
    g_free(children);
  }
  if (anatomy->node_count == 0 && profile->zero_is_first) { /* One product, added to +0. */
    const profile_node_t rounding = {
        .format = profile->result, .rounding = ROUNDING_NEAREST_EVEN, .fused = true};
    const uint32_t term = 0;
    profile_builder_add(&builder, &term, 1, &rounding);
  }
  profile_builder_finish(&builder, profile);
  g_free(ids);
  profile_builder_free(&builder);
}

status_t probe_arithmetic(discovery_t *discovery, profile_t *out_profile) {
  const black_box_sum_t *black_box = discovery->probe->black_box;
  GArray *nodes = discovery->builder.nodes;
  anatomy_t anatomy = {
      .discovery = discovery,
      .nodes = (profile_node_t *)(void *)nodes->data,
      .node_count = nodes->len,
      .parents = find_parents(discovery),
      .is_unrounded = arena_alloc_zeroed(discovery->arena, black_box->term_count + 1)};
  profile_t profile = {.op = black_box->op,
                       .program_line = black_box->program_line,
                       .term_count = black_box->term_count,
                       .left = black_box->left,
                       .right = black_box->right,
                       .left_rounding = black_box->left_rounding,
                       .right_rounding = black_box->right_rounding,
                       .result = black_box->result,
                       .has_init = discovery->init_is_leaf};
  STATUS_TRY(probe_roundings(&anatomy));
  STATUS_TRY(probe_products(&anatomy, &profile));
  STATUS_TRY(probe_zeros(&anatomy, &profile));
  finish_tree(&anatomy, &profile);
  *out_profile = profile;
  return STATUS_OK;
}
