/* SPDX-License-Identifier: Apache-2.0 */
/* A graph whose calls are what they stand for: the same regions and values, under names of their
 * own. */
#include "harness/quant/graph/rebuild.h"
#include "harness/quant/graph/unique_name.h"

/* Names without a '/' stay; "call/name" becomes "call.name", or what is free. */
static const char *name_inline(GHashTable *names, const char *name, arena_t *arena) {
  if (strchr(name, '/') == NULL) return name;
  g_autofree char *dotted = g_strdelimit(g_strdup(name), "/", '.');
  return unique_name(names, "", dotted, "", QUANT_NAME_BYTES_MAX, arena);
}

static void take_plain_names(GHashTable *names, const char *name) {
  if (strchr(name, '/') == NULL) unique_names_take(names, name);
}

status_t quant_graph_inline(const quant_graph_t *graph, arena_t *arena, quant_graph_t *out_graph,
                            failure_t *error) {
  quant_parts_t parts = quant_parts_take(graph, arena);
  GHashTable *values = unique_names_begin(), *regions = unique_names_begin();
  for (uint32_t v = 0; v < graph->value_count; v++) take_plain_names(values, graph->values[v].name);
  for (uint32_t r = 0; r < graph->region_count; r++) {
    if (!graph->regions[r].is_op) take_plain_names(regions, graph->regions[r].name);
  }
  for (uint32_t v = 0; v < graph->value_count; v++) {
    parts.values[v].name = name_inline(values, parts.values[v].name, arena);
  }
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *old = &graph->regions[r];
    parts.regions[r].name = old->is_op ? parts.values[old->ports[old->input_count].value].name
                                       : name_inline(regions, parts.regions[r].name, arena);
  }
  g_hash_table_destroy(values);
  g_hash_table_destroy(regions);
  parts.drops_calls = true;
  return quant_parts_build(&parts, arena, out_graph, NULL, NULL, error);
}
