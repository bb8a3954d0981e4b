/* SPDX-License-Identifier: Apache-2.0 */
/* Building graphs: collects what is added, and links it at the end. */
#include "harness/quant/graph/parts.h"

struct quant_builder {
  arena_t *arena;
  const char *name;
  GArray *values;  /* quant_value_t, not yet linked. */
  GArray *roles;   /* quant_value_role_t of each value. */
  GArray *regions; /* quant_region_t */
  GArray *calls;   /* quant_call_t */
  GArray *outputs; /* uint32_t */
  char *chunk;     /* The rest of a piece of the arena, for small things. */
  size_t chunk_left;
};

quant_builder_t *quant_builder_new(const char *name, arena_t *arena) {
  quant_builder_t *builder = g_new0(quant_builder_t, 1);
  builder->arena = arena;
  builder->values = g_array_new(FALSE, FALSE, sizeof(quant_value_t));
  builder->roles = g_array_new(FALSE, FALSE, sizeof(quant_value_role_t));
  builder->regions = g_array_new(FALSE, FALSE, sizeof(quant_region_t));
  builder->calls = g_array_new(FALSE, FALSE, sizeof(quant_call_t));
  builder->outputs = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  builder->name = arena_copy_text(arena, name, strlen(name));
  return builder;
}

void quant_builder_abandon(quant_builder_t *builder) {
  g_array_free(builder->values, TRUE);
  g_array_free(builder->roles, TRUE);
  g_array_free(builder->regions, TRUE);
  g_array_free(builder->calls, TRUE);
  g_array_free(builder->outputs, TRUE);
  g_free(builder);
}

arena_t *quant_builder_arena(quant_builder_t *builder) { return builder->arena; }

const char *quant_builder_value_name(const quant_builder_t *builder, uint32_t value) {
  return g_array_index(builder->values, quant_value_t, value).name;
}

/* ---- Copies ---------------------------------------------------------------------------------- */

enum { CHUNK_BYTES = 1 << 16, CHUNK_ALIGNMENT = 16 };

/* Most things of a region are far smaller than the arena's alignment. */
static void *take(quant_builder_t *builder, size_t bytes) {
  size_t rounded = (MAX(bytes, 1) + CHUNK_ALIGNMENT - 1) / CHUNK_ALIGNMENT * CHUNK_ALIGNMENT;
  if (rounded > CHUNK_BYTES / 8) return arena_alloc(builder->arena, bytes);
  if (rounded > builder->chunk_left) {
    builder->chunk = arena_alloc(builder->arena, CHUNK_BYTES);
    builder->chunk_left = CHUNK_BYTES;
  }
  void *taken = builder->chunk;
  builder->chunk += rounded;
  builder->chunk_left -= rounded;
  return taken;
}

static void *copy(quant_builder_t *builder, const void *data, size_t count, size_t bytes) {
  void *copied = take(builder, count * bytes);
  if (count > 0) memcpy(copied, data, count * bytes);
  return copied;
}

static const char *copy_name(quant_builder_t *builder, const char *name) {
  return copy(builder, name, strlen(name) + 1, 1);
}

/* ---- Adding ---------------------------------------------------------------------------------- */

uint32_t quant_builder_add_value(quant_builder_t *builder, quant_value_role_t role,
                                 const char *name, const type_t *type, const quant_spec_t *spec,
                                 const tensor_t *constant) {
  quant_value_t value = {.name = copy_name(builder, name),
                         .type = *type,
                         .spec = *spec,
                         .constant = constant,
                         .producer = QUANT_NONE};
  g_assert((role == QUANT_CONSTANT) == (constant != NULL));
  g_array_append_val(builder->values, value);
  g_array_append_val(builder->roles, role);
  return builder->values->len - 1;
}

void quant_builder_add_output(quant_builder_t *builder, uint32_t value) {
  g_array_append_val(builder->outputs, value);
}

/* A rescale has no body but its input; callers need not make it. */
static void complete_rescale(quant_builder_t *builder, quant_region_t *region) {
  uint32_t value_index = region->ports[0].value;
  if (value_index >= builder->values->len) return; /* Refused later. */
  const quant_value_t *value = &g_array_index(builder->values, quant_value_t, value_index);
  const char *scope_end = strrchr(value->name, '/');
  quant_inner_t input = {.name = scope_end == NULL ? value->name : scope_end + 1,
                         .type = value->type};
  uint32_t returned = 0;
  region->inner_count = 1;
  region->inners = copy(builder, &input, 1, sizeof input);
  region->returns = copy(builder, &returned, 1, sizeof returned);
}

