/* SPDX-License-Identifier: Apache-2.0 */
/* Trees over items: stripped of what is no term, indexed by sets of items, and held against orders
 * of summation by making the tree of the order. */
#include "harness/identify/order/item_tree.h"

#include <string.h>

#include "harness/base/rng.h"
#include "harness/identify/profile/builder.h"

static const profile_node_t PLAIN = {.rounding = ROUNDING_NEAREST_EVEN};

enum { NO_NAME = UINT32_MAX };

/* ---- Making ---------------------------------------------------------------------------------- */

uint32_t item_tree_strip(const profile_t *profile, bool keeps_init, arena_t *arena,
                         profile_t *out_tree) {
  size_t terms = profile->term_count;
  profile_builder_t builder = profile_builder_make(terms, arena);
  uint32_t *names = g_new(uint32_t, terms + profile->node_count + 1);
  for (size_t i = 0; i < terms; i++) names[i] = (uint32_t)i;
  names[terms] = keeps_init ? (uint32_t)terms : NO_NAME;
  uint32_t widest = terms > 0 ? 1 : 0;
  for (size_t i = 0; i < profile->node_count; i++) {
    const profile_node_t *node = &profile->nodes[i];
    uint32_t *kept = g_new(uint32_t, node->child_count);
    uint32_t count = 0;
    for (uint32_t k = 0; k < node->child_count; k++) {
      uint32_t child = names[node->children[k]];
      if (child != NO_NAME) kept[count++] = child;
    }
    widest = MAX(widest, count);
    uint32_t only = count == 1 ? kept[0] : NO_NAME;
    names[terms + 1 + i] = count > 1 ? profile_builder_add(&builder, kept, count, &PLAIN) : only;
    g_free(kept);
  }
  *out_tree = (profile_t){.term_count = terms, .result = profile->result};
  profile_builder_finish(&builder, out_tree);
  profile_builder_free(&builder);
  g_free(names);
  return terms > 0 ? widest : 0;
}

item_tree_t item_tree_of_terms(const profile_t *tree, uint32_t front, arena_t *arena) {
  uint32_t *items = ARENA_NEW_ARRAY(arena, uint32_t, tree->term_count + 1);
  size_t count = 0;
  if (front != SUM_NO_ITEM) items[count++] = front;
  for (size_t i = 0; i < tree->term_count; i++) items[count++] = (uint32_t)i;
  return (item_tree_t){.tree = tree, .root = profile_root(tree), .items = items, .count = count};
}

/* ---- Orders ---------------------------------------------------------------------------------- */

static char *print_tree(profile_builder_t *builder, size_t count) {
  profile_t made = {.term_count = count};
  profile_builder_finish(builder, &made);
  GString *text = g_string_new(NULL);
  profile_print_tree(&made, text);
  return g_string_free(text, FALSE);
}

/* Adds a node above children by their names, unless one has none. */
static uint32_t add_renamed(const profile_node_t *node, const uint32_t *names,
                            profile_builder_t *builder) {
  uint32_t *renamed = g_new(uint32_t, node->child_count);
  bool has_names = true;
  for (uint32_t k = 0; k < node->child_count; k++) {
    renamed[k] = names[node->children[k]];
    has_names = has_names && renamed[k] != NO_NAME;
  }
  uint32_t id =
      has_names ? profile_builder_add(builder, renamed, node->child_count, &PLAIN) : NO_NAME;
  g_free(renamed);
  return id;
}

/* The text of the tree down to the items, which are numbered in order. */
static char *text_of_tree(const item_tree_t *part, arena_t *arena) {
  const profile_t *tree = part->tree;
  profile_builder_t builder = profile_builder_make(part->count, arena);
  size_t size = tree->term_count + tree->node_count + 1;
  uint32_t *names = g_new(uint32_t, size);
  memset(names, 0xff, size * sizeof *names);
  for (size_t i = 0; i < part->count; i++) names[part->items[i]] = (uint32_t)i;
  for (size_t i = 0; i < tree->node_count; i++) {
    size_t id = tree->term_count + 1 + i;
    if (names[id] == NO_NAME) names[id] = add_renamed(&tree->nodes[i], names, &builder);
    if (id == part->root) break;
  }
  char *text = print_tree(&builder, part->count);
  profile_builder_free(&builder);
  g_free(names);
  return text;
}

