/* SPDX-License-Identifier: Apache-2.0 */
/* A propagation as a quantized model: quant.md, "Materialization". */
#include <string.h>

#include "harness/quant/graph/unique_name.h"
#include "harness/quant/propagate/state.h"

typedef struct writer {
  const quant_propagation_t *propagation;
  const quant_graph_t *graph;
  quant_fault_t fault;
  arena_t *arena;
  quant_builder_t *builder;
  GHashTable *rescales; /* quant_rescale_t, of inputs that conflict; borrowed. */
  GHashTable *names;    /* Of values and regions alike, for unique_name(); borrowed. */
  GPtrArray *regions;   /* quant_region_t in the arena: rescales, to be added last. */
} writer_t;

static void write_values(writer_t *writer) {
  const quant_graph_t *graph = writer->graph;
  bool *is_input = arena_alloc_zeroed(writer->arena, graph->value_count * sizeof(bool));
  for (uint32_t i = 0; i < graph->input_count; i++) is_input[graph->inputs[i]] = true;
  for (uint32_t i = 0; i < graph->value_count; i++) {
    const quant_value_t *value = &graph->values[i];
    const quant_spec_t *settled = &writer->propagation->values[i];
    const quant_spec_t *spec = settled->kind == QUANT_SPEC_UNIFORM ? settled : &value->spec;
    quant_value_role_t role = is_input[i]               ? QUANT_INPUT
                              : value->constant != NULL ? QUANT_CONSTANT
                                                        : QUANT_RESULT;
    quant_builder_add_value(writer->builder, role, value->name, &value->type, spec,
                            value->constant);
    unique_names_take(writer->names, value->name);
  }
  for (uint32_t i = 0; i < graph->output_count; i++) {
    quant_builder_add_output(writer->builder, graph->outputs[i]);
  }
  for (uint32_t i = 0; i < graph->region_count; i++) {
    unique_names_take(writer->names, graph->regions[i].name);
  }
}

/* What a value is called inside a call: the local part of its name, or the formal that stands for
 * it. */
static const char *name_in_call(const writer_t *writer, uint32_t value, int32_t call) {
  const char *name = writer->graph->values[value].name;
  if (call == QUANT_NONE) return name;
  const quant_call_t *made_by = &writer->graph->calls[call];
  for (uint32_t i = 0; i < made_by->argument_count + made_by->result_count; i++) {
    if (made_by->values[i] == value) return made_by->formals[i];
  }
  const char *slash = strrchr(name, '/');
  return slash != NULL ? slash + 1 : name;
}

/* "VALUE.rescale" inside `call`, with a number if that is taken. */
static const char *rescale_name(writer_t *writer, uint32_t value, int32_t call) {
  const char *local = name_in_call(writer, value, call);
  g_autofree char *head =
      call == QUANT_NONE ? g_strdup("") : g_strdup_printf("%s/", writer->graph->calls[call].name);
  return unique_name(writer->names, head, local, ".rescale", QUANT_NAME_BYTES_MAX, writer->arena);
}

/* Makes a value like `value`, and a rescale between both: to the new one if `is_input`, else from
 * it.  Returns the new value, which has the parameters `spec`. */
static uint32_t add_rescale(writer_t *writer, uint32_t value, const quant_spec_t *spec,
                            int32_t call, bool is_input) {
  const quant_value_t *old = &writer->graph->values[value];
  const char *name = rescale_name(writer, value, call);
  uint32_t made =
      quant_builder_add_value(writer->builder, QUANT_RESULT, name, &old->type, spec, NULL);
  quant_port_t *ports = ARENA_NEW_ARRAY(writer->arena, quant_port_t, 2);
  ports[is_input ? 0 : 1] =
      (quant_port_t){.value = value, .spec = writer->propagation->values[value]};
  ports[is_input ? 1 : 0] = (quant_port_t){.value = made, .spec = *spec};
  quant_region_t *region = ARENA_NEW_ARRAY(writer->arena, quant_region_t, 1);
  *region = (quant_region_t){.name = name,
                             .kernel = QUANT_RESCALE_KERNEL,
                             .input_count = 1,
                             .output_count = 1,
                             .ports = ports};
  g_ptr_array_add(writer->regions, region);
  return made;
}

/* The value that an input which conflicts with its value is attached to instead. */
static uint32_t rescaled_input(writer_t *writer, uint32_t value, const quant_spec_t *spec,
                               int32_t call) {
  bool is_new;
  quant_rescale_t *rescale =
      quant_rescale_shared(writer->rescales, value, call, spec, writer->arena, &is_new);
  if (is_new || writer->fault == QUANT_FAULT_rescale_unshared) {
    rescale->made = add_rescale(writer, value, spec, call, true);
  }
  return rescale->made;
}

