/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a graph apart into values, regions and ports with flags for dropping, shuffling or
 * redirecting them, and builds a valid graph from what is left. */
#include "harness/quant/graph/rebuild.h"

quant_parts_t quant_parts_take(const quant_graph_t *graph, arena_t *arena) {
  uint32_t value_count = graph->value_count, region_count = graph->region_count;
  quant_parts_t parts = {
      .graph = graph,
      .values = ARENA_NEW_ARRAY(arena, quant_value_t, value_count),
      .regions = ARENA_NEW_ARRAY(arena, quant_region_t, region_count),
      .ports = ARENA_NEW_ARRAY(arena, quant_port_t *, region_count),
      .drops_value = arena_alloc_zeroed(arena, value_count * sizeof(bool)),
      .drops_region = arena_alloc_zeroed(arena, region_count * sizeof(bool)),
      .is_output = arena_alloc_zeroed(arena, value_count * sizeof(bool)),
      .value_order = ARENA_NEW_ARRAY(arena, uint32_t, value_count),
      .region_order = ARENA_NEW_ARRAY(arena, uint32_t, region_count),
  };
  for (uint32_t v = 0; v < value_count; v++) {
    parts.values[v] = graph->values[v];
    parts.value_order[v] = v;
  }
  for (uint32_t i = 0; i < graph->output_count; i++) parts.is_output[graph->outputs[i]] = true;
  for (uint32_t r = 0; r < region_count; r++) {
    const quant_region_t *region = &graph->regions[r];
    uint32_t count = quant_port_count(region);
    parts.regions[r] = *region;
    parts.ports[r] = ARENA_NEW_ARRAY(arena, quant_port_t, count);
    for (uint32_t p = 0; p < count; p++) parts.ports[r][p] = region->ports[p];
    parts.region_order[r] = r;
  }
  return parts;
}

static void swap(uint32_t *a, uint32_t *b) {
  uint32_t kept = *a;
  *a = *b;
  *b = kept;
}

void quant_parts_shuffle(quant_parts_t *parts, rng_t *rng) {
  const quant_graph_t *graph = parts->graph;
  for (uint32_t i = graph->value_count; i > 1; i--) {
    swap(&parts->value_order[i - 1], &parts->value_order[rng_below(rng, i)]);
  }
  for (uint32_t i = graph->region_count; i > 1; i--) {
    swap(&parts->region_order[i - 1], &parts->region_order[rng_below(rng, i)]);
  }
  /* The order of a graph's inputs is what it says: back into the places where inputs are now. */
  uint32_t next = 0;
  for (uint32_t i = 0; i < graph->value_count; i++) {
    const quant_value_t *value = &graph->values[parts->value_order[i]];
    if (value->producer != QUANT_NONE || value->constant != NULL) continue;
    parts->value_order[i] = graph->inputs[next++];
  }
}

void quant_parts_strip(quant_parts_t *parts) {
  quant_spec_t open = {.kind = QUANT_SPEC_OPEN};
  for (uint32_t v = 0; v < parts->graph->value_count; v++) parts->values[v].spec = open;
  for (uint32_t r = 0; r < parts->graph->region_count; r++) {
    uint32_t count = quant_port_count(&parts->regions[r]);
    for (uint32_t p = 0; p < count; p++) parts->ports[r][p].spec = open;
  }
}

void quant_parts_prune(quant_parts_t *parts, arena_t *arena) {
  bool *is_touched = arena_alloc_zeroed(arena, parts->graph->value_count * sizeof(bool));
  for (uint32_t r = 0; r < parts->graph->region_count; r++) {
    if (parts->drops_region[r]) continue;
    uint32_t count = quant_port_count(&parts->regions[r]);
    for (uint32_t p = 0; p < count; p++) is_touched[parts->ports[r][p].value] = true;
  }
  for (uint32_t v = 0; v < parts->graph->value_count; v++) {
    if (!is_touched[v] && !parts->is_output[v]) parts->drops_value[v] = true;
  }
}

void quant_parts_redirect(quant_parts_t *parts, uint32_t from, uint32_t to) {
  for (uint32_t r = 0; r < parts->graph->region_count; r++) {
    if (parts->drops_region[r]) continue;
    uint32_t count = quant_port_count(&parts->regions[r]);
    for (uint32_t p = 0; p < count; p++) {
      if (parts->ports[r][p].value == from) parts->ports[r][p].value = to;
    }
  }
  if (!parts->is_output[from]) return;
  parts->is_output[from] = false;
  parts->is_output[to] = true;
}