uint32_t quant_builder_add_region(quant_builder_t *builder, const quant_region_t *region) {
  quant_region_t added = *region;
  added.name = copy_name(builder, region->name);
  added.kernel = copy_name(builder, region->kernel);
  added.ports = copy(builder, region->ports, quant_port_count(region), sizeof region->ports[0]);
  bool is_rescale = strcmp(region->kernel, QUANT_RESCALE_KERNEL) == 0;
  if (is_rescale && region->inner_count <= 1 && region->op_count == 0 && region->input_count == 1 &&
      region->output_count == 1) {
    complete_rescale(builder, &added);
  } else {
    quant_inner_t *inners =
        copy(builder, region->inners, region->inner_count, sizeof region->inners[0]);
    for (uint32_t i = 0; i < region->inner_count; i++) {
      inners[i].name = copy_name(builder, inners[i].name);
    }
    added.inners = inners;
    added.returns = copy(builder, region->returns, region->output_count, sizeof region->returns[0]);
  }
  g_array_append_val(builder->regions, added);
  return builder->regions->len - 1;
}

uint32_t quant_builder_add_call(quant_builder_t *builder, const quant_call_t *call) {
  uint32_t count = call->argument_count + call->result_count;
  const char **formals = take(builder, count * sizeof formals[0]);
  for (uint32_t i = 0; i < count; i++) formals[i] = copy_name(builder, call->formals[i]);
  quant_call_t added = *call;
  added.name = copy_name(builder, call->name);
  added.subprogram = copy_name(builder, call->subprogram);
  added.values = copy(builder, call->values, count, sizeof call->values[0]);
  added.formals = formals;
  g_array_append_val(builder->calls, added);
  return builder->calls->len - 1;
}

/* ---- Linking --------------------------------------------------------------------------------- */

/* Whatever was added is in range from here on. */
static status_t check_indices(const quant_builder_t *builder, quant_place_t *place,
                              failure_t *error) {
  uint32_t value_count = builder->values->len;
  for (uint32_t r = 0; r < builder->regions->len; r++) {
    const quant_region_t *region = &g_array_index(builder->regions, quant_region_t, r);
    *place = (quant_place_t){.kind = QUANT_PLACE_REGION, .index = r};
    for (uint32_t port = 0; port < quant_port_count(region); port++) {
      if (region->ports[port].value < value_count) continue;
      return status_fail(error, STATUS_INVALID, "region %s: port %u has no value", region->name,
                         port);
    }
  }
  for (uint32_t c = 0; c < builder->calls->len; c++) {
    const quant_call_t *call = &g_array_index(builder->calls, quant_call_t, c);
    *place = (quant_place_t){.kind = QUANT_PLACE_CALL, .index = c};
    for (uint32_t i = 0; i < call->argument_count + call->result_count; i++) {
      if (call->values[i] < value_count) continue;
      return status_fail(error, STATUS_INVALID, "call %s: argument or result %u has no value",
                         call->name, i);
    }
  }
  *place = (quant_place_t){.kind = QUANT_PLACE_GRAPH};
  for (uint32_t i = 0; i < builder->outputs->len; i++) {
    if (g_array_index(builder->outputs, uint32_t, i) < value_count) continue;
    return status_fail(error, STATUS_INVALID, "output %u has no value", i);
  }
  return STATUS_OK;
}

static status_t link_producers(const quant_builder_t *builder, const quant_graph_t *graph,
                               quant_value_t *values, quant_place_t *place, failure_t *error) {
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *region = &graph->regions[r];
    *place = (quant_place_t){.kind = QUANT_PLACE_REGION, .index = r};
    for (uint32_t port = region->input_count; port < quant_port_count(region); port++) {
      quant_value_t *value = &values[region->ports[port].value];
      quant_value_role_t role =
          g_array_index(builder->roles, quant_value_role_t, region->ports[port].value);
      if (role != QUANT_RESULT) {
        return status_fail(error, STATUS_INVALID, "region %s: makes %s, which is %s", region->name,
                           value->name, role == QUANT_INPUT ? "an input" : "a constant");
      }
      if (value->producer != QUANT_NONE) {
        return status_fail(error, STATUS_INVALID, "region %s: makes %s, as region %s does",
                           region->name, value->name, graph->regions[value->producer].name);
      }
      value->producer = (int32_t)r;
      value->producer_port = port;
    }
  }
  for (uint32_t v = 0; v < graph->value_count; v++) {
    *place = (quant_place_t){.kind = QUANT_PLACE_VALUE, .index = v};
    bool is_result = g_array_index(builder->roles, quant_value_role_t, v) == QUANT_RESULT;
    if (is_result && values[v].producer == QUANT_NONE) {
      return status_fail(error, STATUS_INVALID, "value %s: no region or op makes it",
                         values[v].name);
    }
  }
  return STATUS_OK;
}