static bool wants_rescale(const writer_t *writer, const quant_port_result_t *port, uint32_t value,
                          bool is_input) {
  if (is_input && writer->fault == QUANT_FAULT_rescale_dropped) return false;
  bool is_settled = port->spec.kind == QUANT_SPEC_UNIFORM &&
                    writer->propagation->values[value].kind == QUANT_SPEC_UNIFORM;
  if (is_input && is_settled && writer->fault == QUANT_FAULT_rescale_always) return true;
  return port->is_rescaled;
}

/* What an open port says.  Where its value was given parameters that the port cannot have, it says
 * what its kernel stores: else another look-up would take these for an annotation, and perhaps
 * another row. */
static quant_spec_t spec_of_open_port(const writer_t *writer, const quant_port_t *port,
                                      const quant_signature_port_t *signature) {
  const quant_value_t *value = &writer->graph->values[port->value];
  bool is_news = value->spec.kind != QUANT_SPEC_UNIFORM &&
                 writer->propagation->values[port->value].kind == QUANT_SPEC_UNIFORM;
  bool is_known = port->spec.kind != QUANT_SPEC_OPEN || !is_news;
  if (is_known || signature == NULL || signature->kind != QUANT_PORT_STORAGE) return port->spec;
  return (quant_spec_t){.kind = QUANT_SPEC_ANY,
                        .expressed = value->type.element,
                        .storage = signature->storage,
                        .storage_min = signature->storage_min,
                        .storage_max = signature->storage_max};
}

/* A region with its ports as specs, attached to rescales where they conflict. */
static quant_region_t materialized(writer_t *writer, uint32_t index) {
  const quant_region_t *old = &writer->graph->regions[index];
  if (old->is_op) return *old; /* Its ports have no specs. */
  const quant_region_result_t *result = &writer->propagation->regions[index];
  uint32_t count = quant_port_count(old);
  quant_port_t *ports = ARENA_NEW_ARRAY(writer->arena, quant_port_t, count);
  for (uint32_t i = 0; i < count; i++) {
    const quant_port_result_t *port = &result->ports[i];
    uint32_t value = old->ports[i].value;
    bool is_input = i < old->input_count;
    bool is_open = port->spec.kind == QUANT_SPEC_OPEN;
    const quant_signature_port_t *signature =
        result->signature == NULL ? NULL : &result->signature[i];
    ports[i] = (quant_port_t){
        .value = value,
        .spec = is_open ? spec_of_open_port(writer, &old->ports[i], signature) : port->spec};
    if (!wants_rescale(writer, port, value, is_input)) continue;
    ports[i].value = is_input ? rescaled_input(writer, value, &port->spec, old->call)
                              : add_rescale(writer, value, &port->spec, old->call, false);
  }
  quant_region_t region = *old;
  region.ports = ports;
  return region;
}

status_t quant_materialize(const quant_propagation_t *propagation, quant_fault_t fault,
                           arena_t *arena, quant_graph_t *out_graph, failure_t *error) {
  const quant_graph_t *graph = propagation->graph;
  g_autoptr(GHashTable) names = unique_names_begin();
  g_autoptr(GHashTable) rescales = quant_rescales_begin();
  g_autoptr(GPtrArray) regions = g_ptr_array_new();
  writer_t writer = {.propagation = propagation,
                     .graph = graph,
                     .fault = fault,
                     .arena = arena,
                     .builder = quant_builder_new(graph->name, arena),
                     .rescales = rescales,
                     .names = names,
                     .regions = regions};
  write_values(&writer);
  for (uint32_t i = 0; i < graph->call_count; i++) {
    quant_builder_add_call(writer.builder, &graph->calls[i]);
  }
  /* Rescales get their names in an order that does not depend on that of declaration. */
  const uint32_t *order = quant_graph_order(graph, arena);
  quant_region_t *kernels = ARENA_NEW_ARRAY(arena, quant_region_t, graph->region_count);
  for (uint32_t i = 0; i < graph->region_count; i++) {
    kernels[order[i]] = materialized(&writer, order[i]);
  }
  for (uint32_t i = 0; i < graph->region_count; i++) {
    quant_builder_add_region(writer.builder, &kernels[i]);
  }
  for (uint32_t i = 0; i < regions->len; i++) {
    quant_builder_add_region(writer.builder, g_ptr_array_index(regions, i));
  }
  return quant_builder_finish(writer.builder, out_graph, error);
}