/* "call/name" is a name only of what calls make. */
static const char *name_of(const quant_parts_t *parts, const char *name, arena_t *arena) {
  if (!parts->drops_calls || strchr(name, '/') == NULL) return name;
  char *copy = arena_copy_text(arena, name, strlen(name));
  g_strdelimit(copy, "/", '.');
  return copy;
}

static void add_values(const quant_parts_t *parts, arena_t *arena, quant_builder_t *builder,
                       int32_t *out_map) {
  const quant_graph_t *graph = parts->graph;
  bool *is_made = arena_alloc_zeroed(arena, graph->value_count * sizeof(bool));
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *region = &parts->regions[r];
    if (parts->drops_region[r]) continue;
    for (uint32_t p = region->input_count; p < quant_port_count(region); p++) {
      is_made[parts->ports[r][p].value] = true;
    }
  }
  for (uint32_t i = 0; i < graph->value_count; i++) {
    uint32_t v = parts->value_order[i];
    out_map[v] = QUANT_NONE;
    if (parts->drops_value[v]) continue;
    const quant_value_t *value = &parts->values[v];
    quant_value_role_t role = is_made[v]                ? QUANT_RESULT
                              : value->constant != NULL ? QUANT_CONSTANT
                                                        : QUANT_INPUT;
    const char *name = name_of(parts, value->name, arena);
    out_map[v] = (int32_t)quant_builder_add_value(builder, role, name, &value->type, &value->spec,
                                                  value->constant);
  }
}

static void add_calls(const quant_parts_t *parts, const int32_t *value_map, arena_t *arena,
                      quant_builder_t *builder) {
  for (uint32_t c = 0; c < parts->graph->call_count; c++) {
    quant_call_t call = parts->graph->calls[c];
    uint32_t count = call.argument_count + call.result_count;
    uint32_t *values = ARENA_NEW_ARRAY(arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) values[i] = (uint32_t)value_map[call.values[i]];
    call.values = values;
    (void)quant_builder_add_call(builder, &call);
  }
}

static void add_regions(const quant_parts_t *parts, const int32_t *value_map, arena_t *arena,
                        quant_builder_t *builder, int32_t *out_map) {
  for (uint32_t i = 0; i < parts->graph->region_count; i++) {
    uint32_t r = parts->region_order[i];
    out_map[r] = QUANT_NONE;
    if (parts->drops_region[r]) continue;
    quant_region_t region = parts->regions[r];
    uint32_t count = quant_port_count(&region);
    quant_port_t *ports = ARENA_NEW_ARRAY(arena, quant_port_t, count);
    for (uint32_t p = 0; p < count; p++) {
      ports[p] = parts->ports[r][p];
      ports[p].value = (uint32_t)value_map[ports[p].value];
    }
    region.ports = ports;
    region.name = name_of(parts, region.name, arena);
    if (parts->drops_calls) region.call = QUANT_NONE;
    out_map[r] = (int32_t)quant_builder_add_region(builder, &region);
  }
}

status_t quant_parts_build(const quant_parts_t *parts, arena_t *arena, quant_graph_t *out_graph,
                           int32_t **out_region_map, int32_t **out_value_map, failure_t *error) {
  const quant_graph_t *graph = parts->graph;
  int32_t *value_map = ARENA_NEW_ARRAY(arena, int32_t, graph->value_count);
  int32_t *region_map = ARENA_NEW_ARRAY(arena, int32_t, graph->region_count);
  quant_builder_t *builder = quant_builder_new(graph->name, arena);
  add_values(parts, arena, builder, value_map);
  if (!parts->drops_calls) add_calls(parts, value_map, arena, builder);
  add_regions(parts, value_map, arena, builder, region_map);
  /* Outputs in their order; one that took the place of another stands where it can. */
  for (uint32_t i = 0; i < graph->output_count; i++) {
    uint32_t v = graph->outputs[i];
    if (parts->is_output[v]) quant_builder_add_output(builder, (uint32_t)value_map[v]);
  }
  for (uint32_t v = 0; v < graph->value_count; v++) {
    if (parts->is_output[v] && !graph->values[v].is_output) {
      quant_builder_add_output(builder, (uint32_t)value_map[v]);
    }
  }
  if (out_region_map != NULL) *out_region_map = region_map;
  if (out_value_map != NULL) *out_value_map = value_map;
  return quant_builder_finish(builder, out_graph, error);
}