/* One array holds the uses of all values, each value's side by side. */
static void link_uses(const quant_graph_t *graph, quant_value_t *values, arena_t *arena) {
  size_t total = 0;
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *region = &graph->regions[r];
    for (uint32_t port = 0; port < region->input_count; port++) {
      values[region->ports[port].value].use_count++;
    }
    total += region->input_count;
  }
  quant_use_t *uses = ARENA_NEW_ARRAY(arena, quant_use_t, total);
  quant_use_t **ends = g_new(quant_use_t *, graph->value_count + 1);
  for (uint32_t v = 0; v < graph->value_count; v++) {
    values[v].uses = ends[v] = uses;
    uses += values[v].use_count;
  }
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *region = &graph->regions[r];
    for (uint32_t port = 0; port < region->input_count; port++) {
      *ends[region->ports[port].value]++ = (quant_use_t){.region = r, .port = port};
    }
  }
  g_free(ends);
}

static status_t link_outputs(const quant_graph_t *graph, quant_value_t *values,
                             quant_place_t *place, failure_t *error) {
  for (uint32_t i = 0; i < graph->output_count; i++) {
    quant_value_t *value = &values[graph->outputs[i]];
    *place = (quant_place_t){.kind = QUANT_PLACE_VALUE, .index = graph->outputs[i]};
    if (value->is_output) {
      return status_fail(error, STATUS_INVALID, "value %s: is an output twice", value->name);
    }
    if (value->producer == QUANT_NONE) {
      return status_fail(error, STATUS_INVALID, "value %s: an output is made by a region or op",
                         value->name);
    }
    value->is_output = true;
  }
  return STATUS_OK;
}

/* ---- Finishing ------------------------------------------------------------------------------- */

static void *flatten(quant_builder_t *builder, GArray *array) {
  return copy(builder, array->data, array->len, g_array_get_element_size(array));
}

static const uint32_t *collect_inputs(quant_builder_t *builder, uint32_t *out_count) {
  GArray *inputs = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (uint32_t v = 0; v < builder->values->len; v++) {
    if (g_array_index(builder->roles, quant_value_role_t, v) == QUANT_INPUT) {
      g_array_append_val(inputs, v);
    }
  }
  const uint32_t *flat = flatten(builder, inputs);
  *out_count = inputs->len;
  g_array_free(inputs, TRUE);
  return flat;
}

static status_t check_acyclic(const quant_graph_t *graph, quant_place_t *place, failure_t *error) {
  uint32_t *depths = g_new(uint32_t, graph->region_count + 1);
  uint32_t cycle = 0;
  uint32_t count = quant_find_depths(graph, depths, &cycle);
  g_free(depths);
  if (count == graph->region_count) return STATUS_OK;
  *place = (quant_place_t){.kind = QUANT_PLACE_REGION, .index = cycle};
  return status_fail(error, STATUS_INVALID, "%s %s: its inputs depend on its outputs",
                     graph->regions[cycle].is_op ? "op" : "region", graph->regions[cycle].name);
}

static status_t finish(quant_builder_t *builder, quant_graph_t *graph, quant_place_t *place,
                       failure_t *error) {
  STATUS_TRY(check_indices(builder, place, error));
  quant_value_t *values = flatten(builder, builder->values);
  quant_region_t *regions = flatten(builder, builder->regions);
  quant_call_t *calls = flatten(builder, builder->calls);
  *graph = (quant_graph_t){.name = builder->name,
                           .value_count = builder->values->len,
                           .values = values,
                           .region_count = builder->regions->len,
                           .regions = regions,
                           .output_count = builder->outputs->len,
                           .outputs = flatten(builder, builder->outputs),
                           .call_count = builder->calls->len,
                           .calls = calls};
  graph->inputs = collect_inputs(builder, &graph->input_count);
  STATUS_TRY(quant_check_names(graph, place, error));
  STATUS_TRY(quant_link_scopes(graph, regions, calls, place, error));
  STATUS_TRY(link_producers(builder, graph, values, place, error));
  STATUS_TRY(link_outputs(graph, values, place, error));
  link_uses(graph, values, builder->arena);
  STATUS_TRY(quant_check_values(graph, place, error));
  STATUS_TRY(quant_check_regions(graph, place, error));
  return check_acyclic(graph, place, error);
}

status_t quant_builder_finish_at(quant_builder_t *builder, quant_graph_t *out_graph,
                                 quant_place_t *out_place, failure_t *error) {
  quant_graph_t graph;
  status_t status = finish(builder, &graph, out_place, error);
  if (status == STATUS_OK) *out_graph = graph;
  quant_builder_abandon(builder);
  return status;
}

status_t quant_builder_finish(quant_builder_t *builder, quant_graph_t *out_graph,
                              failure_t *error) {
  quant_place_t place;
  return quant_builder_finish_at(builder, out_graph, &place, error);
}