static uint32_t add_items(void *context, const uint32_t *items, uint32_t count) {
  return profile_builder_add(context, items, count, &PLAIN);
}

/* NULL if the order has no tree for so many. */
static char *text_of_order(const sum_order_t *order, size_t count, arena_t *arena) {
  profile_builder_t builder = profile_builder_make(count, arena);
  const sum_builder_t maker = {.add = add_items, .context = &builder, .front = SUM_NO_ITEM};
  uint32_t *items = g_new(uint32_t, count);
  for (size_t i = 0; i < count; i++) items[i] = (uint32_t)i;
  uint32_t root;
  bool has_tree = sum_order_build(order, &maker, items, (uint32_t)count, &root);
  char *text = has_tree ? print_tree(&builder, count) : NULL;
  profile_builder_free(&builder);
  g_free(items);
  return text;
}

bool item_tree_is_given_by(const item_tree_t *tree, const sum_order_t *order) {
  arena_t arena;
  arena_init(&arena);
  g_autofree char *seen = text_of_tree(tree, &arena);
  g_autofree char *made = text_of_order(order, tree->count, &arena);
  arena_deinit(&arena);
  return g_strcmp0(seen, made) == 0;
}

/* ---- Sets of items --------------------------------------------------------------------------- */

static uint64_t hash_of_item(uint32_t item) {
  uint64_t state = item;
  return item == ITEM_NOTHING ? 0 : rng_splitmix(&state);
}

item_index_t item_index_make(const item_tree_t *part) {
  const profile_t *tree = part->tree;
  size_t size = tree->term_count + tree->node_count + 1;
  item_index_t index = {.sums = g_new0(uint64_t, part->count + 1),
                        .nodes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL)};
  uint64_t *hashes = g_new0(uint64_t, size);
  for (size_t i = 0; i < part->count; i++) {
    uint64_t hash = hash_of_item(part->items[i]);
    index.sums[i + 1] = index.sums[i] + hash;
    if (part->items[i] != ITEM_NOTHING) hashes[part->items[i]] = hash;
  }
  for (size_t i = 0; i < tree->node_count; i++) {
    size_t id = tree->term_count + 1 + i;
    if (hashes[id] != 0) continue; /* An item. */
    const profile_node_t *node = &tree->nodes[i];
    for (uint32_t k = 0; k < node->child_count; k++) hashes[id] += hashes[node->children[k]];
  }
  for (size_t id = 0; id < size; id++) {
    if (hashes[id] == 0) continue;
    g_hash_table_insert(index.nodes, g_memdup2(&hashes[id], sizeof hashes[id]),
                        GUINT_TO_POINTER((guint)id + 1));
  }
  g_free(hashes);
  return index;
}

void item_index_free(item_index_t *index) {
  g_hash_table_unref(index->nodes);
  g_free(index->sums);
  *index = (item_index_t){.nodes = NULL};
}

static bool find(const item_index_t *index, uint64_t hash, uint32_t *out_id) {
  gpointer found = g_hash_table_lookup(index->nodes, &hash);
  if (found == NULL) return false;
  *out_id = GPOINTER_TO_UINT(found) - 1;
  return true;
}

bool item_index_find(const item_index_t *index, const uint32_t *items, size_t count,
                     uint32_t *out_id) {
  uint64_t hash = 0;
  for (size_t i = 0; i < count; i++) hash += hash_of_item(items[i]);
  return find(index, hash, out_id);
}

bool item_index_find_range(const item_index_t *index, size_t begin, size_t end, uint32_t *out_id) {
  return find(index, index->sums[end] - index->sums[begin], out_id);
}
