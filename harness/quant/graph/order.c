/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of regions that do not depend on the order in which they were declared. */
#include "harness/quant/graph/parts.h"

/* The region that makes input `port`, or QUANT_NONE. */
static int32_t maker_of(const quant_graph_t *graph, uint32_t region, uint32_t port) {
  return graph->values[graph->regions[region].ports[port].value].producer;
}

/* For each region the inputs that wait for another region to be ordered. */
static uint32_t *count_pending(const quant_graph_t *graph) {
  uint32_t *pending = g_new0(uint32_t, graph->region_count + 1);
  for (uint32_t region = 0; region < graph->region_count; region++) {
    for (uint32_t port = 0; port < graph->regions[region].input_count; port++) {
      pending[region] += maker_of(graph, region, port) != QUANT_NONE;
    }
  }
  return pending;
}

/* Regions that still wait all have a maker that does: going back from one must enter a cycle. */
static uint32_t find_cycle(const quant_graph_t *graph, const uint32_t *pending) {
  uint32_t region = 0;
  while (pending[region] == 0) region++;
  for (uint32_t step = 0; step < graph->region_count; step++) {
    uint32_t port = 0;
    while (maker_of(graph, region, port) == QUANT_NONE ||
           pending[maker_of(graph, region, port)] == 0) {
      port++;
    }
    region = (uint32_t)maker_of(graph, region, port);
  }
  return region;
}

/* A region is ready once all that it waits for has its depth. */
static void visit_users(const quant_graph_t *graph, uint32_t region, uint32_t *pending,
                        uint32_t *depths, uint32_t *ready, uint32_t *ready_count) {
  const quant_region_t *maker = &graph->regions[region];
  for (uint32_t port = maker->input_count; port < quant_port_count(maker); port++) {
    const quant_value_t *value = &graph->values[maker->ports[port].value];
    for (uint32_t i = 0; i < value->use_count; i++) {
      uint32_t user = value->uses[i].region;
      depths[user] = MAX(depths[user], depths[region] + 1);
      if (--pending[user] == 0) ready[(*ready_count)++] = user;
    }
  }
}

uint32_t quant_find_depths(const quant_graph_t *graph, uint32_t *out_depths, uint32_t *out_cycle) {
  uint32_t *pending = count_pending(graph);
  uint32_t *ready = g_new(uint32_t, graph->region_count + 1);
  uint32_t ready_count = 0;
  for (uint32_t region = 0; region < graph->region_count; region++) {
    out_depths[region] = 0;
    if (pending[region] == 0) ready[ready_count++] = region;
  }
  for (uint32_t i = 0; i < ready_count; i++) {
    visit_users(graph, ready[i], pending, out_depths, ready, &ready_count);
  }
  if (ready_count < graph->region_count) *out_cycle = find_cycle(graph, pending);
  g_free(ready);
  g_free(pending);
  return ready_count;
}

const uint32_t *quant_graph_depths(const quant_graph_t *graph, arena_t *arena) {
  uint32_t *depths = ARENA_NEW_ARRAY(arena, uint32_t, graph->region_count);
  uint32_t cycle;
  uint32_t count = quant_find_depths(graph, depths, &cycle);
  g_assert(count == graph->region_count); /* quant_builder_finish() refuses cycles. */
  return depths;
}

typedef struct order_keys {
  const quant_graph_t *graph;
  const uint32_t *depths;
} order_keys_t;

static int compare_regions(gconstpointer left, gconstpointer right, gpointer keys_pointer) {
  const order_keys_t *keys = keys_pointer;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  if (keys->depths[a] != keys->depths[b]) return keys->depths[a] < keys->depths[b] ? -1 : 1;
  const quant_region_t *left_region = &keys->graph->regions[a];
  const quant_region_t *right_region = &keys->graph->regions[b];
  int order = strcmp(quant_region_key(keys->graph, left_region),
                     quant_region_key(keys->graph, right_region));
  return order != 0 ? order : (int)left_region->is_op - (int)right_region->is_op;
}

const uint32_t *quant_graph_order(const quant_graph_t *graph, arena_t *arena) {
  order_keys_t keys = {.graph = graph, .depths = quant_graph_depths(graph, arena)};
  uint32_t *order = ARENA_NEW_ARRAY(arena, uint32_t, graph->region_count);
  for (uint32_t region = 0; region < graph->region_count; region++) order[region] = region;
  g_qsort_with_data(order, (gint)graph->region_count, sizeof order[0], compare_regions, &keys);
  return order;
}

const quant_spec_t *quant_port_constraint(const quant_graph_t *graph, const quant_port_t *port) {
  if (port->spec.kind != QUANT_SPEC_OPEN) return &port->spec;
  return &graph->values[port->value].spec;
}
