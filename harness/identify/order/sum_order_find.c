/* SPDX-License-Identifier: Apache-2.0 */
/* Reading an order of summation off the tree of a profile. */
#include "harness/identify/order/sum_order_find.h"

#include "harness/identify/order/order_search.h"

/* The terms' tree without initial values and single roundings; false if a node has more than two
 * children then, or there are no terms. */
static bool strip(const profile_t *profile, arena_t *arena, item_tree_t *out_terms) {
  profile_t *tree = ARENA_NEW_ARRAY(arena, profile_t, 1);
  uint32_t widest = item_tree_strip(profile, false, arena, tree);
  if (widest == 0 || widest > 2) return false;
  *out_terms = item_tree_of_terms(tree, SUM_NO_ITEM, arena);
  return true;
}

const sum_order_t *sum_order_find(const profile_t *profile, arena_t *arena) {
  item_tree_t terms;
  return strip(profile, arena, &terms) ? order_search_first(&terms, arena) : NULL;
}

void sum_order_print_found(const sum_order_t *order, GString *out_text) {
  if (order == NULL) {
    g_string_append(out_text, "irregular");
  } else {
    sum_order_print(order, out_text);
  }
}

bool sum_order_explains(const sum_order_t *order, const profile_t *profile) {
  arena_t arena;
  arena_init(&arena);
  item_tree_t terms;
  bool explains = strip(profile, &arena, &terms) && item_tree_is_given_by(&terms, order);
  arena_deinit(&arena);
  return explains;
}
