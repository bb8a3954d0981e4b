/* SPDX-License-Identifier: Apache-2.0 */
/* Appends nodes to a tree under construction; children are sorted by their first leaf, so that
 * equal trees have equal text. */
#include "harness/identify/profile/builder.h"

#include <string.h>

profile_builder_t profile_builder_make(size_t term_count, arena_t *arena) {
  return (profile_builder_t){.arena = arena,
                             .term_count = term_count,
                             .nodes = g_array_new(FALSE, FALSE, sizeof(profile_node_t)),
                             .first_leaves = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
}

void profile_builder_free(profile_builder_t *builder) {
  g_array_unref(builder->nodes);
  g_array_unref(builder->first_leaves);
}

uint32_t profile_builder_first_leaf(const profile_builder_t *builder, uint32_t id) {
  if (id <= builder->term_count) return id;
  return g_array_index(builder->first_leaves, uint32_t, id - builder->term_count - 1);
}

static int compare_children(const void *a, const void *b, void *builder) {
  uint32_t first = profile_builder_first_leaf(builder, *(const uint32_t *)a);
  uint32_t second = profile_builder_first_leaf(builder, *(const uint32_t *)b);
  return first < second ? -1 : first > second;
}

uint32_t profile_builder_add(profile_builder_t *builder, const uint32_t *children, size_t count,
                             const profile_node_t *like) {
  uint32_t *sorted = ARENA_NEW_ARRAY(builder->arena, uint32_t, count);
  memcpy(sorted, children, count * sizeof *sorted);
  g_qsort_with_data(sorted, (gint)count, sizeof *sorted, compare_children, builder);
  profile_node_t node = *like;
  node.children = sorted;
  node.child_count = (uint32_t)count;
  uint32_t first = profile_builder_first_leaf(builder, sorted[0]);
  g_array_append_val(builder->nodes, node);
  g_array_append_val(builder->first_leaves, first);
  return (uint32_t)(builder->term_count + builder->nodes->len);
}

void profile_builder_finish(const profile_builder_t *builder, profile_t *profile) {
  size_t count = builder->nodes->len;
  profile_node_t *nodes = ARENA_NEW_ARRAY(builder->arena, profile_node_t, count);
  if (count > 0) memcpy(nodes, builder->nodes->data, count * sizeof *nodes);
  profile->node_count = count;
  profile->nodes = nodes;
}
